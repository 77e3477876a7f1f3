//! Which pairs are installed: the `.mode` files, whose names mix two- and three-letter codes and regions
//! (`en-gl`, `eng-spa`, `es-pt_BR`, `eng-cat_valencia`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::model::{LanguagePair, Locale};

/// ISO 639 codes of Apertium's languages: two letters, three letters.
const CODES: [(&str, &str); 53] = [
    ("af", "afr"),
    ("an", "arg"),
    ("ar", "ara"),
    ("ast", "ast"),
    ("be", "bel"),
    ("bg", "bul"),
    ("br", "bre"),
    ("ca", "cat"),
    ("cs", "ces"),
    ("cy", "cym"),
    ("da", "dan"),
    ("de", "deu"),
    ("en", "eng"),
    ("eo", "epo"),
    ("es", "spa"),
    ("eu", "eus"),
    ("fi", "fin"),
    ("fr", "fra"),
    ("frp", "frp"),
    ("ga", "gle"),
    ("gl", "glg"),
    ("hbs", "hbs"),
    ("hi", "hin"),
    ("hu", "hun"),
    ("id", "ind"),
    ("is", "isl"),
    ("it", "ita"),
    ("kk", "kaz"),
    ("lt", "lit"),
    ("lv", "lav"),
    ("mk", "mkd"),
    ("ms", "zlm"),
    ("mt", "mlt"),
    ("nb", "nob"),
    ("nl", "nld"),
    ("nn", "nno"),
    ("no", "nor"),
    ("oc", "oci"),
    ("pl", "pol"),
    ("pt", "por"),
    ("ro", "ron"),
    ("ru", "rus"),
    ("sc", "srd"),
    ("sk", "slk"),
    ("sl", "slv"),
    ("sv", "swe"),
    ("szl", "szl"),
    ("tr", "tur"),
    ("tt", "tat"),
    ("uk", "ukr"),
    ("ur", "urd"),
    ("uz", "uzb"),
    ("zh", "zho"),
];

/// Debian's packages, by the languages that they translate between.
const PACKAGES: [(&str, &str, &str); 44] = [
    ("af", "nl", "afr-nld"),
    ("an", "ca", "arg-cat"),
    ("an", "es", "spa-arg"),
    ("ast", "es", "spa-ast"),
    ("be", "ru", "bel-rus"),
    ("bg", "mk", "mkd-bul"),
    ("br", "fr", "br-fr"),
    ("ca", "en", "eng-cat"),
    ("ca", "eo", "eo-ca"),
    ("ca", "es", "spa-cat"),
    ("ca", "fr", "fra-cat"),
    ("ca", "it", "cat-ita"),
    ("ca", "oc", "oc-ca"),
    ("ca", "pt", "por-cat"),
    ("ca", "sc", "cat-srd"),
    ("da", "sv", "swe-dan"),
    ("da", "nb", "dan-nor"),
    ("en", "eo", "eo-en"),
    ("en", "es", "eng-spa"),
    ("en", "eu", "eu-en"),
    ("en", "gl", "en-gl"),
    ("en", "hbs", "hbs-eng"),
    ("en", "is", "isl-eng"),
    ("en", "mk", "mkd-eng"),
    ("eo", "es", "eo-es"),
    ("eo", "fr", "eo-fr"),
    ("es", "eu", "eu-es"),
    ("es", "fr", "fr-es"),
    ("es", "gl", "es-gl"),
    ("es", "it", "spa-ita"),
    ("es", "oc", "oc-es"),
    ("es", "pt", "es-pt"),
    ("es", "ro", "es-ro"),
    ("fr", "frp", "fra-frp"),
    ("fr", "oc", "oci-fra"),
    ("gl", "pt", "pt-gl"),
    ("hbs", "mk", "hbs-mkd"),
    ("hbs", "sl", "hbs-slv"),
    ("hi", "ur", "urd-hin"),
    ("id", "ms", "ind-zlm"),
    ("is", "sv", "isl-swe"),
    ("it", "sc", "srd-ita"),
    ("nb", "nn", "nno-nob"),
    ("pl", "szl", "pol-szl"),
];

/// Pairs that run and must not be used, and directions that a package does not have.
const BAD: [(&str, &str, &str); 4] = [
    (
        "en",
        "hbs",
        "nearly half of its words come out untranslated",
    ),
    (
        "en",
        "is",
        "Apertium only translates out of this language, into English",
    ),
    (
        "en",
        "mk",
        "Apertium only translates out of this language, into English",
    ),
    (
        "en",
        "eu",
        "Apertium only translates out of this language, into English",
    ),
];

/// The installed pairs, sorted by name.
pub(super) struct Modes {
    installed: bool,
    modes: Vec<Mode>,
}

/// One installed pair.
pub(super) struct Mode {
    pub(super) file: PathBuf,
    pub(super) name: String,
    source: ModeSide,
    target: ModeSide,
    fingerprint: OnceLock<String>,
}

/// A language of a mode's name, with a region or variant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ModeSide {
    language: &'static str,
    variant: Option<String>,
}

impl Modes {
    /// Reads a folder of `.mode` files; one that is not there holds no pair.
    pub(super) fn read(folder: &Path) -> Self {
        let entries = fs::read_dir(folder);
        let installed = entries.is_ok();
        let files = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut modes: Vec<Mode> = files.filter_map(Mode::of).collect();
        modes.sort_by(|one, other| one.name.cmp(&other.name));
        Self { installed, modes }
    }

    /// Says that no pair is installed.
    pub(super) fn lack(&self) -> Option<String> {
        self.modes
            .is_empty()
            .then(|| "no pair of Apertium is installed; docs/engines.md says how".to_owned())
    }

    /// The pair for two locales, or what would give it.
    pub(super) fn find(&self, pair: LanguagePair<&Locale>) -> Result<&Mode, String> {
        let from = language_of(pair.from);
        let to = language_of(pair.to);
        if let Some((_, _, reason)) = BAD
            .iter()
            .find(|(one, other, _)| (*one, *other) == (from, to))
        {
            return Err(format!("{pair} is not usable with Apertium: {reason}"));
        }
        let fitting = self.modes.iter().filter(|mode| {
            mode.source.language == from
                && mode.target.language == to
                && mode.source.fits(pair.from).is_some()
                && mode.target.fits(pair.to).is_some()
        });
        // Of several, the one whose region or variant is the locale's own.
        fitting
            .max_by_key(|mode| {
                (
                    mode.target.fits(pair.to),
                    mode.source.fits(pair.from),
                    std::cmp::Reverse(&mode.name),
                )
            })
            .ok_or_else(|| self.hint(from, to, pair))
    }

    fn hint(&self, from: &str, to: &str, pair: LanguagePair<&Locale>) -> String {
        let (one, other) = if from < to { (from, to) } else { (to, from) };
        match PACKAGES
            .iter()
            .find(|(first, second, _)| (*first, *second) == (one, other))
        {
            Some((_, _, package)) if self.installed => {
                format!("apt-get install apertium-{package}")
            }
            Some((_, _, package)) => format!("apt-get install apertium apertium-{package}"),
            None => format!("Apertium has no package for {pair}"),
        }
    }
}

impl Mode {
    fn of(file: PathBuf) -> Option<Self> {
        let name = file
            .file_name()?
            .to_str()?
            .strip_suffix(".mode")?
            .to_owned();
        let (source, target) = name
            .split_once('-')
            .filter(|(_, target)| !target.contains('-'))?;
        let source = ModeSide::of(source)?;
        let target = ModeSide::of(target)?;
        Some(Self {
            file,
            name,
            source,
            target,
            fingerprint: OnceLock::new(),
        })
    }

    /// A hash of the rules and dictionaries that the mode names: another package version, another fingerprint.
    pub(super) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let line = fs::read_to_string(&self.file).unwrap_or_default();
            hasher.update(line.as_bytes());
            for file in line.split('\'').filter(|word| word.starts_with('/')) {
                hasher.update(&fs::read(file).unwrap_or_default());
            }
            hasher.finalize().to_hex()[..12].to_owned()
        })
    }
}

impl ModeSide {
    fn of(text: &str) -> Option<Self> {
        let (code, variant) = match text.split_once('_') {
            Some((code, variant)) => (code, Some(variant.to_ascii_lowercase())),
            None => (text, None),
        };
        let (language, _) = CODES
            .iter()
            .find(|(two, three)| *two == code || *three == code)?;
        Some(Self { language, variant })
    }

    /// How well this side fits a locale: 1 for any region, 2 for its own; `None` for another one's.
    fn fits(&self, locale: &Locale) -> Option<u8> {
        match &self.variant {
            None => Some(1),
            Some(variant) => {
                let own = locale
                    .as_str()
                    .split('-')
                    .skip(1)
                    .any(|part| part.eq_ignore_ascii_case(variant));
                own.then_some(2)
            }
        }
    }
}

/// Apertium's language for a locale; Bosnian, Croatian and Serbian are one, and plain Norwegian is Bokmål.
fn language_of(locale: &Locale) -> &str {
    match locale.language() {
        "bs" | "hr" | "sr" | "sh" => "hbs",
        "no" => "nb",
        other => CODES
            .iter()
            .find(|(two, three)| *two == other || *three == other)
            .map_or(other, |(two, _)| two),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: &str, to: &str) -> LanguagePair {
        LanguagePair {
            from: Locale::parse(from).unwrap(),
            to: Locale::parse(to).unwrap(),
        }
    }

    #[test]
    fn modes_are_found_by_language_and_region() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "en-gl",
            "eng-spa",
            "es-pt",
            "es-pt_BR",
            "eng-cat",
            "eng-cat_valencia",
            "eng-hbs_SR",
            "spa-eng_US",
            "oci-fra",
            "spa-eng",
            "eng-spa-tagger",
            "xx-yy",
        ] {
            fs::write(folder.path().join(format!("{name}.mode")), name).unwrap();
        }
        let modes = Modes::read(folder.path());
        for (source, target, expected) in [
            ("en", "es", Ok("eng-spa")),
            ("en-GB", "es-MX", Ok("eng-spa")),
            ("en", "gl", Ok("en-gl")),
            ("es", "pt", Ok("es-pt")),
            ("es", "pt-BR", Ok("es-pt_BR")),
            ("en", "ca", Ok("eng-cat")),
            ("en", "ca-valencia", Ok("eng-cat_valencia")),
            ("es", "en-US", Ok("spa-eng_US")),
            ("es", "en-GB", Ok("spa-eng")),
            ("oc", "fr", Ok("oci-fra")),
            (
                "en",
                "sr",
                Err(
                    "en to sr is not usable with Apertium: nearly half of its words come out untranslated",
                ),
            ),
            (
                "en",
                "is",
                Err(
                    "en to is is not usable with Apertium: Apertium only translates out of this language, into English",
                ),
            ),
            ("es", "ca", Err("apt-get install apertium-spa-cat")),
            ("en", "ja", Err("Apertium has no package for en to ja")),
        ] {
            let found = modes.find(pair(source, target).as_ref());
            let found = found.map(|mode| mode.name.as_str());
            assert_eq!(
                found,
                expected.map_err(str::to_owned),
                "{source} to {target}"
            );
        }
        let none = Modes::read(&folder.path().join("none"));
        let hint = none.find(pair("en", "es").as_ref()).err();
        assert_eq!(
            hint.as_deref(),
            Some("apt-get install apertium apertium-eng-spa")
        );
    }
}
