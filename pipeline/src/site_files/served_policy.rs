//! Policies that a static host sends with its pages, as files of the site tell it to: `_headers` (Netlify, Cloudflare Pages
//! and others) and Apache's `.htaccess`. Pure.

/// The name of the header, in lower case.
const NAME: &str = "content-security-policy";

/// The policies of a site, and which paths each is for.
#[derive(Clone, Debug, Default)]
pub struct ServedPolicies(Vec<PolicyRule>);

#[derive(Clone, Debug)]
struct PolicyRule {
    /// A path in which `*` stands for anything and `:name` for one part of it.
    pattern: String,
    policy: String,
}

impl ServedPolicies {
    /// Reads both files.
    pub fn read(headers: &str, htaccess: &str) -> Self {
        let everywhere = |policy: String| PolicyRule {
            pattern: "/*".to_owned(),
            policy,
        };
        Self(
            of_headers(headers)
                .into_iter()
                .chain(of_htaccess(htaccess).into_iter().map(everywhere))
                .collect(),
        )
    }

    /// The policies that come with a path.
    pub fn of(&self, path: &str) -> Vec<&str> {
        let rules = self
            .0
            .iter()
            .filter(|rule| matches(rule.pattern.as_bytes(), path.as_bytes()));
        rules.flat_map(|rule| policies(&rule.policy)).collect()
    }
}

/// The policies of a header's value, which may be a list of them.
pub fn policies(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(',')
        .map(str::trim)
        .filter(|policy| !policy.is_empty())
}

/// Paths begin a line, what is sent with them is indented below.
fn of_headers(text: &str) -> Vec<PolicyRule> {
    let mut rules = Vec::new();
    let mut pattern = "";
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        if !line.starts_with([' ', '\t']) {
            let address = line.trim();
            // With a host, the path begins at its first slash.
            pattern = match address.split_once("://") {
                Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
                None => address,
            };
        } else if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case(NAME)
        {
            rules.push(PolicyRule {
                pattern: pattern.to_owned(),
                policy: value.trim().to_owned(),
            });
        }
    }
    rules
}

/// `Header [always] set Content-Security-Policy "…"`; on which condition is not asked, but only what stands outside of
/// sections takes a policy back.
fn of_htaccess(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for line in text
        .replace("\\\r\n", " ")
        .replace("\\\n", " ")
        .lines()
        .map(str::trim)
    {
        if line.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if line.starts_with('<') {
            depth += 1;
        }
        let mut words = words(line)
            .into_iter()
            .filter(|word| !word.eq_ignore_ascii_case("always"));
        let mut next = || words.next().unwrap_or_default();
        let directive = next();
        let verb = next().to_ascii_lowercase();
        let name = next();
        let value = next();
        if !directive.eq_ignore_ascii_case("header") || !name.eq_ignore_ascii_case(NAME) {
            continue;
        }
        match verb.as_str() {
            "set" | "unset" if depth == 0 => found.clear(),
            "set" | "unset" | "add" | "append" | "merge" | "setifempty" => {}
            _ => continue,
        }
        found.extend((verb != "unset" && !value.is_empty()).then(|| value.to_owned()));
    }
    found
}

/// The words of a line, those in quotes as one.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '"' | '\'' => rest[1..].split_once(first).unwrap_or((&rest[1..], "")),
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
    words
}

/// Whether a pattern is for a path; linear but for the last `*` that is tried again.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let mut p = 0;
    let mut at = 0;
    let mut star = None;
    while at < path.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, at));
                p += 1;
            }
            Some(b':') if path[at] != b'/' => {
                p += pattern[p..]
                    .iter()
                    .position(|byte| *byte == b'/')
                    .unwrap_or(pattern.len() - p);
                at += path[at..]
                    .iter()
                    .position(|byte| *byte == b'/')
                    .unwrap_or(path.len() - at);
            }
            Some(byte) if *byte == path[at] => (p, at) = (p + 1, at + 1),
            _ => match star {
                Some((place, from)) => {
                    (p, at) = (place + 1, from + 1);
                    star = Some((place, at));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_of_headers_files_are_for_the_paths_above_them() {
        let text = "# ours\n/*\n  X-Frame-Options: DENY\n  Content-Security-Policy: script-src 'none', default-src 'self'\n\
                    https://www.example.com/shop/:item/end\n\tcontent-security-policy: script-src https://a.example\n/es/*.html\n  \
                    Content-Security-Policy: sandbox\n";
        let policies = ServedPolicies::read(text, "");
        let of = |path: &str| {
            policies
                .of(path)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let all = ["script-src 'none'", "default-src 'self'"];
        assert_eq!(of("/a"), all);
        assert_eq!(
            of("/shop/bread/end"),
            [all[0], all[1], "script-src https://a.example"]
        );
        assert_eq!(of("/shop/bread/white/end"), all);
        assert_eq!(of("/es/a.html"), [all[0], all[1], "sandbox"]);
        assert_eq!(of("/es/a.htm"), all);
    }

    #[test]
    fn policies_of_htaccess_files_are_for_all_paths() {
        let of = |text: &str| {
            ServedPolicies::read("", text)
                .of("/a")
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(
                "<IfModule mod_headers.c>\n  Header always set Content-Security-Policy \"script-src 'self'\" env=x\n"
            ),
            ["script-src 'self'"]
        );
        assert_eq!(
            of(
                "Header set \"Content-Security-Policy\" \"default-src 'self'; \\\n script-src 'none'\""
            )[0],
            "default-src 'self';   script-src 'none'"
        );
        assert_eq!(
            of(
                "Header set Content-Security-Policy sandbox\n<Files a>\nHeader unset Content-Security-Policy\n</Files>"
            ),
            ["sandbox"]
        );
        assert_eq!(
            of("Header set content-security-policy sandbox\nheader unset Content-Security-Policy"),
            [""; 0]
        );
        assert_eq!(
            of(
                "Header set X-Other \"Content-Security-Policy\"\nHeader set Content-Security-Policy-Report-Only \"sandbox\""
            ),
            [""; 0]
        );
    }
}
