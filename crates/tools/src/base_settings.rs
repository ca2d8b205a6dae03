//! What bases are computed with.

use quillgate_query::bases::{PropertyTypes, Settings};
use quillgate_query::moment::Locale;

use crate::context::Context;
use crate::failure::Failure;

/// What the vault says about its properties and files, and what of it could not be read.
pub(crate) fn base_settings(context: &Context<'_>) -> Result<(Settings, Option<String>), Failure> {
    let (types, warning) = match context.vault().property_types() {
        Ok(types) => (PropertyTypes::new(&types), None),
        Err(error) => (PropertyTypes::default(), Some(format!("the types of properties are taken from the values: {error}"))),
    };
    let excluded = context.index()?.excluded();
    Ok((Settings { now: context.now(), types, excluded, locale: Locale::english() }, warning))
}
