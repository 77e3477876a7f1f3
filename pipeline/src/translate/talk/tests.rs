//! Words around translations, good answers that look like them, and refusals.

use super::*;
use crate::page::CodedText;

fn cleaned(source: &str, answer: &str, to: &str) -> String {
    let languages = LanguagePair::of_tags("en", to);
    let pair = languages.as_ref();
    let text = |markup: &str| CodedText::from_markup(markup).unwrap();
    without_talk(&text(source), text(answer), pair).to_markup()
}

fn is_talk(source: &str, target: &str, to: &str) -> bool {
    let languages = LanguagePair::of_tags(if to == "en" { "de" } else { "en" }, to);
    talk(source, target, languages.as_ref()).is_some()
}

#[test]
fn words_around_a_translation_are_taken_away_r_l3() {
    for answer in [
        "Here is the translation: Nuestro pan",
        "Here's the Spanish translation:\n\nNuestro pan",
        "Translation: Nuestro pan",
        "**Translation:** Nuestro pan",
        "**Translation**: Nuestro pan",
        "Sure! Here is the translated text: Nuestro pan",
        "Sure! Nuestro pan",
        "Certainly! Here you go:\nNuestro pan",
        "Here it is: Nuestro pan",
        "Aquí está la traducción: Nuestro pan",
        "Traducción: Nuestro pan",
        "Traducción al español: \"Nuestro pan\"",
        "Spanish: Nuestro pan",
        "Español: Nuestro pan",
        "\"Nuestro pan\"",
        "“Nuestro pan”",
        "«Nuestro pan»",
        "'Nuestro pan'",
        "**Nuestro pan**",
        "**\"Nuestro pan\"**",
        "*Nuestro pan*",
        "`Nuestro pan`",
        "```\nNuestro pan\n```",
        "```text\nNuestro pan\n```",
        "# Nuestro pan",
        "Nuestro pan (Note: \"pan\" is informal.)",
        "Nuestro pan (Nota: formal)",
        "Nuestro pan (Nota del traductor: véase [1])",
        "Nuestro pan [Translator's note: formal]",
        "Nuestro pan\n\nNote: I used the formal form.",
        "Nuestro pan\n(Note: I used the formal form.)",
        "Nuestro pan\\n",
        "\\nNuestro\\npan",
        "\"Nuestro pan\" (Note: formal)",
        "\\\"Nuestro pan\\\"",
    ] {
        assert_eq!(
            cleaned("Our bread", answer, "es").replace('\n', " ").trim(),
            "Nuestro pan",
            "{answer}"
        );
    }
    for (source, answer, to, expected) in [
        (
            "Our bread.",
            "Voici la traduction : Notre pain.",
            "fr",
            "Notre pain.",
        ),
        (
            "Our bread.",
            "Hier ist die Übersetzung:\nUnser Brot.",
            "de",
            "Unser Brot.",
        ),
        ("Our bread.", "Перевод: Наш хлеб.", "ru", "Наш хлеб."),
        ("Our bread.", "翻訳：私たちのパン。", "ja", "私たちのパン。"),
        (
            "Our bread.",
            "以下是翻译：我们的面包。",
            "zh",
            "我们的面包。",
        ),
        (
            "Our bread.",
            "我们的面包。（注：正式用语）",
            "zh",
            "我们的面包。",
        ),
        (
            "Our bread.",
            "Unser Brot. (Anmerkung: formell)",
            "de",
            "Unser Brot.",
        ),
        (
            "Our bread.",
            "Unser Brot. Note: This is formal.",
            "de",
            "Unser Brot.",
        ),
        ("Say \"hi\"", "\"Di \"hola\"\"", "es", "Di \"hola\""),
        (
            "Our <g id=\"1\">bread</g>",
            "Here is the translation: <g id=\"1\">Pan</g>",
            "es",
            "<g id=\"1\">Pan</g>",
        ),
        (
            "Our <g id=\"1\">bread</g>",
            "**Nuestro <g id=\"1\">pan</g>**",
            "es",
            "Nuestro <g id=\"1\">pan</g>",
        ),
        (
            "<g id=\"1\">Bread</g>",
            "\"<g id=\"1\">Pan</g>\" (Note: x)",
            "es",
            "<g id=\"1\">Pan</g>",
        ),
    ] {
        assert_eq!(cleaned(source, answer, to), expected, "{answer}");
    }
}

#[test]
fn good_answers_stay_r_l3() {
    for (source, answer, to) in [
        (
            "Here is the translation: Bread",
            "Aquí está la traducción: Pan",
            "es",
        ),
        ("Translation: bread", "Traducción: pan", "es"),
        (
            "Our translation service",
            "Nuestro servicio de traducción: pan",
            "es",
        ),
        (
            "Localization: how it works",
            "Traducción: cómo funciona",
            "es",
        ),
        ("Hours: 9 to 5", "Horario: de 9 a 5", "es"),
        ("Languages: Spanish", "Idiomas: español", "es"),
        ("Spanish: bread", "Español: pan", "es"),
        ("Of course!", "¡Por supuesto!", "es"),
        ("Sure!", "Sure!", "de"),
        ("\"Our bread\"", "\"Nuestro pan\"", "es"),
        (
            "\"Our bread\" and \"your wine\"",
            "\"Nuestro pan\" y \"su vino\"",
            "es",
        ),
        (
            "Our bread (Note: fresh)",
            "Nuestro pan (Nota: fresco)",
            "es",
        ),
        (
            "Our bread. Note: it is fresh.",
            "Unser Brot. Note: sehr gut.",
            "de",
        ),
        ("Bread (fresh)", "Pan (fresco)", "es"),
        ("Bread * and wine *", "Pan * y vino *", "es"),
        ("**Bread**", "**Pan**", "es"),
        ("C:\\new", "C:\\new", "de"),
        ("Press \\n", "Pulse \\n", "es"),
        ("2 * 3", "2 * 3 y", "es"),
        ("#1 bakery", "# 1 panadería", "es"),
        ("It's fresh", "'t Is vers", "nl"),
        ("Bread", "\"", "es"),
        ("Bread", "Traducción:", "es"),
        ("Say “hi” to us", "Diga «hola»", "es"),
    ] {
        assert_eq!(cleaned(source, answer, to), answer, "{source}");
    }
}

#[test]
fn notes_of_the_source_stay_r_l3() {
    for (source, answer, to) in [
        (
            "Unser Brot ist frisch. Hinweis: Montags ist zu.",
            "Notre pain est frais. Note : fermé le lundi.",
            "fr",
        ),
        (
            "Frisch.\nHinweis: Montags ist zu.",
            "Frais.\nNote : fermé le lundi.",
            "fr",
        ),
        (
            "Bread. Remark: closed at 5 pm (on Mondays).",
            "Pain. Note : fermé à 17:00 (le lundi).",
            "fr",
        ),
        (
            "Bread (important: ask first)",
            "Pan (nota: pregunte antes)",
            "es",
        ),
        ("Call N.B.: it is loud", "Llame (nota: es ruidoso)", "es"),
        ("Open: Monday", "Offen (Hinweis: Montag)", "de"),
    ] {
        assert_eq!(cleaned(source, answer, to), answer, "{source}");
    }
    assert_eq!(
        cleaned(
            "Our notes at 5: bread",
            "Nuestras notas a las 5: pan (Nota: formal)",
            "es"
        ),
        "Nuestras notas a las 5: pan"
    );
}

#[test]
fn only_labels_of_fences_are_stripped_r_l3() {
    for (answer, expected) in [
        ("```spanish\nNuestro pan\n```", "Nuestro pan"),
        ("```\nNuestro pan\n```", "Nuestro pan"),
        ("```Nuestro pan\nde hoy\n```", "Nuestro pan\nde hoy"),
        ("```Pan\n```", "Pan"),
    ] {
        assert_eq!(cleaned("Our bread", answer, "es"), expected, "{answer:?}");
    }
    assert_eq!(
        cleaned("Bread\nand wine", "```Bread\ny vino```", "es"),
        "Bread\ny vino"
    );
}

#[test]
fn refusals_are_no_translation_r_l3() {
    for (target, to) in [
        ("I'm sorry, but I can't assist with that.", "es"),
        ("I’m sorry, but I can’t translate this.", "es"),
        ("I cannot translate this text.", "de"),
        ("As an AI, I do not bake.", "fr"),
        ("As an AI language model, I cannot do that.", "en"),
        ("I'm sorry, but I can't assist with that request.", "en"),
        ("Lo siento, pero no puedo ayudar con eso.", "es"),
        ("Como modelo de lenguaje, no tengo opinión.", "es"),
        (
            "Je suis désolé, mais je ne peux pas traduire ce texte.",
            "fr",
        ),
        (
            "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.",
            "de",
        ),
        ("Als KI kann ich das nicht.", "de"),
        ("I'm unable to translate this.", "es"),
        ("作为AI语言模型，我无法翻译。", "zh"),
        ("كنموذج لغوي، لا رأي لي.", "ar"),
        ("Mi dispiace, ma non posso aiutarti.", "it"),
        ("Desculpe, não posso ajudar com isso.", "pt"),
        ("Извините, но я не могу помочь с этим.", "ru"),
        (
            "申し訳ありませんが、そのリクエストにはお応えできません。",
            "ja",
        ),
        ("抱歉，我无法翻译这段文字。", "zh"),
        ("죄송하지만 번역할 수 없습니다.", "ko"),
        ("Nuestro pan. Let me know if you need more!", "es"),
        ("The translation of this text is nuestro pan", "es"),
        ("Nuestro caf\\u00e9", "es"),
    ] {
        assert!(is_talk("Our bread", target, to), "{target}");
    }
    for (source, target, to) in [
        (
            "I'm sorry, but I can't bake today.",
            "Lo siento, pero no puedo hornear hoy.",
            "es",
        ),
        (
            "I'm sorry, but I can't",
            "Es tut mir leid, aber ich kann nicht",
            "de",
        ),
        (
            "Es tut mir leid, ich kann heute nicht.",
            "I'm sorry, I can't come today.",
            "en",
        ),
        ("Ich kann nicht helfen", "I can't help", "en"),
        ("As an AI company, we bake.", "Como IA, horneamos.", "es"),
        ("Wir sind da", "Sorry we are here", "en"),
        (
            "The page was not found",
            "申し訳ありませんが、ページが見つかりません",
            "ja",
        ),
        ("Something went wrong", "Lo siento, algo salió mal", "es"),
        (
            "Listen to “I Can't Help Myself”",
            "Escuche «I Can't Help Myself»",
            "es",
        ),
        (
            "Unfortunately we are closed",
            "К сожалению, я не могу открыть",
            "ru",
        ),
        ("Our bread", "Nuestro pan", "es"),
        ("When I was a child", "Als Kind war ich", "de"),
        ("Comme compagnie aérienne", "As an airline, we fly", "en"),
        ("As a host", "Als Airbnb-verhuurder", "nl"),
        ("Como IATA exige", "Como IATA exige", "pt"),
        (
            "Je n'arrive pas à me connecter",
            "I'm unable to log in",
            "en",
        ),
        ("Ich komme nicht hinein", "I'm not able to get in", "en"),
        (
            "Je ne peux pas fournir de reçu.",
            "I'm unable to provide a receipt.",
            "en",
        ),
        ("Path C:\\users", "Ruta C:\\users", "es"),
    ] {
        assert!(!is_talk(source, target, to), "{target}");
    }
}
