//! The rules: their names, how much they matter, why they are there and what to do.
//!
//! A name is for ever, because people switch rules off by it. `docs/audit.md` has a heading for each.

use serde::Serialize;

/// A rule. The order is that of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table below describes each")]
pub enum AuditRule {
    HreflangReciprocity,
    HreflangSelf,
    HreflangTargetMissing,
    HreflangTargetRedirects,
    HreflangInvalid,
    HreflangRelative,
    HreflangConflict,
    HreflangOutsideHead,
    HreflangLost,
    XDefault,
    CanonicalConflict,
    CanonicalMultiple,
    CanonicalLost,
    LangMissing,
    LangInvalid,
    LangMismatch,
    DirMismatch,
    OgLocale,
    SitemapHeadConflict,
    SitemapTargetMissing,
    SitemapNoindex,
    SitemapUnreadable,
    NoindexContradiction,
    RobotsLost,
    FragmentChanged,
    SwitcherLink,
    SwitcherSelf,
    LinkBroken,
    LinkLeavesLanguage,
    UntranslatedBlock,
    DuplicateContent,
    EncodingBroken,
    RtlOffscreen,
    RtlPhysical,
    RtlLetterSpacing,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Search engines ignore something, or readers land nowhere.
    Error,
    /// Readers see something that was not meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it, which is SARIF's as well.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// What is known about a rule.
#[derive(Debug)]
pub struct Description {
    /// The rule.
    pub rule: AuditRule,
    /// Its name.
    pub id: &'static str,
    /// How much its findings matter.
    pub severity: Severity,
    /// What it asks for and why, as a sentence.
    pub why: &'static str,
    /// What to do about a finding, as a sentence.
    pub advice: &'static str,
}

const fn rule(
    rule: AuditRule,
    id: &'static str,
    severity: Severity,
    why: &'static str,
    advice: &'static str,
) -> Description {
    Description {
        rule,
        id,
        severity,
        why,
        advice,
    }
}

use Severity::{Error, Note, Warning};

/// Every rule, in the order of [`AuditRule`].
pub static RULES: [Description; 35] = [
    rule(
        AuditRule::HreflangReciprocity,
        "hreflang-reciprocity",
        Error,
        "Two versions of a page have to name each other, or search engines ignore the pair.",
        "Add a link back to this page there.",
    ),
    rule(
        AuditRule::HreflangSelf,
        "hreflang-self",
        Error,
        "A page that names its versions has to name itself among them.",
        "Add a link with the page's own language and address.",
    ),
    rule(
        AuditRule::HreflangTargetMissing,
        "hreflang-target-missing",
        Error,
        "A language version that pages link to must exist.",
        "Publish the page, or take the link away.",
    ),
    rule(
        AuditRule::HreflangTargetRedirects,
        "hreflang-target-redirects",
        Error,
        "A version has to be named by its final address; search engines do not follow from here.",
        "Name the address to which it redirects.",
    ),
    rule(
        AuditRule::HreflangInvalid,
        "hreflang-invalid",
        Error,
        "Search engines know a language of ISO 639-1, a script of ISO 15924 and a country of ISO 3166-1, in this order.",
        "Write the language first, then a country only where it matters, with hyphens: en, en-GB, zh-Hant.",
    ),
    rule(
        AuditRule::HreflangRelative,
        "hreflang-relative",
        Error,
        "Versions have to be named by whole addresses, with https:// and host.",
        "Write the address in full.",
    ),
    rule(
        AuditRule::HreflangConflict,
        "hreflang-conflict",
        Error,
        "One language can be at one address only; search engines ignore both.",
        "Keep the right one, or tell them apart by country.",
    ),
    rule(
        AuditRule::HreflangOutsideHead,
        "hreflang-outside-head",
        Error,
        "Links to versions count in the head only, and the first element that does not belong there ends it.",
        "Move the links to the start of the head, before whatever ends it.",
    ),
    rule(
        AuditRule::HreflangLost,
        "hreflang-lost",
        Error,
        "Versions that the page in the source language names are versions of its translations, too.",
        "Name the version on every page that names this one.",
    ),
    rule(
        AuditRule::XDefault,
        "x-default",
        Error,
        "All versions have to name the same x-default, and it has to answer by itself.",
        "Name one address on every version, that of a page and not of a redirect.",
    ),
    rule(
        AuditRule::CanonicalConflict,
        "canonical-conflict",
        Error,
        "A version's canonical address has to be the address by which the others name it, letter for letter.",
        "Make the page's own address its canonical one, and use that in hreflang.",
    ),
    rule(
        AuditRule::CanonicalMultiple,
        "canonical-multiple",
        Error,
        "A page has one canonical address; of several, search engines ignore all.",
        "Keep the page's own.",
    ),
    rule(
        AuditRule::CanonicalLost,
        "canonical-lost",
        Error,
        "A page that names another page as its canonical one does so in every language, or its translations are duplicates.",
        "Name the version of that page in this language, or the page itself where there is none.",
    ),
    rule(
        AuditRule::LangMissing,
        "lang-missing",
        Error,
        "Screen readers, browsers and spelling checkers go by the language that <html lang> names.",
        "Write lang on the html element.",
    ),
    rule(
        AuditRule::LangInvalid,
        "lang-invalid",
        Error,
        "The language of a page is a tag of BCP 47.",
        "Write a tag such as es, pt-BR or zh-Hant.",
    ),
    rule(
        AuditRule::LangMismatch,
        "lang-mismatch",
        Error,
        "The language that a page claims and the one under which it is named have to be the same.",
        "Correct the one that is wrong.",
    ),
    rule(
        AuditRule::DirMismatch,
        "dir-mismatch",
        Error,
        "A page in a script that runs from right to left has to say so, and no other page may.",
        "Write dir=\"rtl\" on the html element for Arabic, Hebrew, Persian or Urdu, and take it away elsewhere.",
    ),
    rule(
        AuditRule::OgLocale,
        "og-locale",
        Warning,
        "og:locale tells the language of a shared page, as language and country joined by an underscore.",
        "Write the page's own language, such as es_ES.",
    ),
    rule(
        AuditRule::SitemapHeadConflict,
        "sitemap-head-conflict",
        Error,
        "Where both the head and a sitemap name versions, they have to name the same ones.",
        "Make both from one list, or keep one of them.",
    ),
    rule(
        AuditRule::SitemapTargetMissing,
        "sitemap-target-missing",
        Error,
        "What a sitemap lists has to be there, at that address.",
        "Make the sitemap anew, or publish the page.",
    ),
    rule(
        AuditRule::SitemapNoindex,
        "sitemap-noindex",
        Error,
        "A sitemap lists pages for search engines, and noindex keeps them out.",
        "Take the page out of the sitemap, or noindex out of the page.",
    ),
    rule(
        AuditRule::SitemapUnreadable,
        "sitemap-unreadable",
        Error,
        "A sitemap has to be there and has to be well formed.",
        "Rebuild the sitemap, and check the addresses in robots.txt.",
    ),
    rule(
        AuditRule::NoindexContradiction,
        "noindex-contradiction",
        Error,
        "A page with noindex cannot be offered as a language version.",
        "Take noindex out of the page, or the page out of every hreflang.",
    ),
    rule(
        AuditRule::RobotsLost,
        "robots-lost",
        Error,
        "A page that asks not to be found asks so in every language.",
        "Write the same noindex on this version.",
    ),
    rule(
        AuditRule::FragmentChanged,
        "fragment-changed",
        Error,
        "Fragments, proofs of ownership and pages that are kept lose their purpose if anything is added to them.",
        "Publish the file as the source has it; in a fragment of another language, change words and links alone.",
    ),
    rule(
        AuditRule::SwitcherLink,
        "switcher-link",
        Error,
        "A link that promises a language has to lead to a page in that language.",
        "Correct the address, or the hreflang of the link.",
    ),
    rule(
        AuditRule::SwitcherSelf,
        "switcher-self",
        Error,
        "An entry of a language menu has to lead to another page than the one that it stands on.",
        "Let the entry lead to the page in the language that it names.",
    ),
    rule(
        AuditRule::LinkBroken,
        "link-broken",
        Error,
        "A link inside the site has to lead somewhere.",
        "Correct the address, or publish the page.",
    ),
    rule(
        AuditRule::LinkLeavesLanguage,
        "link-leaves-language",
        Warning,
        "Readers of one language are led into another one although the page exists in theirs.",
        "Link to the version in the page's own language, or say hreflang on the link if the change is meant.",
    ),
    rule(
        AuditRule::UntranslatedBlock,
        "untranslated-block",
        Warning,
        "A text is in the source language on a page that claims another one.",
        "Translate it, or mark it with lang or translate=\"no\" if it is meant to stay.",
    ),
    rule(
        AuditRule::DuplicateContent,
        "duplicate-content",
        Warning,
        "Two versions in different languages have the same texts, so one of them is not translated.",
        "Translate the page, or do not publish this version.",
    ),
    rule(
        AuditRule::EncodingBroken,
        "encoding-broken",
        Error,
        "Bytes that make no sense in the page's encoding are shown as replacement characters.",
        "Save the page as UTF-8, and say so in a meta element or the HTTP header.",
    ),
    rule(
        AuditRule::RtlOffscreen,
        "rtl-offscreen",
        Warning,
        "What is hidden far to the left makes a page from right to left as wide as that, and its readers scroll there.",
        "Hide it by clipping (clip-path: inset(50%)), or move it with inset-inline-start.",
    ),
    rule(
        AuditRule::RtlPhysical,
        "rtl-physical",
        Note,
        "A style sheet that says left and right is laid out the wrong way on pages from right to left.",
        "Say start and end (margin-inline-start, text-align: start), or add a style sheet with -rtl in its name.",
    ),
    rule(
        AuditRule::RtlLetterSpacing,
        "rtl-letter-spacing",
        Note,
        "Letters of Arabic are joined, and letter-spacing tears them apart.",
        "Set letter-spacing: 0 for these languages with :lang(ar).",
    ),
];

impl AuditRule {
    /// What is known about it.
    pub fn description(self) -> &'static Description {
        &RULES[self as usize]
    }

    /// The rule of that name.
    pub fn named(id: &str) -> Option<Self> {
        RULES
            .iter()
            .find(|description| description.id == id)
            .map(|description| description.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_described_in_its_place() {
        for (at, description) in RULES.iter().enumerate() {
            assert_eq!(description.rule as usize, at, "{}", description.id);
            assert_eq!(AuditRule::named(description.id), Some(description.rule));
        }
    }
}
