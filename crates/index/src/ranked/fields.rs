//! The fields of a note that are searched by words, what is in them, and what a match in each is worth.

use std::collections::BTreeSet;

use quillgate_vault::NotePath;
use tantivy::schema::{Field, IndexRecordOption, SchemaBuilder, TextFieldIndexing, TextOptions};
use tantivy::{Index, Term};

use super::analysis::Words;
use super::language::Language;
use crate::card::Card;

/// A note as it is indexed.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a NotePath,
    pub(crate) card: &'a Card,
    pub(crate) text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Title,
    Aliases,
    Headings,
    Tags,
    Path,
    Body,
}

/// How a query is meant. A word or two name a note; a sentence asks what notes say, and is answered worse the more their titles
/// count (`bench/ranking` tells).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    LookUp,
    Question,
}

impl Style {
    const LONGEST_LOOK_UP: usize = 3;

    pub(crate) fn of(terms: usize) -> Style {
        if terms <= Style::LONGEST_LOOK_UP { Style::LookUp } else { Style::Question }
    }
}

pub(crate) const PARTS: [Part; 6] = [Part::Title, Part::Aliases, Part::Headings, Part::Tags, Part::Path, Part::Body];

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Title => "title",
            Part::Aliases => "aliases",
            Part::Headings => "headings",
            Part::Tags => "tags",
            Part::Path => "path",
            Part::Body => "body",
        }
    }

    /// What a match here is worth, beside one in the text, which has title and headings too.
    pub(crate) fn boost(self, style: Style) -> f32 {
        let (for_look_up, for_question) = match self {
            Part::Title => (3.0, 0.25),
            Part::Aliases => (2.0, 0.25),
            Part::Headings => (1.0, 0.1),
            Part::Tags => (0.8, 0.25),
            Part::Path => (0.6, 0.1),
            Part::Body => (1.0, 1.0),
        };
        match style {
            Style::LookUp => for_look_up,
            Style::Question => for_question,
        }
    }

    /// The length that counts as usual at least. Most notes have no aliases; the true average would punish those that do.
    pub(crate) fn usual_length(self) -> u64 {
        match self {
            Part::Title => 4,
            Part::Aliases | Part::Tags | Part::Path => 3,
            Part::Headings => 8,
            Part::Body => 1,
        }
    }
}

/// The fields in one index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedFields {
    fields: [Field; PARTS.len()],
    language: Language,
}

impl RankedFields {
    /// The name of the tokenizer carries the language, so that the schema of an index tells whether it still fits.
    pub(crate) fn add_to(schema: &mut SchemaBuilder, language: Language) -> RankedFields {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(&language.fingerprint())
            .set_index_option(IndexRecordOption::WithFreqsAndPositions)
            .set_fieldnorms(true);
        let options = TextOptions::default().set_indexing_options(indexing);
        RankedFields { fields: PARTS.map(|part| schema.add_text_field(part.name(), options.clone())), language }
    }

    /// Needed once for every opened index, before it is written.
    pub(crate) fn register(&self, index: &Index) {
        index.tokenizers().register(&self.language.fingerprint(), Words::new(self.language));
    }

    /// Everything of a note but its text, field by field.
    pub(crate) fn each_beside_body(&self, source: &Source, mut see: impl FnMut(Field, &str)) {
        for (part, field) in self.each().filter(|(part, _)| *part != Part::Body) {
            for_each_text(part, source, |text| see(field, text));
        }
    }

    /// The field of a note's text.
    pub(crate) fn body(&self) -> Field {
        self.fields[Part::Body as usize]
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (Part, Field)> {
        PARTS.into_iter().zip(self.fields)
    }

    pub(crate) fn term(&self, part: Part, text: &str) -> Term {
        Term::from_field_text(self.fields[part as usize], text)
    }

    pub(crate) fn find_part(&self, field: Field) -> Option<Part> {
        self.each().find(|(_, own)| *own == field).map(|(part, _)| part)
    }

    pub(crate) fn words(&self) -> Words {
        Words::new(self.language)
    }
}

/// The texts of one field, one after the other; a phrase does not reach from one into the next.
pub(crate) fn for_each_text(part: Part, source: &Source, mut see: impl FnMut(&str)) {
    let card = source.card;
    match part {
        Part::Title => for_each_title(source, see),
        Part::Aliases => card.aliases.iter().for_each(|alias| see(alias)),
        Part::Headings => card.headings.iter().for_each(|heading| see(&heading.text)),
        Part::Tags => {
            let inline = card.inline_tags.iter().map(|(tag, _)| tag);
            let tags: BTreeSet<&String> = card.property_tags.iter().chain(inline).collect();
            tags.into_iter().for_each(|tag| see(tag));
        }
        Part::Path => see(source.path.parent().as_str()),
        Part::Body => see(source.text),
    }
}

/// What a note is called: its file name, and its first heading and `title` property if they say something else.
fn for_each_title(source: &Source, mut see: impl FnMut(&str)) {
    let name = source.path.basename();
    see(name);
    let heading = source.card.headings.iter().find(|heading| heading.level == 1).map_or(name, |heading| &heading.text);
    if heading != name {
        see(heading);
    }
    if !source.card.properties.contains("\"title\"") {
        return;
    }
    if let Some(serde_json::Value::String(title)) = source.card.property_map().get("title")
        && title != name
        && title != heading
    {
        see(title);
    }
}
