//! Files of a source folder that usually hold secrets: keys, passwords, dumps of databases. They are published only if
//! `include` names them.

/// Endings of names, in lower case.
const ENDINGS: [&str; 19] = [
    ".env",
    ".pem",
    ".p12",
    ".pfx",
    ".p8",
    ".ppk",
    ".jks",
    ".keystore",
    ".kdbx",
    ".secret",
    ".sql",
    ".sql.bz2",
    ".sql.gz",
    ".sql.xz",
    ".sql.zip",
    ".sql.zst",
    ".tfstate",
    ".tfstate.backup",
    ".tfvars",
];
/// Names, in lower case.
const NAMES: [&str; 9] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".git-credentials",
];
/// Beginnings of names, in lower case: with them come the copies that editors and people make (`.env.production`,
/// `wp-config.php.bak`).
const BEGINNINGS: [&str; 2] = [".env.", "wp-config.php"];
/// A private key is written like this, whatever its file is called (RFC 7468).
const PEM: (&[u8], &[u8]) = (b"-----BEGIN ", b"PRIVATE KEY-----");
/// The first bytes of a ZIP archive. A presentation of Keynote is one, and its name ends in `.key` as keys do.
const ZIP: &[u8] = b"PK\x03\x04";

/// Recognizes files that usually hold secrets by their names; `name` has no folders.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    NAMES.contains(&&*name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning))
        || (name.starts_with("latimer") && name.ends_with(".toml"))
}

/// Recognizes keys by their content: a private key in text, or anything but a presentation in a `.key` file.
pub(super) fn is_secret_content(name: &str, body: &[u8]) -> bool {
    let first_line = body
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    let is_private_key = first_line.starts_with(PEM.0) && first_line.ends_with(PEM.1);
    is_private_key || (name.to_lowercase().ends_with(".key") && !body.starts_with(ZIP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_any_case() {
        let secret = [
            ".env",
            ".env.local",
            "prod.env",
            "server.PEM",
            "Cert.p12",
            "ID_RSA",
            "wp-config.php",
            "wp-config.php.bak",
            "dump.sql",
            "shop.sql.gz",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "jwt.secret",
            "latimer.prod.toml",
        ];
        for name in secret {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "index.html",
            "id_rsa.pub",
            "sql.html",
            "environment.js",
            "env",
            "keys.json",
            "intro-to.sql.html",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn keys_are_known_by_their_content() {
        let pem = b"-----BEGIN OPENSSH PRIVATE KEY-----\r\nabc";
        for (name, body, expected) in [
            ("deepl.key", &b"0123-abc:fx\n"[..], true),
            ("empty.key", b"", true),
            ("talk.KEY", b"PK\x03\x04rest", false),
            ("notes.txt", pem, true),
            ("how-to.txt", b"Write\n-----BEGIN PRIVATE KEY-----\n", false),
            ("cert.crt", b"-----BEGIN CERTIFICATE-----\nabc", false),
        ] {
            assert_eq!(is_secret_content(name, body), expected, "{name}");
        }
    }
}
