//! Files that look like secrets, by their name, or by a private key at their beginning.
//!
//! A file that only looks like one is left out of a commit, or asked about. One that is a secret and is committed is in the
//! history for good. So names count that secrets usually have, and of contents only what is hardly ever anything else.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// How much of a file is looked at, in bytes.
const HEAD: u64 = 16 << 10;
/// What programs that log in somewhere keep their passwords in, and what ssh calls its private keys.
const NAMES: [&str; 21] = [
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".secrets",
    "_netrc",
    "application_default_credentials.json",
    "credentials.json",
    "credentials.yaml",
    "credentials.yml",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "secrets.json",
    "secrets.toml",
    "terraform.tfstate",
];
/// The same that go on before their extension.
const BEGINNINGS: [&str; 3] = ["client_secret", "service-account", "service_account"];
/// Containers of keys.
const EXTENSIONS: [&str; 6] = ["jks", "kdbx", "keystore", "p12", "pfx", "ppk"];
/// What the name of an environment ends in that is there to be copied.
const EXAMPLES: [&str; 5] = ["dist", "example", "sample", "schema", "template"];

/// Whether the file at `path` below `root` looks like a secret.
pub(crate) fn looks_secret(root: &Path, path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().to_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    if is_environment(&name, extension)
        || NAMES.contains(&&*name)
        || EXTENSIONS.contains(&extension)
        || extension == "json" && BEGINNINGS.iter().any(|beginning| stem.starts_with(beginning))
        || name == "credentials"
            && path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".aws")
    {
        return true;
    }
    let head = head(&root.join(path));
    match &*name {
        ".npmrc" | ".yarnrc" | ".yarnrc.yml" => has_token(&head),
        _ if extension == "pem" => {
            // Certificates and public keys have the same name.
            let says_what_it_is = find(&head, b"-----BEGIN ").is_some();
            !says_what_it_is || find(&head, b"PRIVATE KEY-----").is_some()
        }
        _ => has_private_key(&head, extension == "json"),
    }
}

fn is_environment(name: &str, extension: &str) -> bool {
    (name.starts_with(".env") && (name.len() == 4 || name == ".envrc" || name.starts_with(".env."))
        || extension == "env")
        && !EXAMPLES.contains(&extension)
}

/// The beginning of a file; nothing of what is none, or cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    // Git commits where a symlink leads, not what is there.
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
        && let Ok(file) = File::open(path)
    {
        // What could be read counts.
        let _ = file.take(HEAD).read_to_end(&mut head);
    }
    head
}

/// Whether npm or yarn would log in with what is written here; a variable is none.
fn has_token(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.lines().any(|line| {
        let Some((name, value)) = line.split_once(['=', ' ']) else { return false };
        let (name, value) = (name.trim().trim_end_matches(':').to_lowercase(), value.trim());
        let is_secret = ["_authtoken", "_password", "_auth", "npmauthtoken", "npmauthident"];
        is_secret.iter().any(|secret| name.ends_with(secret)) && !value.is_empty() && !value.contains("${")
    })
}

/// Whether a private key begins with a line of its own, or in a text of JSON.
fn has_private_key(head: &[u8], is_json: bool) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b"PRIVATE KEY-----";
    let mut rest = head;
    let mut before = b'\n';
    while let Some(at) = find(rest, BEGIN) {
        let (skipped, found) = rest.split_at(at);
        before = skipped.last().copied().unwrap_or(before);
        let line_end = found.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"'));
        let (line, behind) = found.split_at(line_end.unwrap_or(found.len()));
        let is_key = line.ends_with(END);
        if is_key && (before == b'\n' && !behind.is_empty() || is_json && behind.starts_with(b"\\n")) {
            return true;
        }
        (rest, before) = (found.get(BEGIN.len()..).unwrap_or_default(), b' ');
    }
    false
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::looks_secret;
    use std::fs;
    use std::path::Path;

    fn looks(name: &str, content: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        looks_secret(folder.path(), Path::new(name))
    }

    #[test]
    fn names_that_secrets_have_are_known() {
        for name in [
            ".env",
            ".env.local",
            "web/.env.production",
            ".envrc",
            "prod.env",
            "id_rsa",
            ".ssh/id_ed25519",
            "key.pem",
            "store.P12",
            "credentials.json",
            "client_secret_12.json",
            ".aws/credentials",
            ".netrc",
            "Secrets.toml",
        ] {
            assert!(looks(name, ""), "{name}");
        }
        for name in [
            ".env.example",
            ".env.template",
            ".environment",
            "src/env.rs",
            "id_rsa.pub",
            "credentials.md",
            "credentials",
            "secrets.rs",
            "main.key.rs",
            ".npmrc",
            "a.json",
        ] {
            assert!(!looks(name, ""), "{name}");
        }
    }

    #[test]
    fn private_keys_are_known_by_their_beginning() {
        let key = |kind: &str| format!("-----BEGIN {kind}-----\nMIIEvQIBADANBg\n-----END {kind}-----\n");
        for kind in ["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
            for name in ["deploy", "a/server.key", "x.pem"] {
                assert!(looks(name, &key(kind)), "{kind} in {name}");
                assert!(
                    looks(name, &format!("Bag Attributes\n{}{}", key("CERTIFICATE"), key(kind))),
                    "{kind}"
                );
            }
        }
        for kind in ["CERTIFICATE", "PUBLIC KEY"] {
            assert!(!looks("x.pem", &key(kind)) && !looks("x", &key(kind)), "{kind}");
        }
        assert!(looks("x.json", r#"{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEv"}"#));
        assert!(!looks("x.rs", "const BEGIN: &str = \"-----BEGIN PRIVATE KEY-----\\n\";\n"));
        assert!(!looks("x.md", "A key begins with `-----BEGIN PRIVATE KEY-----`.\n"));
    }

    #[test]
    fn a_token_for_npm_is_known_and_a_variable_is_none() {
        assert!(looks(".npmrc", "//registry.example/:_authToken=npm_abc\n"));
        assert!(looks("a/.npmrc", "_auth = \"YTpi\"\n"));
        assert!(looks(".yarnrc.yml", "npmAuthToken: abc\n"));
        assert!(!looks(".npmrc", "//registry.example/:_authToken=${NPM_TOKEN}\n"));
        assert!(!looks(".npmrc", "save-exact=true\n"));
    }

    #[test]
    fn a_symlink_is_known_by_its_own_name_only() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), "-----BEGIN PRIVATE KEY-----\nMIIEv\n").unwrap();
        for name in ["link", ".env"] {
            std::os::unix::fs::symlink("x", folder.path().join(name)).unwrap();
        }
        assert!(
            !looks_secret(folder.path(), Path::new("link")) && looks_secret(folder.path(), Path::new(".env"))
        );
    }
}
