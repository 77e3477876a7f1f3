//! Which public addresses callers of the API may give to their sites.
//!
//! A suffix under which anybody can have a name, such as `com` or `github.io`, belongs to nobody. The public suffix list
//! names them; its last rule, that every other top level is one too, does not count here, because `localhost`, `test`
//! and `lan` are what people try things with.

use super::keys::LANG;
use super::{Config, SettingError, SettingFault, SiteConfig, UrlPattern};

/// Stands for any language in a host; no suffix of the list and no host of a filter is called so.
const ANY: &str = "latimer-any-language";

impl Config {
    /// Checks that a caller may give a site its public address.
    ///
    /// # Errors
    /// A [`SettingError`] that says why not.
    pub fn check_public_host(&self, site: &SiteConfig) -> Result<(), SettingError> {
        let Some(pattern) = &site.url else {
            return Ok(());
        };
        let labels = site
            .locales
            .iter()
            .flat_map(|locale| [site.label(locale), locale.as_str()])
            .chain([ANY]);
        let hosts: Vec<String> = labels.map(|label| name(&pattern.host(label))).collect();
        let error = |fault, message: String| {
            Err(SettingError {
                field: "url".to_owned(),
                fault,
                message,
            })
        };
        match &self.api.hosts_allowed {
            Some(allowed) if hosts.iter().all(|host| allowed.allows(host)) => Ok(()),
            Some(_) => error(
                SettingFault::Host,
                "is at a host that sites may not have here".to_owned(),
            ),
            None => match common_suffix(pattern)
                .or_else(|| hosts.into_iter().find(|host| is_public_suffix(host)))
            {
                Some(suffix) => {
                    let message =
                        format!("would take all of {suffix}, under which anybody can have a name");
                    error(SettingFault::Suffix, message)
                }
                None => Ok(()),
            },
        }
    }
}

/// What comes after the language in a host, where it is a public suffix.
fn common_suffix(pattern: &UrlPattern) -> Option<String> {
    let host = name(&pattern.host(LANG));
    let after = host.split_once(LANG)?.1.trim_start_matches('.');
    (after.is_empty() || is_public_suffix(after)).then(|| format!(".{after}"))
}

/// A host without its port.
fn name(host: &str) -> String {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
        _ => host.to_owned(),
    }
}

fn is_public_suffix(host: &str) -> bool {
    psl::suffix(host.as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == host.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::SiteSettings;
    use super::*;
    use crate::model::SiteId;

    #[track_caller]
    fn check(api: &str, url: &str, expected: Option<SettingFault>) {
        let file = format!(
            "[[site]]\nid = \"a\"\nsource = \"s\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n[api]\n{api}\n"
        );
        let config = Config::parse(&file, Path::new("/x/latimer.toml"), &|_| None).unwrap();
        let settings = SiteSettings {
            source_url: "https://www.example.com/".to_owned(),
            source_locale: "en".to_owned(),
            target_langs: vec!["es".to_owned(), "de".to_owned()],
            url: Some(url.to_owned()),
            ..SiteSettings::default()
        };
        let site = config
            .added_site(&SiteId::parse("b").unwrap(), &settings)
            .unwrap();
        assert_eq!(
            config
                .check_public_host(&site)
                .err()
                .map(|error| error.fault),
            expected,
            "{api} {url}"
        );
    }

    #[test]
    fn suffixes_that_everybody_shares_are_nobodys() {
        let suffix = Some(SettingFault::Suffix);
        for (url, expected) in [
            ("https://{lang}.com", suffix),
            ("https://{lang}.COM.", suffix),
            ("https://{lang}.co.uk", suffix),
            ("https://{lang}.github.io", suffix),
            ("https://{lang}.xn--55qx5d.cn", suffix),
            ("https://{lang}.公司.cn", suffix),
            ("https://{lang}.kawasaki.jp", suffix),
            ("https://{lang}.ck", suffix),
            ("https://shop.{lang}", suffix),
            ("https://shop.{lang}.com", suffix),
            ("https://github.io/{lang}", suffix),
            ("https://com/{lang}", suffix),
            ("https://{lang}.example.com", None),
            ("https://{lang}.example.co.uk", None),
            ("https://ana.github.io/{lang}", None),
            ("http://{lang}.localhost:8080", None),
            ("http://localhost/{lang}", None),
            ("http://{lang}.test", None),
            ("http://shop.lan/{lang}", None),
            ("http://127.0.0.1/{lang}", None),
        ] {
            check("", url, expected);
        }
    }

    #[test]
    fn hosts_allowed_bound_what_callers_may_name_and_go_before_the_list() {
        let host = Some(SettingFault::Host);
        let allowed =
            "hosts_allowed = [\"*.customers.example\", \"www.fixed.example\", \"*.github.io\"]";
        for (url, expected) in [
            ("https://{lang}.customers.example", None),
            ("https://{lang}.ana.Customers.example.:8443", None),
            ("https://ana.customers.example/{lang}", None),
            ("https://www.fixed.example/{lang}", None),
            ("https://{lang}.github.io", None),
            ("https://customers.example/{lang}", host),
            ("https://{lang}.fixed.example", host),
            ("https://{lang}.example.com", host),
            ("https://{lang}.com", host),
        ] {
            check(allowed, url, expected);
        }
        check("hosts_allowed = []", "https://{lang}.example.com", host);
    }
}
