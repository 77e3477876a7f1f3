//! What a page's policy lets load: the live script, and the switcher's style sheet (Content Security Policy Level 3). Pure.

use url::Url;

/// Returns the directive of one Content Security Policy that blocks `script` on `page`, with name and values as written. Returns `None`
/// if the policy allows the script. `sandbox` counts first, then the directive for scripts.
///
/// A nonce or a hash counts as blocking: only the HTTP response could satisfy it. `page` resolves `'self'` and relative schemes.
pub fn forbidding<'p>(policy: &'p str, page: &Url, script: &Url) -> Option<&'p str> {
    if let Some(sandbox) =
        directive(policy, "sandbox").filter(|sandbox| !has(sandbox, "allow-scripts"))
    {
        return Some(sandbox);
    }
    let scripts = scripts(policy)?;
    let sources = || scripts.split_ascii_whitespace().skip(1);
    let allows = |source: &str| allows(source, page, script);
    (has(scripts, "'strict-dynamic'") || !sources().any(allows)).then_some(scripts)
}

/// What of a policy forbids a style sheet at an address: the directive, as it is written; nothing when none does. A nonce or a hash in
/// it is no reason to allow the style sheet, which has neither.
pub fn forbidding_style<'p>(policy: &'p str, page: &Url, style: &Url) -> Option<&'p str> {
    let styles = ["style-src-elem", "style-src", "default-src"]
        .into_iter()
        .find_map(|name| directive(policy, name))?;
    let is_allowed = styles
        .split_ascii_whitespace()
        .skip(1)
        .any(|source| allows(source, page, style));
    (!is_allowed).then_some(styles)
}

/// Whether a policy forbids what stands in the page itself, as an import map does, unless a nonce or a hash allows it.
pub fn forbids_inline(policy: &str) -> bool {
    scripts(policy).is_some_and(refuses_inline)
}

/// Whether a policy forbids event handlers in attributes.
pub fn forbids_handlers(policy: &str) -> bool {
    let handlers = ["script-src-attr", "script-src", "default-src"]
        .into_iter()
        .find_map(|name| directive(policy, name));
    handlers.is_some_and(refuses_inline)
}

/// Whether a directive does not allow inline scripts as such.
fn refuses_inline(directive: &str) -> bool {
    // Beside a nonce or a hash, the word that allows everything counts for nothing.
    let is_strict = |source: &str| {
        let source = source.to_ascii_lowercase();
        ["'nonce-", "'sha256-", "'sha384-", "'sha512-"]
            .iter()
            .any(|start| source.starts_with(start))
            || source == "'strict-dynamic'"
    };
    !has(directive, "'unsafe-inline'") || directive.split_ascii_whitespace().skip(1).any(is_strict)
}

/// The directive that says which scripts may run.
fn scripts(policy: &str) -> Option<&str> {
    ["script-src-elem", "script-src", "default-src"]
        .into_iter()
        .find_map(|name| directive(policy, name))
}

fn directive<'p>(policy: &'p str, name: &str) -> Option<&'p str> {
    let named = |directive: &&str| {
        directive
            .split_ascii_whitespace()
            .next()
            .is_some_and(|first| first.eq_ignore_ascii_case(name))
    };
    policy.split(';').map(str::trim).find(named)
}

fn has(directive: &str, word: &str) -> bool {
    directive
        .split_ascii_whitespace()
        .any(|source| source.eq_ignore_ascii_case(word))
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
    let (scheme, rest) = source
        .split_once("://")
        .map_or((page.scheme(), source.as_str()), |(scheme, rest)| {
            (scheme, rest)
        });
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let (host, port) = host
        .rsplit_once(':')
        .map_or((host, None), |(host, port)| (host, Some(port)));
    let own = script.host_str().unwrap_or_default();
    let is_host = match host.strip_prefix("*.") {
        Some(parent) => own
            .strip_suffix(parent)
            .is_some_and(|label| label.ends_with('.')),
        None => own == host,
    };
    let own_port = script
        .port_or_known_default()
        .map(|port| port.to_string())
        .unwrap_or_default();
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
        for allowed in [
            "",
            "img-src 'none'",
            "script-src 'self' 'unsafe-inline'",
            "default-src * 'Unsafe-Inline'",
        ] {
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
    fn the_style_sheet_of_the_switcher_has_to_be_allowed_r_s23() {
        let page = Url::parse("https://es.example.com/a/").unwrap();
        let style = Url::parse("https://es.example.com/_latimer/switcher.0.css").unwrap();
        for allowed in [
            "",
            "script-src 'none'",
            "default-src 'none'; style-src 'self'",
            "default-src 'self'; style-src-attr 'none'",
            "style-src 'nonce-abc' https:",
            "style-src 'none'; style-src-elem *.example.com",
            "style-src https://es.example.com/_latimer/",
        ] {
            assert_eq!(forbidding_style(allowed, &page, &style), None, "{allowed}");
        }
        for (forbidden, by) in [
            ("default-src 'none'", "default-src 'none'"),
            (
                "default-src 'self'; style-src 'unsafe-inline'",
                "style-src 'unsafe-inline'",
            ),
            (
                "style-src 'nonce-abc' 'strict-dynamic'",
                "style-src 'nonce-abc' 'strict-dynamic'",
            ),
            ("style-src 'sha256-abc'", "style-src 'sha256-abc'"),
            (
                "style-src 'self'; style-src-elem https://cdn.example",
                "style-src-elem https://cdn.example",
            ),
        ] {
            assert_eq!(
                forbidding_style(forbidden, &page, &style),
                Some(by),
                "{forbidden}"
            );
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
            (
                "default-src 'self'; script-src 'nonce-1'",
                "script-src 'nonce-1'",
            ),
            (
                "script-src 'self' 'strict-dynamic'",
                "script-src 'self' 'strict-dynamic'",
            ),
            ("script-src example.com", "script-src example.com"),
            (
                "script-src https://es.example.com/js/",
                "script-src https://es.example.com/js/",
            ),
            (
                "script-src es.example.com:8443",
                "script-src es.example.com:8443",
            ),
            ("sandbox", "sandbox"),
            ("script-src", "script-src"),
        ] {
            assert_eq!(
                forbidding(forbidden, &page, &script),
                Some(by),
                "{forbidden}"
            );
        }
    }
}
