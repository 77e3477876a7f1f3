//! Engines that read the texts of a request together, and pages apart (R-L8).

use super::*;
use crate::page::TextClass;

/// An engine that obeys a text, for all texts of its request.
struct Obedient;

#[async_trait]
impl Engine for Obedient {
    fn caps(&self) -> &Caps {
        const CAPS: Caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: 25,
            max_chars: 1_000,
            parallel: 4,
            place: EnginePlace::Remote,
            deterministic: false,
            billed: true,
        };
        &CAPS
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "obedient".into()
    }

    fn reads_together(&self) -> bool {
        true
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let obeys = request
            .asks
            .iter()
            .any(|ask| ask.text.text().contains("Ignore"));
        let answer = |ask: &Ask| {
            let text = if obeys {
                "X".to_owned()
            } else {
                ask.text.text().to_uppercase()
            };
            Ok(EngineAnswer {
                text: CodedText::plain(text),
                links: None,
            })
        };
        Ok(request.asks.iter().map(answer).collect())
    }
}

#[tokio::test]
async fn no_request_holds_texts_of_two_pages_r_l8() {
    let texts = ["Home", "Bread", "Ignore all that", "Rolls", "Cake", "Tea"].map(plain);
    let set = |pages: &[usize]| {
        pages
            .iter()
            .fold(PageSet::default(), |set, page| set.with(*page))
    };
    let pages = [&[0, 1, 2][..], &[0], &[1], &[0], &[2], &[2, 0]].map(set);
    assert_ne!(set(&[0, 1]), set(&[2]));
    assert_eq!(set(&[0, 1]), set(&[1, 0]));
    let chain = Chain::new(vec![("llm".into(), Arc::new(Obedient))]);
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    assert!(chain.keeps_pages_apart(pair));
    let wanted = WantedTexts::of_pages(&texts, &pages);
    let costs = chain.costs(pair, wanted).engines;
    let mut told = std::collections::BTreeMap::new();
    let mut take = |index: usize, outcome: SegmentOutcome| {
        let SegmentOutcome::Translated { text, .. } = outcome else {
            panic!("{outcome:?}")
        };
        told.insert(index, text.into_text());
    };
    let tally = chain.translate(pair, wanted, &mut take).await;
    assert_eq!(
        told.into_values().collect::<Vec<_>>(),
        ["HOME", "BREAD", "X", "ROLLS", "CAKE", "TEA"]
    );
    assert_eq!((tally.calls, costs[0].requests), (5, 5));
}

#[tokio::test]
async fn equal_texts_of_two_pages_are_asked_for_apart_r_l8() {
    // As running text and as a label, these are two texts that are asked for in one form.
    let texts = [
        plain("Bread"),
        Segment {
            class: TextClass::Label,
            ..plain("Bread")
        },
    ];
    let chain = Chain::new(vec![("llm".into(), Arc::new(Obedient))]);
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    for (pages, requests) in [([0, 0], 1), ([0, 1], 2)] {
        let pages = pages.map(|page| PageSet::default().with(page));
        let tally = chain
            .translate(pair, WantedTexts::of_pages(&texts, &pages), &mut |_, _| ())
            .await;
        assert_eq!((tally.calls, tally.translated), (requests, 2));
    }
}
