//! Addresses with a user part: refused under every key, and never repeated.

use super::{SITE, check, check_whole, parse};

/// The message about such an address under a key.
fn refusal(key: &str) -> String {
    format!(
        "`{key}` holds a user or a password, which would be printed and stored; write the address without it (a site's \
         login goes into `headers_file` in [site.crawl], an engine's key into `key_file`)"
    )
}

#[test]
fn addresses_with_a_user_part_are_refused_under_every_key() {
    for (more, line, column, key) in [
        (
            "source_url = \"https://ana:hush@h.example\"",
            1,
            14,
            "source_url",
        ),
        ("url = \"https://ana:hush@h.example/{lang}\"", 1, 7, "url"),
        ("url = \"https://ana:hush@{lang}.h.example\"", 1, 7, "url"),
        (
            "[engine.e]\nkind = \"libretranslate\"\nurl = \"http://hush@h.example\"",
            3,
            7,
            "url",
        ),
        (
            "[store]\nobjects = \"s3://ana:hush@bucket\"",
            2,
            11,
            "objects",
        ),
        (
            "[store]\noptions = { endpoint = \"http://ana:hush@h.example\" }",
            2,
            24,
            "endpoint",
        ),
        (
            "[publish.p]\nkind = \"s3\"\nto = \"s3://ana:hush@bucket\"",
            3,
            6,
            "to",
        ),
        (
            "[publish.p]\nkind = \"s3\"\noptions = { a = \"http://ana:hush@h.example\" }",
            3,
            17,
            "a",
        ),
        ("[admin]\nurl = \"https://ana:hush@h.example\"", 2, 7, "url"),
        ("[mail]\nurl = \"https://ana:hush@h.example\"", 2, 7, "url"),
        (
            "[api]\ncors_origins = [\"https://h.example\", \"https://ana:hush@h.example\"]",
            2,
            38,
            "cors_origins",
        ),
        (
            "[preview]\nallow_hosts = [\"https://ana:hush@h.example\"]",
            2,
            16,
            "allow_hosts",
        ),
        // Neither the rest of an address nor its key need be right.
        (
            "source_url = \"http://ana:hush@h.example:99999\"",
            1,
            14,
            "source_url",
        ),
        ("unknown = \"http://ana:hu/sh@h.example\"", 1, 11, "unknown"),
    ] {
        check(&format!("{more}\n"), line, column, &refusal(key));
    }
    check_whole(
        &SITE.replace("\"src\"", "\"http://ana:hush@h.example/\""),
        3,
        10,
        &refusal("source"),
    );
}

#[test]
fn what_is_no_address_of_latimer_may_hold_a_user() {
    let more = "[engine.e]\nkind = \"command\"\nprogram = \"p\"\nargs = [\"https://ana:hush@h.example\"]\n\
                [publish.p]\nkind = \"command\"\ncommand = [\"p\", \"https://ana:hush@h.example\"]\n\
                [mail]\nsmtp = \"smtps://ana@h.example\"\npassword_file = \"f\"\nfrom = \"Ana <ana@h.example>\"\n\
                url = \"https://h.example\"\n";
    assert!(parse(&format!("{SITE}{more}"), &[]).is_ok());
    let more = more.replace("smtps://ana@", "smtps://ana:hush@");
    let error = parse(&format!("{SITE}{more}"), &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`smtp` holds a password") && !error.contains("hush"),
        "{error}"
    );
}

#[test]
fn addresses_of_the_environment_hold_no_user_either() {
    for (name, value) in [
        ("LATIMER_STORE_OBJECTS", "s3://ana:hush@bucket"),
        ("AWS_ENDPOINT_URL", "http://ana:hush@h.example"),
    ] {
        let text = format!("{SITE}[store]\nobjects = \"s3://bucket\"\n");
        let error = parse(&text, &[(name, value)]).unwrap_err().to_string();
        let said =
            format!("the environment variable {name} holds a user or a password; it must be ");
        assert!(
            error.starts_with(&said) && !error.contains("hush"),
            "{error}"
        );
    }
}
