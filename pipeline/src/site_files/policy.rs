//! Whether a page's policy lets the live script run (Content Security Policy Level 3). Pure.

use url::Url;

/// What of a policy forbids scripts from an address: the directive, as it is written; nothing when none does.
///
/// Where it cannot be decided without the answer that the page comes in (nonces, hashes), it counts as forbidden.
pub fn forbidding<'p>(policy: &'p str, page: &Url, script: &Url) -> Option<&'p str> {
    if let Some(sandbox) = directive(policy, "sandbox").filter(|sandbox| !has(sandbox, "allow-scripts")) {
        return Some(sandbox);
    }
    let scripts = scripts(policy)?;
    let sources = || scripts.split_ascii_whitespace().skip(1);
    let allows = |source: &str| allows(source, page, script);
    (has(scripts, "'strict-dynamic'") || !sources().any(allows)).then_some(scripts)
}

/// Whether a policy forbids what stands in the page itself, as an import map does, unless a nonce or a hash allows it.
pub fn forbids_inline(policy: &str) -> bool {
    scripts(policy).is_some_and(refuses_inline)
}

/// Whether a policy forbids event handlers in attributes.
pub fn forbids_handlers(policy: &str) -> bool {
    let handlers =
        ["script-src-attr", "script-src", "default-src"].into_iter().find_map(|name| directive(policy, name));
    handlers.is_some_and(refuses_inline)
}

/// Whether a directive does not allow inline scripts as such.
fn refuses_inline(directive: &str) -> bool {
    // Beside a nonce or a hash, the word that allows everything counts for nothing.
    let is_strict = |source: &str| {
        let source = source.to_ascii_lowercase();
        ["'nonce-", "'sha256-", "'sha384-", "'sha512-"].iter().any(|start| source.starts_with(start))
            || source == "'strict-dynamic'"
    };
    !has(directive, "'unsafe-inline'") || directive.split_ascii_whitespace().skip(1).any(is_strict)
}

/// The directive that says which scripts may run.
fn scripts(policy: &str) -> Option<&str> {
    ["script-src-elem", "script-src", "default-src"].into_iter().find_map(|name| directive(policy, name))
}

fn directive<'p>(policy: &'p str, name: &str) -> Option<&'p str> {
    let named = |directive: &&str| {
        directive.split_ascii_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(name))
    };
    policy.split(';').map(str::trim).find(named)
}

fn has(directive: &str, word: &str) -> bool {
    directive.split_ascii_whitespace().any(|source| source.eq_ignore_ascii_case(word))
}

/// Whether a source expression names the address (section 6.7.2.8).
fn allows(source: &str, page: &Url, script: &Url) -> bool {
    let source = source.to_ascii_lowercase();
    if source == "'self'" {
        return page.origin() == script.origin();
    }
    if source == "*" {
        return matches!(script.scheme(), "http" | "https");
    }
    if let Some(scheme) = source.strip_suffix(':') {
        return is_scheme(scheme, script);
    }
    let (scheme, rest) =
        source.split_once("://").map_or((page.scheme(), source.as_str()), |(scheme, rest)| (scheme, rest));
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let (host, port) = host.rsplit_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let own = script.host_str().unwrap_or_default();
    let is_host = match host.strip_prefix("*.") {
        Some(parent) => own.strip_suffix(parent).is_some_and(|label| label.ends_with('.')),
        None => own == host,
    };
    let own_port = script.port_or_known_default().map(|port| port.to_string()).unwrap_or_default();
    let is_port = match port {
        Some(port) => port == "*" || port == own_port,
        None => script.port().is_none(),
    };
    let is_path = path.is_none_or(|path| match path {
        "" => true,
        path if path.ends_with('/') => script.path()[1..].starts_with(path),
        path => &script.path()[1..] == path,
    });
    is_scheme(scheme, script) && is_host && is_port && is_path
}

/// Whether an address has a scheme, or the safer one of it.
fn is_scheme(scheme: &str, script: &Url) -> bool {
    script.scheme() == scheme || (scheme == "http" && script.scheme() == "https")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_page_is_forbidden_unless_nothing_else_is_asked_for() {
        for allowed in ["", "img-src 'none'", "script-src 'self' 'unsafe-inline'", "default-src * 'Unsafe-Inline'"] {
            assert!(!forbids_inline(allowed), "{allowed}");
        }
        for forbidden in [
            "default-src 'self'",
            "script-src 'unsafe-inline' 'nonce-abc'",
            "script-src 'SHA256-abc' 'unsafe-inline'",
            "script-src 'unsafe-inline' 'strict-dynamic'",
            "script-src 'unsafe-inline'; script-src-elem *",
        ] {
            assert!(forbids_inline(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn event_handlers_have_a_directive_of_their_own_r_s13() {
        for allowed in [
            "",
            "img-src 'none'",
            "script-src 'self' 'unsafe-inline'",
            "script-src 'self'; script-src-attr 'unsafe-inline'",
            "script-src-elem 'self'",
        ] {
            assert!(!forbids_handlers(allowed), "{allowed}");
        }
        for forbidden in [
            "default-src 'self'",
            "script-src 'unsafe-inline' 'nonce-abc'",
            "script-src 'unsafe-inline'; script-src-attr 'none'",
            "script-src-elem 'unsafe-inline'; default-src 'self'",
        ] {
            assert!(forbids_handlers(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn a_policy_is_read_as_browsers_read_it() {
        let page = Url::parse("https://es.example.com/a/").unwrap();
        let script = Url::parse("https://es.example.com/_latimer/live.0.js").unwrap();
        for allowed in [
            "",
            "img-src 'none'",
            "default-src 'self'",
            "default-src 'none'; script-src 'SELF'",
            "script-src 'none'; script-src-elem *",
            "script-src https:",
            "script-src *.example.com 'nonce-1'",
            "script-src https://es.example.com/_latimer/",
            "sandbox allow-scripts; default-src es.example.com:443",
        ] {
            assert_eq!(forbidding(allowed, &page, &script), None, "{allowed}");
        }
        for (forbidden, by) in [
            ("default-src 'none'", "default-src 'none'"),
            ("default-src 'self'; script-src 'nonce-1'", "script-src 'nonce-1'"),
            ("script-src 'self' 'strict-dynamic'", "script-src 'self' 'strict-dynamic'"),
            ("script-src example.com", "script-src example.com"),
            ("script-src https://es.example.com/js/", "script-src https://es.example.com/js/"),
            ("script-src es.example.com:8443", "script-src es.example.com:8443"),
            ("sandbox", "sandbox"),
            ("script-src", "script-src"),
        ] {
            assert_eq!(forbidding(forbidden, &page, &script), Some(by), "{forbidden}");
        }
    }
}
