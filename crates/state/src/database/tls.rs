//! TLS to a PostgreSQL server. Its certificate is always checked.

use std::io::Read;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::File;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::target::Target;
use crate::StateError;

pub(crate) fn connector(target: &Target, location: &str) -> Result<MakeRustlsConnect, StateError> {
    let problem = |problem: String| StateError::Open { location: location.to_owned(), problem };
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let no_tls = |error| problem(format!("TLS cannot be set up: {error}"));
    let builder = builder.with_safe_default_protocol_versions().map_err(no_tls)?;
    let Some(path) = &target.authorities else {
        return Ok(MakeRustlsConnect::new(builder.with_platform_verifier().map_err(no_tls)?.with_no_client_auth()));
    };
    let mut text = Vec::new();
    let read = File::open_ambient(path, ambient_authority()).and_then(|mut file| file.read_to_end(&mut text));
    read.map_err(|error| problem(format!("sslrootcert {} cannot be read: {error}", path.display())))?;
    let mut authorities = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        authorities.add_parsable_certificates(certificate.ok());
    }
    if authorities.is_empty() {
        return Err(problem(format!("sslrootcert {} holds no certificate; name a PEM file", path.display())));
    }
    Ok(MakeRustlsConnect::new(builder.with_root_certificates(authorities).with_no_client_auth()))
}
