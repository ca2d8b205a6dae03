//! One state of the text index, as it was last committed.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, DocId, Index, Searcher, SegmentReader};

use super::common::CommonGrams;
use super::grams::{GramTokenizer, Needed};
use crate::ranked::{Language, RankedFields};

const NAME_GRAMS: &str = "name-grams-1";
const TEXT_GRAMS: &str = "text-grams-1";

/// What every document has.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// Which file: a number made of its path.
    pub(crate) key: Field,
    /// Which bytes: a number made of them.
    pub(crate) version: Field,
    pub(crate) name_grams: Field,
    pub(crate) text_grams: Field,
    /// What `text_grams` leaves out.
    common: CommonGrams,
    pub(crate) ranked: RankedFields,
}

impl Fields {
    pub(crate) fn schema(language: Language, common: CommonGrams) -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let fields = Fields {
            key: schema.add_u64_field("key", FAST | INDEXED),
            version: schema.add_u64_field("version", FAST),
            name_grams: schema.add_text_field("name_grams", grams(NAME_GRAMS)),
            text_grams: schema.add_text_field(&format!("text_grams_{}", common.mark()), grams(TEXT_GRAMS)),
            common,
            ranked: RankedFields::add_to(&mut schema, language),
        };
        (schema.build(), fields)
    }

    /// Needed once for every opened index.
    pub(crate) fn register(&self, index: &Index) {
        let analyzer = |common| TextAnalyzer::from(GramTokenizer::new(common));
        index.tokenizers().register(NAME_GRAMS, analyzer(CommonGrams::none()));
        index.tokenizers().register(TEXT_GRAMS, analyzer(self.common.clone()));
        self.ranked.register(index);
    }
}

fn grams(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer);
    TextOptions::default().set_indexing_options(indexing.set_index_option(IndexRecordOption::Basic).set_fieldnorms(false))
}

/// Which part of a file is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Name,
    Text,
}

/// Which file and which bytes a document was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) key: u64,
    pub(crate) version: u64,
}

/// The origins of a segment's documents.
pub(crate) type Origins = Arc<[Origin]>;

pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    /// In the order of the searcher's segments.
    origins: Vec<Origins>,
}

impl Snapshot {
    /// Of an index that holds nothing.
    pub(crate) fn empty(language: Language) -> tantivy::Result<Snapshot> {
        let (schema, fields) = Fields::schema(language, CommonGrams::none());
        let index = Index::create_in_ram(schema);
        fields.register(&index);
        Snapshot::new(index.reader()?.searcher(), fields, None)
    }

    /// Segments never change, so what is known of them from `before` still holds.
    pub(crate) fn new(searcher: Searcher, fields: Fields, before: Option<&Snapshot>) -> tantivy::Result<Snapshot> {
        let known: HashMap<SegmentId, &Origins> = before.map(Snapshot::by_segment).unwrap_or_default();
        let origins = searcher.segment_readers().iter().map(|segment| match known.get(&segment.segment_id()) {
            Some(known) => Ok((*known).clone()),
            None => read_origins(segment),
        });
        let origins = origins.collect::<tantivy::Result<_>>()?;
        Ok(Snapshot { searcher, fields, origins })
    }

    fn by_segment(&self) -> HashMap<SegmentId, &Origins> {
        self.searcher.segment_readers().iter().map(SegmentReader::segment_id).zip(&self.origins).collect()
    }

    pub(crate) fn origin(&self, address: DocAddress) -> Origin {
        self.origins[address.segment_ord as usize][address.doc_id as usize]
    }

    /// The origins of all documents that are still alive.
    pub(crate) fn alive(&self) -> impl Iterator<Item = Origin> {
        let segments = self.searcher.segment_readers().iter().zip(&self.origins);
        segments.flat_map(|(segment, origins)| segment.doc_ids_alive().map(|document| origins[document as usize]))
    }

    /// The origins of the documents that have what is needed; none where every document may match.
    pub(crate) fn with(&self, needed: &Needed, part: Part) -> tantivy::Result<Option<Vec<Origin>>> {
        let nothing = CommonGrams::none();
        let (field, common) = match part {
            Part::Name => (self.fields.name_grams, &nothing),
            Part::Text => (self.fields.text_grams, &self.fields.common),
        };
        if *needed == Needed::Anything {
            return Ok(None);
        }
        let mut found = Vec::new();
        for (segment, origins) in self.searcher.segment_readers().iter().zip(&self.origins) {
            let Some(documents) = needed.documents(segment, field, common)? else { return Ok(None) };
            let is_alive = |document: &DocId| !segment.is_deleted(*document);
            found.extend(documents.into_iter().filter(is_alive).map(|document| origins[document as usize]));
        }
        Ok(Some(found))
    }
}

fn read_origins(segment: &SegmentReader) -> tantivy::Result<Origins> {
    let keys = segment.fast_fields().u64("key")?;
    let versions = segment.fast_fields().u64("version")?;
    let origin = |document| Origin {
        key: keys.first(document).unwrap_or_default(),
        version: versions.first(document).unwrap_or_default(),
    };
    Ok((0..segment.max_doc()).map(origin).collect())
}
