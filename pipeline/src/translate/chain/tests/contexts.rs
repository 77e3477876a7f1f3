//! Context of texts in requests to engines. It is part of no key (R-L19).

use super::*;
use crate::engines::Context;

/// An engine that records its requests: each text with the title of its context.
struct RecordingEngine {
    caps: Caps,
    asked: Mutex<Vec<Vec<String>>>,
}

impl RecordingEngine {
    fn new() -> Arc<Self> {
        let Fake { caps, .. } = Arc::into_inner(Fake::new(loud)).unwrap();
        let caps = Caps {
            markup: Markup::Codes,
            place: EnginePlace::Remote,
            max_items: 5,
            unit: TranslationUnit::Block,
            parallel: 1,
            deterministic: false,
            ..caps
        };
        Arc::new(Self {
            caps,
            asked: Mutex::default(),
        })
    }
}

#[async_trait]
impl Engine for RecordingEngine {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "reader".into()
    }

    fn reads_together(&self) -> bool {
        true
    }

    fn takes_context(&self) -> bool {
        true
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let title = |ask: &Ask| {
            ask.context
                .as_ref()
                .and_then(|context| context.title.clone())
                .unwrap_or_default()
        };
        let shown = request.asks.iter().map(|ask| {
            format!("{} {}", ask.text.text(), title(ask))
                .trim()
                .to_owned()
        });
        let shown: Vec<String> = shown.collect();
        let is_declined = shown.iter().any(|text| text.contains("weapon"));
        self.asked.lock().unwrap().push(shown);
        if is_declined {
            return Err(EngineError::Declined("no".into()));
        }
        let answer = |ask: &Ask| {
            Ok(EngineAnswer {
                text: CodedText::plain(ask.text.text().to_uppercase()),
                links: None,
            })
        };
        Ok(request.asks.iter().map(answer).collect())
    }
}

/// Translates texts of one page with a title; gives the requests and the translations.
async fn asked(texts: &[&str], title: &str) -> (Vec<Vec<String>>, Vec<String>) {
    let reader = RecordingEngine::new();
    let chain = Chain::new(vec![("reader".into(), reader.clone() as Arc<dyn Engine>)]);
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    assert!(chain.takes_context(pair));
    let segments: Vec<Segment> = texts.iter().copied().map(plain).collect();
    let context = Context {
        title: Some(title.into()),
        ..Context::default()
    };
    let contexts = vec![Some(Arc::new(context)); texts.len()];
    let mut told = BTreeMap::new();
    let mut take = |index: usize, outcome: SegmentOutcome| {
        let text = if let SegmentOutcome::Translated { text, .. } = outcome {
            text.into_text()
        } else {
            "!".into()
        };
        told.insert(index, text);
    };
    chain
        .translate(
            pair,
            WantedTexts::from(&segments).with_contexts(&contexts),
            &mut take,
        )
        .await;
    let requests = reader.asked.lock().unwrap().clone();
    (requests, told.into_values().collect())
}

#[tokio::test]
async fn texts_go_with_their_context_r_l19() {
    let (requests, told) = asked(&["Bread", "Rolls"], "Bakery").await;
    assert_eq!(requests, [["Bread Bakery", "Rolls Bakery"]]);
    assert_eq!(told, ["BREAD", "ROLLS"]);
}

#[tokio::test]
async fn refused_texts_are_asked_again_without_context_r_l19() {
    let (requests, told) = asked(&["Bread"], "A weapon").await;
    assert_eq!(requests, [["Bread A weapon"], ["Bread"]]);
    assert_eq!(told, ["BREAD"]);
    let (requests, told) = asked(&["Bread", "Rolls", "Cake"], "A weapon").await;
    assert_eq!(requests[1..], [vec!["Bread"], vec!["Rolls", "Cake"]]);
    assert_eq!(told, ["BREAD", "ROLLS", "CAKE"]);
    // One text is to blame, not its context.
    let (requests, told) = asked(&["Bread", "Rolls", "Cake", "Tea", "My weapon"], "Bakery").await;
    assert!(requests.len() <= 7, "{requests:?}");
    assert_eq!(told, ["BREAD", "ROLLS", "CAKE", "TEA", "!"]);
}

#[tokio::test]
async fn context_and_notes_are_part_of_no_key_r_l19() {
    let caps = RecordingEngine::new().caps.clone();
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    let bare = Ask::plain("Bread");
    let context = Some(Arc::new(Context {
        title: Some("Bakery".into()),
        ..Context::default()
    }));
    let with = Ask {
        context,
        notes: vec![("Bread".into(), "food".into())],
        ..bare.clone()
    };
    let key = |ask: &Ask| crate::translate::pending::key("reader", &caps, pair, ask, false);
    assert_eq!(key(&bare), key(&with));
}
