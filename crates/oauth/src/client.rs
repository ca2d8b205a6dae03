//! Who asks for access: clients of the configuration, clients that registered, and clients that publish a document.

use quillgate_state::SecretHash;
use serde_json::Value;

use crate::client_metadata::{AuthMethod, ClientMetadata, GrantType, is_document_id};
use crate::failure::Failure;
use crate::settings::ConfiguredClient;
use crate::site::Site;

#[derive(Clone, Debug)]
pub(crate) struct KnownClient {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) redirect_uris: Vec<String>,
    pub(crate) grant_types: Vec<GrantType>,
    pub(crate) authentication: Authentication,
    pub(crate) origin: Origin,
}

/// How far the client's word about itself can be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The operator entered it.
    Configured,
    /// Anybody can register under any name.
    Registered,
    /// Whoever controls this host said so.
    Document { host: String },
}

#[derive(Clone, Debug)]
pub(crate) enum Authentication {
    None,
    Secret { hash: SecretHash, way: SecretWay },
    PrivateKey { jwks: Option<Value>, jwks_uri: Option<String>, or_none: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretWay {
    Basic,
    Post,
    /// The operator did not say.
    Either,
}

impl KnownClient {
    pub(crate) fn may(&self, grant_type: GrantType) -> bool {
        self.grant_types.contains(&grant_type)
    }

    pub(crate) fn knows_redirect(&self, asked: &str) -> bool {
        self.redirect_uris.iter().any(|registered| crate::redirect_uri::matches(registered, asked))
    }

    fn configured(client: &ConfiguredClient) -> KnownClient {
        let authentication = match (&client.secret, &client.jwks) {
            (Some(hash), _) => Authentication::Secret { hash: hash.clone(), way: SecretWay::Either },
            (None, Some(jwks)) => Authentication::PrivateKey { jwks: Some(jwks.clone()), jwks_uri: None, or_none: false },
            (None, None) => Authentication::None,
        };
        KnownClient {
            id: client.id.clone(),
            name: client.name.clone(),
            redirect_uris: client.redirect_uris.clone(),
            grant_types: client.grant_types.clone(),
            authentication,
            origin: Origin::Configured,
        }
    }

    fn from_metadata(id: &str, metadata: &ClientMetadata, secret: Option<SecretHash>, origin: Origin) -> KnownClient {
        let authentication = match (metadata.token_endpoint_auth_method, secret) {
            (AuthMethod::ClientSecretBasic, Some(hash)) => Authentication::Secret { hash, way: SecretWay::Basic },
            (AuthMethod::ClientSecretPost, Some(hash)) => Authentication::Secret { hash, way: SecretWay::Post },
            (AuthMethod::PrivateKeyJwt, _) => Authentication::PrivateKey {
                jwks: metadata.jwks.clone(),
                jwks_uri: metadata.jwks_uri.clone(),
                or_none: metadata.also_none,
            },
            _ => Authentication::None,
        };
        KnownClient {
            id: id.to_owned(),
            name: metadata.client_name.clone().unwrap_or_else(|| id.to_owned()),
            redirect_uris: metadata.redirect_uris.clone(),
            grant_types: metadata.grant_types.clone(),
            authentication,
            origin,
        }
    }
}

impl Site {
    /// The client of this id. A document that cannot be fetched is a client that is not known.
    pub(crate) async fn find_client(&self, id: &str) -> Result<Option<KnownClient>, Failure> {
        if let Some(client) = self.settings.clients.iter().find(|client| client.id == id) {
            return Ok(Some(KnownClient::configured(client)));
        }
        if is_document_id(id) && self.settings.documents.is_some() {
            let Ok(metadata) = self.documents.find(id, self.now()).await else { return Ok(None) };
            let host = crate::redirect_uri::shown_host(id);
            return Ok(Some(KnownClient::from_metadata(id, &metadata, None, Origin::Document { host })));
        }
        let Some(client) = self.state.find_client(id).await? else { return Ok(None) };
        let Ok(metadata) = serde_json::from_str::<ClientMetadata>(&client.metadata) else { return Ok(None) };
        Ok(Some(KnownClient::from_metadata(id, &metadata, client.secret, Origin::Registered)))
    }
}
