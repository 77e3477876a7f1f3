//! Tests of `pivot.rs`.

use super::*;
use crate::engines::UnknownWords;
use crate::page::CodedText;

/// Turns the words of a text around, for pairs of which it knows both languages.
struct Turning(&'static [&'static str]);

#[async_trait]
impl Engine for Turning {
    fn caps(&self) -> &Caps {
        &Caps::LINKS
    }

    fn fingerprint(&self, LanguagePair { from, to }: LanguagePair<&Locale>) -> String {
        format!("turning {from} {to}")
    }

    fn offers(&self, LanguagePair { from, to }: LanguagePair<&Locale>) -> Offer {
        let knows = |locale: &Locale| self.0.contains(&locale.as_str());
        if from != to && knows(from) && knows(to) {
            Offer::Yes
        } else {
            Offer::No("no pair".into())
        }
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        Ok(request
            .asks
            .iter()
            .map(|ask| turned(ask.text.text()))
            .collect())
    }
}

fn turned(text: &str) -> Result<EngineAnswer, AskError> {
    if text.contains("never") {
        return Err(AskError::Refused("never".into()));
    }
    let mut target = String::new();
    let mut links = Vec::new();
    let mut end = text.len();
    for word in text.rsplit(' ') {
        target.push_str(if target.is_empty() { "" } else { " " });
        let sources = std::iter::once(end - word.len()..end).collect();
        links.push(WordLink {
            target: target.len()..target.len() + word.len(),
            sources,
        });
        target.push_str(word);
        end = (end - word.len()).saturating_sub(1);
    }
    Ok(EngineAnswer {
        text: CodedText::plain(target),
        links: Some(links),
    })
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

#[tokio::test]
async fn words_are_followed_through_both_engines() {
    let en = locale("en");
    let es = locale("es");
    let pt = locale("pt");
    let pair = LanguagePair { from: &en, to: &es };
    let engine = |languages| -> Arc<dyn Engine> { Arc::new(Turning(languages)) };
    let pivot = Pivot::new(engine(&["en", "pt"]), engine(&["pt", "es"]), locale("pt"));
    assert_eq!(
        pivot.fingerprint(pair),
        "pivot pt 1: turning en pt > turning pt es"
    );
    assert_eq!(
        pivot.offers(LanguagePair { to: &pt, ..pair }),
        Offer::No("no pair".into())
    );
    let ask = |text: &str, marks: &[Range<usize>]| Ask {
        marks: marks.to_vec(),
        ..Ask::plain(text)
    };
    let asks = [
        ask("never", &[]),
        ask("a red house is", &[2..5, 6..11]),
        ask("one two", &[]),
    ];
    let request = EngineRequest {
        pair,
        asks: &asks,
        deadline: std::time::Duration::from_secs(1),
    };
    let answers = pivot.translate(request).await.unwrap();
    assert!(matches!(&answers[0], Err(AskError::Refused(reason)) if reason == "never"));
    let done = answers[1].as_ref().unwrap();
    assert_eq!(done.text.text(), "a red house is");
    let linked: Vec<_> = done
        .links
        .iter()
        .flatten()
        .filter(|link| !link.sources.is_empty())
        .collect();
    let of = |mark: &Range<usize>| -> Vec<&str> {
        let text = "a red house is";
        linked
            .iter()
            .filter(|link| link.sources.contains(mark))
            .map(|link| &text[link.target.clone()])
            .collect()
    };
    assert_eq!((of(&(2..5)), of(&(6..11))), (vec!["red"], vec!["house"]));
    assert_eq!(answers[2].as_ref().unwrap().text.text(), "one two");
}

/// Translates word by word; a word that it does not know stays.
struct Dictionary {
    pair: [&'static str; 2],
    words: &'static [(&'static str, &'static str)],
}

impl Dictionary {
    fn word(&self, word: &str) -> Option<&'static str> {
        let entry = self
            .words
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(word));
        entry.map(|(_, translation)| *translation)
    }

    fn translated(&self, text: &str) -> EngineAnswer {
        let mut target = String::new();
        let mut links = Vec::new();
        let mut at = 0;
        for word in unknown::word_ranges(text) {
            target.push_str(&text[at..word.start]);
            let start = target.len();
            target.push_str(
                self.word(&text[word.clone()])
                    .unwrap_or(&text[word.clone()]),
            );
            at = word.end;
            links.push(WordLink {
                target: start..target.len(),
                sources: vec![word],
            });
        }
        target.push_str(&text[at..]);
        EngineAnswer {
            text: CodedText::plain(target),
            links: Some(links),
        }
    }
}

#[async_trait]
impl Engine for Dictionary {
    fn caps(&self) -> &Caps {
        &Caps::LINKS
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "dictionary".into()
    }

    fn offers(&self, LanguagePair { from, to }: LanguagePair<&Locale>) -> Offer {
        match [from.as_str(), to.as_str()] == self.pair {
            true => Offer::Yes,
            false => Offer::No("no pair".into()),
        }
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        Ok(request
            .asks
            .iter()
            .map(|ask| Ok(self.translated(ask.text.text())))
            .collect())
    }

    async fn unknown_words(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<UnknownWords>, EngineError> {
        let unknown = |ask: &Ask| {
            let text = ask.text.text();
            let words = unknown::word_ranges(text)
                .into_iter()
                .map(|word| &text[word]);
            Ok(words
                .filter(|word| self.word(word).is_none())
                .map(str::to_owned)
                .collect())
        };
        Ok(request.asks.iter().map(unknown).collect())
    }
}

#[tokio::test]
async fn no_word_stays_in_the_language_between_r_p1() {
    let portuguese = Dictionary {
        pair: ["en", "pt"],
        words: &[
            ("buy", "compre"),
            ("bread", "pão"),
            ("bun", "pãozinho"),
            ("rye", "centeio"),
        ],
    };
    let spanish = Dictionary {
        pair: ["pt", "es"],
        words: &[("compre", "compre"), ("pão", "pan")],
    };
    let pivot = Pivot::new(Arc::new(portuguese), Arc::new(spanish), locale("pt"));
    let pair = LanguagePair {
        from: &locale("en"),
        to: &locale("es"),
    };
    let asks = [
        "Buy bread",
        "Buy a bun, a Bun",
        "Rye from Portland",
        "compre",
    ]
    .map(Ask::plain);
    let request = EngineRequest {
        pair,
        asks: &asks,
        deadline: std::time::Duration::from_secs(1),
    };
    let answers = pivot.translate(request).await.unwrap();
    let texts: Vec<&str> = answers
        .iter()
        .map(|answer| answer.as_ref().unwrap().text.text())
        .collect();
    assert_eq!(
        texts,
        [
            "compre pan",
            "compre a bun, a Bun",
            "Rye from Portland",
            "compre"
        ]
    );
}
