//! The file of whom to trust.

use redis::{Client, RedisError, TlsCertificates};

const MARK: &str = "-----BEGIN CERTIFICATE-----";

/// What is in a PEM file of certificates. Whether it is one is told here, at the start, and not by every connection.
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    certificates(path).map_err(|error| format!("must be a PEM file of certificates: {error}"))
}

fn certificates(path: &str) -> Result<Vec<u8>, RedisError> {
    let pem = std::fs::read(path)?;
    if !pem.windows(MARK.len()).any(|part| part == MARK.as_bytes()) {
        return Err(std::io::Error::other("it has none").into());
    }
    let certificates = TlsCertificates { client_tls: None, root_cert: Some(pem.clone()) };
    Client::build_with_tls("rediss://any", certificates).map(|_| pem)
}
