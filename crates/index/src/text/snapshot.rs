//! One state of the text index, as it was last committed.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::index::SegmentId;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, DocId, Index, Searcher, SegmentReader};

use super::grams::{GramTokenizer, Needed};
use crate::ranked::{Language, RankedFields};

const GRAMS: &str = "grams-1";

/// What every document has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Which file: a number made of its path.
    pub(crate) key: Field,
    /// Which bytes: a number made of them.
    pub(crate) version: Field,
    pub(crate) name_grams: Field,
    pub(crate) text_grams: Field,
    pub(crate) ranked: RankedFields,
}

impl Fields {
    pub(crate) fn schema(language: Language) -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let grams = TextFieldIndexing::default().set_tokenizer(GRAMS).set_index_option(IndexRecordOption::Basic).set_fieldnorms(false);
        let grams = TextOptions::default().set_indexing_options(grams);
        let fields = Fields {
            key: schema.add_u64_field("key", FAST | INDEXED),
            version: schema.add_u64_field("version", FAST),
            name_grams: schema.add_text_field("name_grams", grams.clone()),
            text_grams: schema.add_text_field("text_grams", grams),
            ranked: RankedFields::add_to(&mut schema, language),
        };
        (schema.build(), fields)
    }
}

impl Fields {
    /// Needed once for every opened index.
    pub(crate) fn register(&self, index: &Index) {
        index.tokenizers().register(GRAMS, TextAnalyzer::from(GramTokenizer::new()));
        self.ranked.register(index);
    }
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
        let (schema, fields) = Fields::schema(language);
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
        let field = match part {
            Part::Name => self.fields.name_grams,
            Part::Text => self.fields.text_grams,
        };
        if *needed == Needed::Anything {
            return Ok(None);
        }
        let mut found = Vec::new();
        for (segment, origins) in self.searcher.segment_readers().iter().zip(&self.origins) {
            let Some(documents) = needed.documents(segment, field)? else { return Ok(None) };
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
