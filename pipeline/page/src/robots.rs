//! Statements to crawlers, in `<meta name="robots">` and in the header `X-Robots-Tag`.

/// The names that speak to every crawler, and to the one that most sites are written for.
const EVERYBODY: [&str; 2] = ["robots", "*"];
const GOOGLEBOT: &str = "googlebot";

/// Rules with a value, which a colon begins; elsewhere in a header, a colon ends the name of a crawler.
const VALUED: [&str; 4] = [
    "max-image-preview",
    "max-snippet",
    "max-video-preview",
    "unavailable_after",
];

/// Statement of a header to one crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsStatement {
    /// The name of the crawler as written. `None` if the statement is for all.
    pub crawler: Option<String>,
    /// Its rules as written, between commas.
    pub rules: String,
}

/// The rules among those of a statement that decide about pages and links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsRules {
    /// The page is to be left out (`noindex` or `none`).
    pub noindex: bool,
    /// Its links are not to be followed (`nofollow` or `none`).
    pub nofollow: bool,
}

impl RobotsRules {
    /// Reads rules between commas or spaces. The value of a rule (`max-image-preview: none`) is none itself.
    pub fn read(text: &str) -> Self {
        let mut rules = Self::default();
        for part in text.split(',') {
            for word in part
                .split_whitespace()
                .take_while(|word| !word.contains(':'))
            {
                let is = |name: &str| {
                    word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case("none")
                };
                rules.noindex |= is("noindex");
                rules.nofollow |= is("nofollow");
            }
        }
        rules
    }

    /// The rules of a statement to a crawler that count here: of those to Googlebot alone, `noindex` does.
    pub fn of_crawler(crawler: Option<&str>, rules: &str) -> Self {
        let is =
            |name: &str| crawler.is_some_and(|crawler| crawler.trim().eq_ignore_ascii_case(name));
        if crawler.is_none() || EVERYBODY.into_iter().any(is) {
            return Self::read(rules);
        }
        Self {
            noindex: is(GOOGLEBOT) && Self::read(rules).noindex,
            nofollow: false,
        }
    }
}

impl RobotsStatement {
    /// Reads the value of an `X-Robots-Tag` header, such as `noindex, otherbot: nofollow`.
    pub fn read(header: &str) -> Vec<Self> {
        let mut statements: Vec<Self> = Vec::new();
        for part in header
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            match (crawler(part), statements.last_mut()) {
                (Some((name, rules)), _) => {
                    statements.push(Self {
                        crawler: Some(name.to_owned()),
                        rules: rules.to_owned(),
                    });
                }
                (None, Some(last)) if last.rules.is_empty() => part.clone_into(&mut last.rules),
                (None, Some(last)) => {
                    last.rules.push_str(", ");
                    last.rules.push_str(part);
                }
                (None, None) => statements.push(Self {
                    crawler: None,
                    rules: part.to_owned(),
                }),
            }
        }
        statements
    }

    /// Several headers as one. A rule without a name would belong to the crawler named before it, so those come first.
    pub fn join<'h>(headers: impl Iterator<Item = &'h str>) -> String {
        let mut to_all = Vec::new();
        let mut to_some = Vec::new();
        for statement in headers.flat_map(Self::read) {
            match statement.crawler {
                None => to_all.push(statement.rules),
                Some(crawler) => to_some.push(format!("{crawler}: {}", statement.rules)),
            }
        }
        to_all.extend(to_some);
        to_all.join(", ")
    }
}

/// The crawler that a part of a header names, and the rule after it. Times in dates have colons, too, but spaces before them.
fn crawler(part: &str) -> Option<(&str, &str)> {
    let (name, rules) = part.split_once(':')?;
    let name = name.trim();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.*/".contains(&byte);
    let is_rule = VALUED.iter().any(|rule| name.eq_ignore_ascii_case(rule));
    (!name.is_empty() && name.bytes().all(is_name) && !is_rule).then(|| (name, rules.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told_from_their_values_r_s5() {
        for (text, noindex, nofollow) in [
            ("noindex", true, false),
            ("NOINDEX,follow", true, false),
            ("noindex nofollow", true, true),
            ("none", true, true),
            ("nosnippet, max-image-preview:none", false, false),
            ("max-image-preview: none", false, false),
            ("max-image-preview : none, nofollow", false, true),
            ("unavailable_after: 2030-01-01", false, false),
            ("noindexing", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                RobotsRules::read(text),
                RobotsRules { noindex, nofollow },
                "{text}"
            );
        }
    }

    #[test]
    fn two_names_count_and_others_do_not_r_s5() {
        for (crawler, noindex, nofollow) in [
            (None, true, true),
            (Some("robots"), true, true),
            (Some("*"), true, true),
            (Some("GoogleBot"), true, false),
            (Some("googlebot-news"), false, false),
            (Some("bingbot"), false, false),
            (Some("GPTBot"), false, false),
        ] {
            assert_eq!(
                RobotsRules::of_crawler(crawler, "none"),
                RobotsRules { noindex, nofollow },
                "{crawler:?}"
            );
        }
    }

    #[test]
    fn headers_are_cut_into_statements_and_joined_again_r_s5() {
        for (headers, expected) in [
            (vec!["noindex, nofollow"], vec![(None, "noindex, nofollow")]),
            (
                vec!["otherbot: noindex, nofollow", "noarchive"],
                vec![(None, "noarchive"), (Some("otherbot"), "noindex, nofollow")],
            ),
            (
                vec![
                    "unavailable_after: Wednesday, 25-Jun-30 15:00:00 PST, googlebot: unavailable_after: 1 Jan 2031",
                ],
                vec![
                    (None, "unavailable_after: Wednesday, 25-Jun-30 15:00:00 PST"),
                    (Some("googlebot"), "unavailable_after: 1 Jan 2031"),
                ],
            ),
            (
                vec![" , ", "GPTBot:", "noai"],
                vec![(None, "noai"), (Some("GPTBot"), "")],
            ),
        ] {
            let joined = RobotsStatement::join(headers.iter().copied());
            let read = RobotsStatement::read(&joined);
            let read: Vec<_> = read
                .iter()
                .map(|one| (one.crawler.as_deref(), one.rules.as_str()))
                .collect();
            assert_eq!(read, expected, "{joined}");
        }
    }
}
