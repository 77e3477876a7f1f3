//! Language tags: BCP 47 (RFC 5646) in canonical form.

mod error;

use std::fmt;
use std::sync::Arc;

use icu_locale::names::{DisplayNamesPreferences, LanguageIdentifierDisplayName};
use icu_locale::{
    LanguageIdentifier, Locale as IcuLocale, LocaleCanonicalizer, LocaleDirectionality,
    LocaleExpander, TransformResult,
};
use serde::{Deserialize, Serialize};
use writeable::TryWriteable as _;

pub use self::error::LocaleError;

/// A language tag in canonical form, such as `pt-BR` or `zh-Hant-TW`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Locale(Arc<str>);

/// ISO 3166-1 alpha-2, and XK, which everybody uses for Kosovo.
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR \
    BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET \
    FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ \
    IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML \
    MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS \
    PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL \
    TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// The direction in which a locale's main script is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    Ltr,
    /// Right to left.
    Rtl,
}

impl Direction {
    /// The value of HTML's `dir` attribute.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ltr => "ltr",
            Self::Rtl => "rtl",
        }
    }
}

impl Locale {
    /// Checks a tag and brings it to canonical form: case, and deprecated subtags replaced (`iw` becomes `he`).
    pub fn parse(text: &str) -> Result<Self, LocaleError> {
        if let Some(tag) = canonical(text) {
            return Ok(tag);
        }
        let name = text.split('.').next().unwrap_or_default();
        match canonical(&name.replace('_', "-")) {
            Some(tag) if text.contains('_') => Err(LocaleError::System {
                text: text.to_owned(),
                tag,
            }),
            Some(_) | None => Err(LocaleError::Form(text.to_owned())),
        }
    }

    /// Checks the tag of a wanted language. A well-formed tag that is only the code of a country is refused: `jp`.
    pub fn parse_wanted(text: &str) -> Result<Self, LocaleError> {
        let tag = Self::parse(text)?;
        if text.len() != 2 || Self::names_language(text) {
            return Ok(tag);
        }
        match Self::of_country(text) {
            Some(own) => Err(LocaleError::Country {
                text: text.to_owned(),
                language: own.without_region(false).english_name(),
                tag: own.without_region(false),
            }),
            None => Ok(tag),
        }
    }

    /// Whether a text is the tag of a language that exists, and not only a word that could be one.
    pub fn names_language(text: &str) -> bool {
        let Ok(locale) = Self::parse(text) else {
            return false;
        };
        let mut language = LanguageIdentifier::from(locale.id().language);
        LocaleExpander::new_extended().maximize(&mut language) == TransformResult::Modified
    }

    /// The language that most people write in a country, with the country: `pt-BR` for `BR`.
    pub(crate) fn of_country(code: &str) -> Option<Self> {
        let code = if code.eq_ignore_ascii_case("uk") {
            "GB"
        } else {
            code
        };
        let mut id = LanguageIdentifier {
            region: code.parse().ok(),
            ..LanguageIdentifier::UNKNOWN
        };
        if !is_country(code) {
            return None;
        }
        // English is what remains, so no country is listed for it.
        let is_listed =
            LocaleExpander::new_extended().maximize(&mut id) == TransformResult::Modified;
        let language = if is_listed {
            id.language.to_string()
        } else {
            "en".to_owned()
        };
        Self::parse(&format!("{language}-{}", code.to_ascii_uppercase())).ok()
    }

    /// The tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is a pseudo-locale (`en-XA`, `ar-XB`): built for trying, never published as a translation.
    pub fn is_pseudo(&self) -> bool {
        matches!(&*self.0, "en-XA" | "ar-XB")
    }

    /// The direction of the locale's script, by likely subtags rather than by a list of languages (R-B5).
    pub fn direction(&self) -> Direction {
        if LocaleDirectionality::new_extended().is_right_to_left(&self.id()) {
            Direction::Rtl
        } else {
            Direction::Ltr
        }
    }

    /// ISO 15924 code of the locale's script, such as `Cyrl`, from likely subtags; empty if unknown.
    pub fn script(&self) -> String {
        self.language_and_script().1
    }

    /// True if the tag has a script subtag: `sr-Latn`, not `sr`.
    pub fn names_script(&self) -> bool {
        self.id().script.is_some()
    }

    /// True if both tags have the same language and script after adding likely subtags (UTS #35); regions do not count. `en` equals
    /// `en-GB`, and `zh-Hans` differs from `zh-TW`, which implies `Hant`.
    pub fn same_language(&self, other: &Self) -> bool {
        self.language_and_script() == other.language_and_script()
    }

    /// True if both tags are one locale after adding likely subtags (UTS #35): `es` and `es-ES`, `zh-TW` and `zh-Hant`.
    pub fn is_likely(&self, other: &Self) -> bool {
        let expander = LocaleExpander::new_extended();
        let mut own = self.id();
        let mut others = other.id();
        expander.maximize(&mut own);
        expander.maximize(&mut others);
        own == others
    }

    /// Whether a language range takes this locale in, by extended filtering (RFC 4647, section 3.3.2): `de-DE` does
    /// with `de-Latn-DE`, `*-CH` does with every language of Switzerland.
    pub fn is_in_range(&self, range: &str) -> bool {
        let mut wanted = range.trim().split('-');
        let mut subtags = self.0.split('-');
        let same = |one: &str, other: &str| one == "*" || one.eq_ignore_ascii_case(other);
        if !wanted
            .next()
            .zip(subtags.next())
            .is_some_and(|(first, language)| same(first, language))
        {
            return false;
        }
        wanted.filter(|subtag| *subtag != "*").all(|subtag| {
            // A single letter begins an extension, beyond which nothing may be looked for.
            subtags
                .by_ref()
                .take_while(|found| found.len() > 1 || same(subtag, found))
                .any(|found| same(subtag, found))
        })
    }

    /// The primary language subtag, such as `pt` of `pt-BR`.
    pub fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or(&self.0)
    }

    /// The language's own name, such as `português (Brasil)`; the tag itself where no name is known.
    pub fn own_name(&self) -> String {
        self.name_in(self.id())
    }

    /// The language's own name as a list of these languages has it: `Português`; the region, or the script, only where
    /// another of them differs in nothing else.
    pub fn name_among<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> String {
        let others = others
            .into_iter()
            .filter(|other| *other != self && other.language() == self.language());
        let others: Vec<&Self> = others.filter(|other| !other.is_pseudo()).collect();
        let name = match others.iter().any(|other| other.same_language(self)) {
            _ if self.is_pseudo() => return self.own_name(),
            true => self.own_name(),
            false => self.without_region(!others.is_empty()).own_name(),
        };
        in_list(&name)
    }

    /// The locale without its region, and with its script where the language alone would not say it (`zh-TW` is `zh-Hant`) or
    /// where that is wanted.
    fn without_region(&self, with_script: bool) -> Self {
        let bare = |script| {
            let id = LanguageIdentifier {
                region: None,
                script,
                ..self.id()
            };
            Self::parse(&id.to_string()).unwrap_or_else(|_| self.clone())
        };
        let own = bare(self.id().script);
        if own.same_language(self) && !with_script {
            return own;
        }
        let mut full = self.id();
        LocaleExpander::new_extended().maximize(&mut full);
        bare(full.script)
    }

    /// The language's English name, such as `Brazilian Portuguese`; the tag itself where no name is known.
    pub fn english_name(&self) -> String {
        self.name_in("en".parse().unwrap_or(LanguageIdentifier::UNKNOWN))
    }

    /// The tag as search engines know tags: language, script and a country of two letters (R-C3).
    pub fn search_tag(&self) -> String {
        let id = self.id();
        let script = id
            .script
            .map(|script| format!("-{script}"))
            .unwrap_or_default();
        let country = id
            .region
            .filter(|region| region.is_alphabetic())
            .map(|region| format!("-{region}"));
        format!("{}{script}{}", id.language, country.unwrap_or_default())
    }

    /// The locale as Open Graph writes it: `pt_BR`, with the likely country where the tag has none (R-B8).
    pub fn open_graph(&self) -> String {
        let mut id = self.id();
        id.region = id.region.filter(|region| region.is_alphabetic());
        let language = id.language;
        LocaleExpander::new_extended().maximize(&mut id);
        match id.region.filter(|region| region.is_alphabetic()) {
            Some(country) => format!("{language}_{country}"),
            None => language.to_string(),
        }
    }

    fn name_in(&self, reader: LanguageIdentifier) -> String {
        if self.is_pseudo() {
            return format!("{self} (pseudo)");
        }
        let reader = DisplayNamesPreferences::from(&IcuLocale::from(reader));
        LanguageIdentifierDisplayName::try_new_heavy(reader, self.id(), Default::default())
            .ok()
            .and_then(|name| {
                name.as_borrowed()
                    .try_write_to_string()
                    .ok()
                    .map(|text| text.into_owned())
            })
            .unwrap_or_else(|| self.0.to_string())
    }

    fn id(&self) -> LanguageIdentifier {
        self.0
            .parse::<IcuLocale>()
            .map_or(LanguageIdentifier::UNKNOWN, |locale| locale.id)
    }

    fn language_and_script(&self) -> (String, String) {
        let mut id: LanguageIdentifier = self
            .0
            .parse::<IcuLocale>()
            .map_or(LanguageIdentifier::UNKNOWN, |locale| locale.id);
        LocaleExpander::new_extended().maximize(&mut id);
        (
            id.language.to_string(),
            id.script
                .map(|script| script.to_string())
                .unwrap_or_default(),
        )
    }
}

/// Recognizes the two-letter codes of countries, in any case.
pub fn is_country(code: &str) -> bool {
    code.len() == 2
        && COUNTRIES
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(code))
}

/// A name as it begins an entry of a list: with a capital, unless it has one elsewhere (`isiZulu`) or its script has none there.
fn in_list(name: &str) -> String {
    let mut rest = name.chars();
    let has_capitals = |c: char| matches!(c, 'a'..='z' | '\u{df}'..='\u{17f}' | '\u{3ac}'..='\u{3ce}' | '\u{430}'..='\u{52f}' | '\u{561}'..='\u{586}' | '\u{1e01}'..='\u{1eff}');
    match rest
        .next()
        .filter(|first| has_capitals(*first) && !name.starts_with("isi"))
    {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => name.to_owned(),
    }
}

/// A tag in canonical form; `None` for a text that is no tag.
fn canonical(text: &str) -> Option<Locale> {
    if text.contains('_') {
        return None;
    }
    let mut locale: IcuLocale = without_macrolanguage(text).parse().ok()?;
    if locale.id.language.is_unknown() {
        return None;
    }
    LocaleCanonicalizer::new_common().canonicalize(&mut locale);
    Some(Locale(locale.to_string().into()))
}

/// Leaves out the language before an extended language subtag, which names the language alone: `zh-yue` is `yue`.
fn without_macrolanguage(text: &str) -> &str {
    const PREFIXES: [&str; 8] = ["ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"];
    let Some((language, rest)) = text.split_once('-') else {
        return text;
    };
    let extended = rest.split('-').next().unwrap_or_default();
    let is_extended =
        extended.len() == 3 && extended.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_extended
        && PREFIXES
            .iter()
            .any(|prefix| prefix.eq_ignore_ascii_case(language))
    {
        rest
    } else {
        text
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Locale {
    type Error = LocaleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests;
