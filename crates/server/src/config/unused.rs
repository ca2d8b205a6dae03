//! Keys of files that were written for others: they may stand there, and do nothing.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The mark of such a key in the schema.
pub(crate) const UNUSED: &str = "x-unused";

/// A value of any kind that is not kept, so that no secret in it can be shown.
#[derive(Clone, Copy, Debug)]
pub struct Unused;

impl<'de> Deserialize<'de> for Unused {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unused, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Unused)
    }
}

impl Serialize for Unused {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(not used)")
    }
}

impl JsonSchema for Unused {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Unused".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({UNUSED: true})
    }
}
