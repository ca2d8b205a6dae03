//! The numbers BM25 works with, the same for notes inside and outside of the index.

use tantivy::query::{Bm25StatisticsProvider, EnableScoring};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use super::fields::RankedFields;

pub(crate) struct Statistics<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a RankedFields,
}

impl<'a> Statistics<'a> {
    pub(crate) fn scoring(&'a self) -> EnableScoring<'a> {
        EnableScoring::enabled_from_statistics_provider(self, self.searcher)
    }
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let usual = self.fields.find_part(field).map_or(1, |part| part.usual_length());
        Ok(self.searcher.total_num_tokens(field)?.max(usual * self.total_num_docs()?))
    }

    /// At least one, since an empty index has no averages.
    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.searcher.total_num_docs()?.max(1))
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.searcher.doc_freq(term)
    }
}
