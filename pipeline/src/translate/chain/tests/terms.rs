//! Terms in the chain: what is asked, what is asked again, and what stands in the end.

use super::*;
use crate::translate::{Matching, Term};

/// An engine that keeps codes itself, knows one word wrong, and refuses what it is told to.
struct Coded {
    caps: Caps,
    asked: Mutex<Vec<String>>,
    refuses: &'static str,
}

#[async_trait]
impl Engine for Coded {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "coded 1".into()
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let answer = |ask: &Ask| {
            self.asked
                .lock()
                .unwrap()
                .push(format!("{} {:?}", ask.text.to_markup(), ask.terms));
            if !self.refuses.is_empty() && ask.text.to_markup().contains(self.refuses) {
                return Err(AskError::Refused("no".into()));
            }
            let text = ask
                .text
                .map(|text| text.replace("server", "mozo").replace("The", "El"));
            Ok(EngineAnswer { text, links: None })
        };
        Ok(request.asks.iter().map(answer).collect())
    }
}

fn glossary() -> Terms {
    let term = |source: &str, target: &[&str]| Term {
        source: vec![source.to_owned()],
        target: target.iter().map(|form| (*form).to_owned()).collect(),
        keeps_case: false,
        matching: Matching::Word,
        is_name: false,
    };
    Terms::new(vec![
        term("server", &["servidor"]),
        term("Latimer", &[]),
        term("port", &["port"]),
    ])
}

/// Translates one text; gives what became of it and what was asked.
async fn ask(
    markup: &str,
    elements: &[&str],
    refuses: &'static str,
    budget: Option<u64>,
) -> (String, Vec<String>) {
    let caps = Caps {
        markup: Markup::Codes,
        ..Fake::new(loud).caps.clone()
    };
    let engine = Arc::new(Coded {
        caps,
        asked: Mutex::default(),
        refuses,
    });
    let chain = Chain::new(vec![("coded".into(), engine.clone())])
        .with_terms(glossary())
        .within(Arc::new(CharacterBudget::new(budget)));
    let (outcomes, tally) = translated(&chain, &[segment(markup, elements)], "es").await;
    assert_eq!(
        tally.translated,
        u64::from(!outcomes[&0].starts_with(['!', '=']))
    );
    let asked = engine.asked.lock().unwrap().clone();
    (outcomes[&0].clone(), asked)
}

#[tokio::test]
async fn a_missing_term_is_asked_for_once_more_in_place() {
    let told = "[(\"server\", \"servidor\")]";
    let first = format!("The <g id=\"1\">server</g> runs {told}");
    let again = "The <g id=\"1\"><x id=\"2\"/></g> runs []".to_owned();
    let markup = "The <g id=\"1\">server</g> runs";
    let right = "El <g id=\"1\">servidor</g> runs";
    assert_eq!(
        ask(markup, &["b"], "", None).await,
        (right.into(), vec![first.clone(), again.clone()])
    );
    // What it has is not lost where the second try fails, or cannot be paid.
    let first_answer = "El <g id=\"1\">mozo</g> runs";
    let refused = ask(markup, &["b"], "<x id=\"2\"/>", None).await;
    assert_eq!(refused, (first_answer.into(), vec![first.clone(), again]));
    assert_eq!(
        ask(markup, &["b"], "", Some(20)).await,
        (first_answer.into(), vec![first])
    );
}

#[tokio::test]
async fn what_is_not_translated_never_travels() {
    let (text, asked) = ask("The Latimer port", &[], "", None).await;
    assert_eq!((text.as_str(), asked.len()), ("El Latimer port", 1));
    assert_eq!(asked[0], "The <x id=\"1\"/> port [(\"port\", \"port\")]");
    assert_eq!(ask("Latimer", &[], "", None).await, ("=".into(), vec![]));
}

#[tokio::test]
async fn engines_without_codes_get_terms_as_markers() {
    let fake = Fake::new(loud);
    let chain = Chain::new(vec![("fake".into(), fake.clone())]).with_terms(glossary());
    let (outcomes, _) = translated(
        &chain,
        &[
            plain("Latimer is a server"),
            plain("a port"),
            plain("my word"),
        ],
        "es",
    )
    .await;
    let outcomes: Vec<_> = outcomes.values().map(String::as_str).collect();
    // "PORT" is the term, in another case.
    assert_eq!(outcomes, ["Latimer IS A servidor", "A PORT", "MY WORD"]);
    let mut asked = fake.asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(
        asked,
        ["XC1 is a XC2", "XC1 is a server", "a port", "my word"]
    );
}
