//! Tokens that are good, and many that are forged. The keys in `keys/` are made for these tests and used nowhere else.

use std::path::PathBuf;

use hyper::header::HeaderValue;
use jsonwebtoken::crypto::sign;
use jsonwebtoken::{Algorithm, EncodingKey};
use pipeline::config::{JwtAlgorithm, KeySource};
use serde_json::json;

use super::*;

const SECRET: &str = "a secret that is long enough for HS256, really";
const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

fn config(algorithm: JwtAlgorithm, key: KeySource) -> JwtConfig {
    JwtConfig {
        algorithm,
        key,
        issuer: Some("us".to_owned()),
        audience: Some("latimer".to_owned()),
    }
}

fn hs256() -> JwtConfig {
    config(JwtAlgorithm::Hs256, KeySource::Secret(SECRET.to_owned()))
}

fn keys(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("src/auth/keys")
        .join(name)
}

fn pem(name: &str) -> Vec<u8> {
    std::fs::read(keys(name)).unwrap()
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// Claims that are good, with `more` put over them.
fn claims(more: Value) -> String {
    let mut claims = json!({
        "sub": "ana", "exp": now() + 600, "iss": "us", "aud": "latimer", "scope": "sites:read", "sites": ["bakery"],
    });
    for (name, value) in more.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims.to_string()
}

fn part(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text)
}

fn signed(header: &str, claims: &str, key: &EncodingKey, algorithm: Algorithm) -> String {
    let message = format!("{}.{}", part(header), part(claims));
    let signature = sign(message.as_bytes(), key, algorithm).unwrap();
    format!("{message}.{signature}")
}

fn hs(header: &str, claims: &str) -> String {
    signed(
        header,
        claims,
        &EncodingKey::from_secret(SECRET.as_bytes()),
        Algorithm::HS256,
    )
}

fn ask(verifier: &Verifier, value: &str) -> Result<Caller, ApiError> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
    verifier.caller(&headers)
}

#[test]
fn good_tokens_are_accepted() {
    let verifier = Verifier::new(&hs256()).unwrap();
    for (header, more) in [
        (HEADER, json!({})),
        (r#"{"alg":"HS256"}"#, json!({ "aud": ["other", "latimer"] })),
        (
            r#"{"alg":"HS256","typ":"at+JWT","kid":"any"}"#,
            json!({ "nbf": now() + 30 }),
        ),
        (HEADER, json!({ "exp": now() - 30, "custom": { "a": 1 } })),
    ] {
        let token = hs(header, &claims(more.clone()));
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let caller = ask(&verifier, &format!("{scheme} {token}")).expect(header);
            assert_eq!(caller.subject, "ana", "{more}");
            assert!(
                caller.has("sites:read") && !caller.has("summary:write") && !caller.has("sites")
            );
            assert!(
                caller.sees(&SiteId::parse("bakery").unwrap())
                    && !caller.sees(&SiteId::parse("shop").unwrap())
            );
        }
    }
    let all = ask(
        &verifier,
        &format!("Bearer {}", hs(HEADER, &claims(json!({ "sites": ["*"] })))),
    )
    .unwrap();
    assert!(all.sees(&SiteId::parse("shop").unwrap()));
}

/// Tokens signed with the right key that must be refused all the same.
fn well_signed() -> Vec<String> {
    let header = |more: &str| format!(r#"{{"alg":"HS256","typ":"JWT",{more}}}"#);
    let good = claims(json!({}));
    let mut forged: Vec<String> = [
        r#""crit":["exp"]"#,
        r#""crit":[]"#,
        r#""crit":["b64"],"b64":false"#,
        r#""jku":"https://evil.test/jwks""#,
        r#""jwk":{"kty":"oct","k":"AAAA"}"#,
        r#""x5u":"https://evil.test/x""#,
        r#""x5c":["AAAA"]"#,
        r#""zip":"DEF""#,
        r#""kid":5"#,
        r#""alg":"HS256""#,
    ]
    .iter()
    .map(|more| hs(&header(more), &good))
    .collect();
    forged.push(hs(r#"{"alg":"HS256","typ":"JWE"}"#, &good));
    forged.push(hs(r#"{"typ":"JWT"}"#, &good));
    forged.push(hs("[]", &good));
    for more in [
        json!({ "exp": null }),
        json!({ "exp": now() - 120 }),
        json!({ "exp": (now() + 600).to_string() }),
        json!({ "exp": -1 }),
        json!({ "exp": true }),
        json!({ "exp": 0 }),
        json!({ "nbf": now() + 120 }),
        json!({ "nbf": "soon" }),
        json!({ "sub": null }),
        json!({ "sub": "" }),
        json!({ "sub": 7 }),
        json!({ "sub": "a\nb" }),
        json!({ "sub": "x".repeat(256) }),
        json!({ "iss": null }),
        json!({ "iss": "them" }),
        json!({ "iss": ["us", "them"] }),
        json!({ "aud": null }),
        json!({ "aud": "other" }),
        json!({ "aud": [] }),
        json!({ "aud": 1 }),
        json!({ "scope": ["sites:read"] }),
        json!({ "sites": "*" }),
        json!({ "sites": [1] }),
        json!({ "long": "x".repeat(9000) }),
    ] {
        forged.push(hs(HEADER, &claims(more)));
    }
    for twice in [
        r#""sub":"admin""#,
        r#""exp":9999999999"#,
        r#""sites":["*"]"#,
        r#""other":1,"other":2"#,
    ] {
        forged.push(hs(HEADER, &good.replacen('{', &format!("{{{twice},"), 1)));
    }
    forged.push(hs(
        HEADER,
        &good.replace("\"sub\"", "\"exp\":1e400,\"sub\""),
    ));
    forged.push(hs(HEADER, &"[".repeat(5000)));
    forged.push(hs(HEADER, "null"));
    forged
}

/// Tokens whose signature is not the key's.
fn ill_signed() -> Vec<String> {
    let good = claims(json!({}));
    let token = hs(HEADER, &good);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let with = |header: &str, key: &[u8], algorithm| {
        signed(header, &good, &EncodingKey::from_secret(key), algorithm)
    };
    let mut forged: Vec<String> = ["none", "None", "NONE", "nOnE", "", "hs256", "HS999"]
        .iter()
        .map(|name| {
            format!(
                "{}.{}.",
                part(&format!(r#"{{"alg":"{name}"}}"#)),
                part(&good)
            )
        })
        .collect();
    forged.push(with(
        r#"{"alg":"HS384"}"#,
        SECRET.as_bytes(),
        Algorithm::HS384,
    ));
    forged.push(with(
        r#"{"alg":"HS512"}"#,
        SECRET.as_bytes(),
        Algorithm::HS512,
    ));
    forged.push(with(
        r#"{"alg":"RS256"}"#,
        SECRET.as_bytes(),
        Algorithm::HS256,
    ));
    forged.push(with(
        HEADER,
        b"another secret that is long enough for HS256",
        Algorithm::HS256,
    ));
    forged.push(with(HEADER, b"", Algorithm::HS256));
    forged.push(format!("{message}."));
    forged.push(message.to_owned());
    forged.push(format!("{token}.{signature}"));
    forged.push(format!("{token}="));
    forged.push(format!("{token} "));
    forged.push(format!(" {token}"));
    forged.push(format!("{message}.{}", &signature[1..]));
    forged.push(format!(
        "{}.{}.{signature}",
        part(HEADER),
        part(&claims(json!({ "sub": "admin" })))
    ));
    forged.extend([
        String::new(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        "ana:secret".to_owned(),
    ]);
    forged
}

#[test]
fn forged_tokens_are_refused() {
    let verifier = Verifier::new(&hs256()).unwrap();
    let forged: Vec<String> = well_signed().into_iter().chain(ill_signed()).collect();
    assert!(forged.len() >= 40, "{}", forged.len());
    for token in &forged {
        let refused = ask(&verifier, &format!("Bearer {token}"));
        assert!(
            matches!(
                refused,
                Err(ApiError::InvalidToken | ApiError::ExpiredToken)
            ),
            "{token:.200}: {refused:?}"
        );
    }
    let good = hs(HEADER, &claims(json!({})));
    for value in [
        format!("Basic {good}"),
        good.clone(),
        format!("Bearer: {good}"),
        "Bearer".to_owned(),
    ] {
        assert!(ask(&verifier, &value).is_err(), "{value:.20}");
    }
    let mut twice = HeaderMap::new();
    for _ in 0..2 {
        twice.append(
            AUTHORIZATION,
            HeaderValue::from_str(&format!("Bearer {good}")).unwrap(),
        );
    }
    assert!(verifier.caller(&twice).is_err());
    assert_eq!(
        verifier.caller(&HeaderMap::new()),
        Err(ApiError::MissingToken)
    );
}

#[test]
fn public_keys_check_their_own_signatures_only() {
    let good = claims(json!({}));
    let pairs = [
        (
            JwtAlgorithm::Rs256,
            Algorithm::RS256,
            "rsa",
            EncodingKey::from_rsa_pem(&pem("rsa.pem")).unwrap(),
        ),
        (
            JwtAlgorithm::Es256,
            Algorithm::ES256,
            "ec",
            EncodingKey::from_ec_pem(&pem("ec.pem")).unwrap(),
        ),
        (
            JwtAlgorithm::EdDsa,
            Algorithm::EdDSA,
            "ed",
            EncodingKey::from_ed_pem(&pem("ed.pem")).unwrap(),
        ),
    ];
    let tokens: Vec<String> = pairs
        .iter()
        .map(|(_, algorithm, _, key)| {
            signed(
                &format!(r#"{{"alg":"{algorithm:?}","kid":"1"}}"#),
                &good,
                key,
                *algorithm,
            )
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    for (at, (configured, algorithm, name, key)) in pairs.iter().enumerate() {
        let public = format!("{name}.pub.pem");
        let mut jwk = serde_json::to_value(
            jsonwebtoken::jwk::Jwk::from_encoding_key(key, *algorithm).unwrap(),
        )
        .unwrap();
        jwk["kid"] = json!("1");
        let jwks = folder.path().join(name);
        std::fs::write(
            &jwks,
            json!({ "keys": [{ "kty": "odd" }, jwk] }).to_string(),
        )
        .unwrap();
        for source in [
            KeySource::PublicKeyFile(keys(&public)),
            KeySource::JwksFile(jwks),
        ] {
            let verifier = Verifier::new(&config(*configured, source.clone())).unwrap();
            let accepted: Vec<bool> = tokens
                .iter()
                .map(|token| ask(&verifier, &format!("Bearer {token}")).is_ok())
                .collect();
            assert_eq!(
                accepted,
                (0..3).map(|other| other == at).collect::<Vec<_>>(),
                "{source:?}"
            );
            let confused = EncodingKey::from_secret(&pem(&public));
            for name in ["HS256", &format!("{algorithm:?}")] {
                let token = signed(
                    &format!(r#"{{"alg":"{name}"}}"#),
                    &good,
                    &confused,
                    Algorithm::HS256,
                );
                assert!(
                    ask(&verifier, &format!("Bearer {token}")).is_err(),
                    "{name}"
                );
            }
        }
        let minted = Verifier::mint(
            &config(*configured, KeySource::PublicKeyFile(keys(&public))),
            &grant(),
            SystemTime::now(),
        );
        assert!(
            minted
                .unwrap_err()
                .to_string()
                .contains("let the issuer mint")
        );
    }
}

fn grant() -> Grant {
    Grant {
        subject: "ana".to_owned(),
        scope: "sites:read".to_owned(),
        sites: vec!["bakery".to_owned()],
        ttl: Duration::from_secs(60),
    }
}

#[test]
fn minted_tokens_are_accepted_until_they_expire() {
    let verifier = Verifier::new(&hs256()).unwrap();
    let mint = |when| {
        format!(
            "Bearer {}",
            Verifier::mint(&hs256(), &grant(), when).unwrap()
        )
    };
    assert!(ask(&verifier, &mint(SystemTime::now())).is_ok());
    assert_eq!(
        ask(
            &verifier,
            &mint(SystemTime::now() - Duration::from_secs(180))
        ),
        Err(ApiError::ExpiredToken)
    );
}

#[test]
fn keys_that_cannot_be_used_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        let path = folder.path().join(text.len().to_string());
        std::fs::write(&path, text).unwrap();
        path
    };
    let check = |algorithm, key, expected: &str| {
        let error = Verifier::new(&config(algorithm, key))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        JwtAlgorithm::Hs256,
        KeySource::Secret("short".to_owned()),
        "openssl rand -hex 32",
    );
    check(
        JwtAlgorithm::Hs256,
        KeySource::SecretFile(file("  short\n\n")),
        "has 5 bytes, and 32 are the least",
    );
    check(
        JwtAlgorithm::Hs256,
        KeySource::SecretFile(folder.path().join("none")),
        "cannot read",
    );
    check(
        JwtAlgorithm::Rs256,
        KeySource::PublicKeyFile(keys("ed.pub.pem")),
        "holds no public key for RS256",
    );
    check(
        JwtAlgorithm::EdDsa,
        KeySource::JwksFile(file("{\"keys\":[]}")),
        "none of its keys",
    );
    check(
        JwtAlgorithm::EdDsa,
        KeySource::JwksFile(file("nonsense")),
        "it is no key set",
    );
    assert!(
        Verifier::new(&config(
            JwtAlgorithm::Hs256,
            KeySource::SecretFile(file(&format!("{SECRET}\n")))
        ))
        .is_ok()
    );
}
