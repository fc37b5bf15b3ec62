//! An authority of a test's own, and the certificate of its servers.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tempfile::TempDir;

/// The files of both. They are gone when it is dropped.
#[derive(Debug)]
pub struct Certificates(TempDir);

impl Certificates {
    /// Makes an authority, and lets it sign a certificate for servers on 127.0.0.1.
    pub fn make() -> Certificates {
        Certificates::make_for("127.0.0.1")
    }

    /// The same for servers on another host.
    ///
    /// # Panics
    /// When the files cannot be written.
    pub fn make_for(host: &str) -> Certificates {
        let dir = tempfile::tempdir().unwrap();
        let mut authority = named("the authority of a test", &[]);
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority_key = KeyPair::generate().unwrap();
        let key = KeyPair::generate().unwrap();
        let write = |name: &str, pem: String| fs::write(dir.path().join(name), pem).unwrap();
        write("ca.pem", authority.self_signed(&authority_key).unwrap().pem());
        let issuer = Issuer::new(authority, authority_key);
        write("server.pem", named("a server of a test", &[host]).signed_by(&key, &issuer).unwrap().pem());
        write("server.key", key.serialize_pem());
        Certificates(dir)
    }

    /// The file of the authority.
    pub fn authority(&self) -> PathBuf {
        self.0.path().join("ca.pem")
    }

    /// What a Redis server is told on its command line to listen with TLS at a port, too.
    pub fn server_args(&self, tls_port: u16) -> Vec<String> {
        let file = |name: &str| path(&self.0.path().join(name));
        let args = [
            ("--tls-port", tls_port.to_string()),
            ("--tls-cert-file", file("server.pem")),
            ("--tls-key-file", file("server.key")),
            ("--tls-ca-cert-file", file("ca.pem")),
            ("--tls-auth-clients", "no".to_owned()),
        ];
        args.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }
}

fn named(name: &str, addresses: &[&str]) -> CertificateParams {
    let addresses: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
    let mut params = CertificateParams::new(addresses).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
