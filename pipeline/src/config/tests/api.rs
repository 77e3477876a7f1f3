//! The tables of the API and of previews.

use super::*;

#[test]
fn the_api_is_off_until_somebody_may_use_it() {
    let api = parse(SITE, &[]).unwrap().api;
    assert_eq!(
        (api.jwt, api.cors_origins.len(), api.cache_bytes),
        (None, 0, 268_435_456)
    );
    assert_eq!(
        parse(&format!("{SITE}[api]\ncache_bytes = 0\n"), &[])
            .unwrap()
            .api
            .cache_bytes,
        0
    );
    let text = "[api]\ncors_origins = [\"https://Dash.example.com/\"]\n\
                jwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\", audience = \"latimer\" }\n\
                [api.limits]\nread = 0\nwrite = \"2/s burst 5\"\n";
    let api = parse(&format!("{SITE}{text}"), &[]).unwrap().api;
    assert_eq!(api.cors_origins, ["https://dash.example.com"]);
    assert_eq!(api.limits.read, None);
    assert_eq!(
        api.limits.write,
        Some(RateLimit {
            interval: std::time::Duration::from_millis(500),
            burst: 5
        })
    );
    assert_eq!(api.limits.failed_logins.unwrap().burst, 20);
    let jwt = api.jwt.unwrap();
    assert_eq!(
        jwt.key,
        KeySource::SecretFile("/etc/latimer/jwt.secret".into())
    );
    assert_eq!(
        (jwt.issuer, jwt.audience),
        (None, Some("latimer".to_owned()))
    );
    let environment = [("LATIMER_JWT_SECRET", "from the environment")];
    let jwt = parse(&format!("{SITE}{text}"), &environment)
        .unwrap()
        .api
        .jwt
        .unwrap();
    assert_eq!(
        jwt.key,
        KeySource::Secret("from the environment".to_owned())
    );
    assert!(!format!("{jwt:?}").contains("from the environment"));
}

#[test]
fn what_stands_around_the_api_is_read() {
    let api = parse(SITE, &[]).unwrap().api;
    assert!(api.hosts.is_empty() && api.trusted_proxies.is_empty());
    assert_eq!((api.access_log, api.metrics_listen), (false, None));
    let text = "[api]\nhosts = [\"API.example.com\", \"localhost:8080\", \"[::1]\", \"[::1]:80\"]\n\
                trusted_proxies = [\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\"]\n\
                access_log = true\nmetrics_listen = \"127.0.0.1:9090\"\n";
    let api = parse(&format!("{SITE}{text}"), &[]).unwrap().api;
    assert_eq!(
        api.hosts,
        ["api.example.com", "localhost:8080", "[::1]", "[::1]:80"]
    );
    let networks: Vec<_> = api
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(networks, ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"]);
    assert_eq!(
        (api.access_log, api.metrics_listen.unwrap().port()),
        (true, 9090)
    );
}

#[test]
fn what_is_wrong_with_the_api_is_said() {
    let rate = "`read` must be a rate such as \"60/min burst 20\" or \"5/s\", or 0 for no limit";
    let origin = "`cors_origins` must be an origin such as \"https://dashboard.example.com\", without a path";
    let host =
        "`hosts` must be a host such as \"api.example.com\", with a port only if the port counts";
    let network = "`trusted_proxies` must be an address or a network, such as \"127.0.0.1\" or \"10.0.0.0/8\"";
    for (more, column, message) in [
        (
            "jwt = { algorithm = \"HS512\" }",
            21,
            "`algorithm` must be \"HS256\" or \"RS256\" or \"ES256\" or \"EdDSA\"",
        ),
        (
            "jwt = { algorithm = \"RS256\", secret_file = \"x\" }",
            44,
            "`secret_file` does not fit the algorithm; it needs `public_key_file` or `jwks_file`",
        ),
        (
            "jwt = { algorithm = \"EdDSA\" }",
            7,
            "`jwt` has no key; add public_key_file = \"issuer.pem\" or jwks_file",
        ),
        ("limits = { read = \"many\" }", 19, rate),
        ("limits = { read = \"0/min\" }", 19, rate),
        ("cors_origins = [\"https://a.test/x\"]", 17, origin),
        ("cors_origins = [\"*\"]", 17, origin),
        ("hosts = [\"https://api.test\"]", 10, host),
        ("hosts = [\"api.test/x\"]", 10, host),
        ("hosts = [\"a b\"]", 10, host),
        ("trusted_proxies = [\"10.0.0.0/33\"]", 20, network),
        ("trusted_proxies = [\"proxy.test\"]", 20, network),
        (
            "access_log = \"stderr\"",
            14,
            "`access_log` must be true or false",
        ),
        (
            "metrics_listen = 9090",
            18,
            "`metrics_listen` must be an address and a port such as \"127.0.0.1:8080\"",
        ),
    ] {
        check(&format!("[api]\n{more}\n"), 2, column, message);
    }
    let error = parse(
        &format!("{SITE}[api]\njwt = {{ algorithm = \"HS256\" }}\n"),
        &[],
    )
    .unwrap_err();
    assert!(error.message().contains("openssl rand -hex 32"), "{error}");
}

#[test]
fn previews_are_guarded_until_somebody_says_otherwise() {
    let preview = parse(SITE, &[]).unwrap().preview;
    assert!(
        preview.engines.is_empty()
            && !preview.allow_private
            && preview.allow_hosts.allows("a.example")
    );
    assert_eq!(
        (preview.max_chars, preview.ttl.as_secs()),
        (20_000, 72 * 60 * 60)
    );
    let text = "[preview]\nengine = [\"pseudo\"]\nallow_hosts = [\"a.example\", \"*.B.example\", \"bücher.example\"]\n\
                allow_private = true\nmax_chars = 5\nttl = \"30min\"\n\
                [api]\npreview_tokens_file = \"tokens\"\n";
    let config = parse(
        &format!("{SITE}{text}"),
        &[("LATIMER_PREVIEW_STATUS_TOKEN", "hush")],
    )
    .unwrap();
    let preview = config.preview;
    assert_eq!((preview.engines.len(), preview.allow_private), (1, true));
    assert_eq!((preview.max_chars, preview.ttl.as_secs()), (5, 1800));
    for (host, allowed) in [
        ("a.example", true),
        ("x.a.example", false),
        ("b.example", false),
        ("x.y.b.example", true),
        ("xb.example", false),
        ("xn--bcher-kva.example", true),
    ] {
        assert_eq!(preview.allow_hosts.allows(host), allowed, "{host}");
    }
    assert_eq!(
        config.api.preview_tokens,
        Some(SecretSource::File("/etc/latimer/tokens".into()))
    );
    assert_eq!(
        config.api.preview_status_token,
        Some(SecretSource::Text("hush".to_owned()))
    );
    assert!(!format!("{:?}", config.api).contains("hush"));
    let host = "`allow_hosts` must be a host such as \"www.example.com\", \"*.example.com\" for all below it, or \"*\"";
    let time = "`ttl` must be a time such as \"72h\", \"30min\" or \"7d\", at most 366 days";
    for (more, column, message) in [
        ("allow_hosts = [\"https://a.example\"]", 16, host),
        ("allow_hosts = [\"a*.example\"]", 16, host),
        ("allow_hosts = [\"a.example:80\"]", 16, host),
        ("ttl = \"0s\"", 7, time),
        ("ttl = \"2 weeks\"", 7, time),
        ("ttl = \"9999999d\"", 7, time),
    ] {
        check(&format!("[preview]\n{more}\n"), 2, column, message);
    }
}
