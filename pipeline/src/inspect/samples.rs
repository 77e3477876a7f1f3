//! Sentences with an inline code, a number and a placeholder, for tests of engines.

use crate::model::Locale;
use crate::page::{CodeKind, CodedText, InlineCode, Segment, TextClass};

/// Sentences by language.
const SAMPLES: [(&str, &str); 20] = [
    (
        "en",
        r#"Hello {name}, your order of 42 loaves is <g id="1">ready for you</g>."#,
    ),
    (
        "ar",
        r#"مرحبا {name}، طلبك من 42 رغيفا <g id="1">جاهز لك</g>."#,
    ),
    (
        "ca",
        r#"Hola {name}, la vostra comanda de 42 pans ja està <g id="1">a punt</g>."#,
    ),
    (
        "cs",
        r#"Dobrý den, {name}, vaše objednávka 42 bochníků je <g id="1">připravena</g>."#,
    ),
    (
        "da",
        r#"Hej {name}, din bestilling på 42 brød er <g id="1">klar til dig</g>."#,
    ),
    (
        "de",
        r#"Hallo {name}, Ihre Bestellung von 42 Broten ist <g id="1">für Sie bereit</g>."#,
    ),
    (
        "es",
        r#"Hola, {name}: su pedido de 42 panes ya está <g id="1">listo para usted</g>."#,
    ),
    (
        "fi",
        r#"Hei {name}, tilauksesi 42 leivästä on <g id="1">valmis noudettavaksi</g>."#,
    ),
    (
        "fr",
        r#"Bonjour {name}, votre commande de 42 pains est <g id="1">prête pour vous</g>."#,
    ),
    (
        "it",
        r#"Ciao {name}, il tuo ordine di 42 pani è <g id="1">pronto per te</g>."#,
    ),
    (
        "ja",
        r#"{name}様、ご注文のパン42個は<g id="1">ご用意ができました</g>。"#,
    ),
    (
        "ko",
        r#"{name}님, 주문하신 빵 42개가 <g id="1">준비되었습니다</g>."#,
    ),
    (
        "nl",
        r#"Hallo {name}, uw bestelling van 42 broden ligt <g id="1">voor u klaar</g>."#,
    ),
    (
        "pl",
        r#"Dzień dobry, {name}, twoje zamówienie na 42 bochenki jest <g id="1">gotowe do odbioru</g>."#,
    ),
    (
        "pt",
        r#"Olá, {name}, a sua encomenda de 42 pães está <g id="1">pronta para si</g>."#,
    ),
    (
        "ru",
        r#"Здравствуйте, {name}, ваш заказ на 42 буханки <g id="1">готов к выдаче</g>."#,
    ),
    (
        "sv",
        r#"Hej {name}, din beställning på 42 bröd är <g id="1">klar att hämta</g>."#,
    ),
    (
        "tr",
        r#"Merhaba {name}, 42 ekmeklik siparişiniz <g id="1">sizin için hazır</g>."#,
    ),
    (
        "uk",
        r#"Вітаємо, {name}, ваше замовлення на 42 хлібини <g id="1">готове до видачі</g>."#,
    ),
    (
        "zh",
        r#"{name}，您好，您订购的 42 个面包<g id="1">已经准备好了</g>。"#,
    ),
];

/// A sentence in a language; `None` if there is none.
pub(super) fn sample(language: &Locale) -> Option<Segment> {
    let (_, markup) = SAMPLES
        .iter()
        .find(|(tag, _)| *tag == language.language())?;
    let text = CodedText::from_markup(markup).ok()?;
    let codes = vec![InlineCode::new(CodeKind::Paired, "b")];
    Some(Segment {
        text,
        codes,
        class: TextClass::Prose,
        origin: "p".into(),
        filter: None,
        keeps_nodes: false,
    })
}

/// Languages that have a sentence, as tags.
pub fn sample_languages() -> impl Iterator<Item = &'static str> {
    SAMPLES.iter().map(|(tag, _)| *tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::check;
    use crate::text::{same_numbers, variables};

    #[test]
    fn every_sample_has_a_code_a_number_and_a_placeholder_r_l21() {
        for (tag, markup) in SAMPLES {
            let segment = sample(&Locale::parse(tag).unwrap()).unwrap();
            assert_eq!(segment.text.to_markup(), markup);
            assert_eq!(check(&segment, &segment.text), Ok(()), "{tag}");
            assert!(same_numbers(segment.text.text(), "42"), "{tag}");
            let variables = variables(segment.text.text());
            assert_eq!(
                variables
                    .into_iter()
                    .map(|at| &segment.text.text()[at])
                    .collect::<Vec<_>>(),
                ["{name}"]
            );
        }
    }
}
