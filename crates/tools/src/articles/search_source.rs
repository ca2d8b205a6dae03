//! Searching a source: the tool that a configured source becomes.

use quillgate_remote::{Connector, SourceError};
use serde_json::{Map, Value, json};

use super::schemas;
use crate::context::Call;
use crate::failure::{Failure, Issue};
use crate::tool::{Effect, Registered, Spec};

pub(super) fn registered(connector: &'static Connector) -> Registered {
    let source = connector.source();
    let spec = Spec::reading(&source.tool, &source.title).scopes(vec![source.scope.as_str()].leak());
    Registered::outside(
        Spec { effect: Effect::ReadOutside, ..spec },
        [Box::leak(Box::new(|| schemas::input(connector.source()))), Box::leak(Box::new(|| schemas::output(connector)))],
        Box::leak(Box::new(|| connector.source().description.clone())),
        Box::leak(Box::new(|arguments: &Value, call: &Call| run(connector, arguments, call))),
    )
}

fn run(connector: &Connector, arguments: &Value, call: &Call) -> Result<Value, Failure> {
    let nothing = Map::new();
    let arguments = arguments.as_object().unwrap_or(&nothing);
    match connector.search_blocking(arguments, call.credential(), || call.go_on()) {
        Ok(articles) => Ok(json!({"articles": articles})),
        Err(error) => Err(failure(connector, error)),
    }
}

/// A model reads the one text of the source, whatever happened; only the log has the cause.
fn failure(connector: &Connector, error: SourceError) -> Failure {
    let source = connector.source();
    match error {
        SourceError::Argument { name, wanted } => Failure::InvalidInput(vec![Issue::new(&name, wanted.to_owned())]),
        SourceError::Cancelled => Failure::Cancelled,
        SourceError::CredentialRejected => {
            tracing::info!(source = source.name, "{error}");
            Failure::CredentialRejected(source.error.clone())
        }
        SourceError::CredentialMissing | SourceError::Unavailable(_) => {
            tracing::warn!(source = source.name, cause = %error, "a source failed");
            Failure::Source(source.error.clone())
        }
    }
}
