//! Refusals of language models, in lower case and with plain apostrophes.

/// True for an answer in which a model declines its task instead of doing it.
pub(crate) fn declines(answer: &str) -> bool {
    let answer = answer.trim().to_lowercase().replace(['’', 'ʼ'], "'");
    REFUSALS.iter().any(|refusal| refuses(&answer, refusal))
        || ASSISTANTS.iter().any(|words| answer.starts_with(words))
}

/// True if an answer in lower case begins with a phrase of [`REFUSALS`] and has one of those that must follow.
pub(crate) fn refuses(answer: &str, (opening, rest): &(&str, &str)) -> bool {
    answer.starts_with(opening)
        && (rest.is_empty() || rest.split('|').any(|words| answer.contains(words)))
}

/// Phrases that only an assistant says, at the beginning of a sentence.
pub(crate) const ASSISTANTS: &[&str] = &[
    "as an ai",
    "as a language model",
    "as a large language model",
    "i'm just an ai",
    "i am an ai",
    "i'm an ai",
    "como modelo de lenguaje",
    "como una ia",
    "como inteligencia artificial",
    "en tant qu'ia",
    "en tant que modèle de langage",
    "en tant qu'intelligence artificielle",
    "als ki",
    "als sprachmodell",
    "als künstliche intelligenz",
    "come modello linguistico",
    "in quanto ia",
    "in quanto modello linguistico",
    "como modelo de linguagem",
    "como uma ia",
    "como um modelo de linguagem",
    "como un modelo de lenguaje",
    "als ai",
    "als taalmodel",
    "som en ai",
    "som ai",
    "jako model językowy",
    "jako sztuczna inteligencja",
    "jako jazykový model",
    "как языковая модель",
    "как искусственный интеллект",
    "як мовна модель",
    "作为ai",
    "作为一个ai",
    "作为人工智能",
    "作为一个人工智能",
    "作為ai",
    "作為一個ai",
    "作為人工智慧",
    "aiとして",
    "言語モデルとして",
    "ai로서",
    "언어 모델로서",
    "كنموذج لغة",
    "كنموذج لغوي",
    "bir yapay zeka",
    "yapay zeka olarak",
];

/// Phrases of a refusal after "I'm unable to". Without them, the answer may translate a visitor's question.
pub(crate) const INABILITIES: &str = "translat|assist|help with|provide|fulfill|comply";

/// Beginnings of refusals, each with phrases, separated by `|`, of which one must follow. A beginning without phrases
/// is a refusal by itself.
pub(crate) const REFUSALS: &[(&str, &str)] = &[
    (
        "i'm sorry",
        "i can't|i cannot|i can not|i'm unable|i am unable|i'm not able|unable to|assist|translat",
    ),
    (
        "i am sorry",
        "i can't|i cannot|i can not|i'm unable|i am unable|unable to|assist|translat",
    ),
    (
        "sorry",
        "i can't|i cannot|i'm unable|i am unable|assist|translat",
    ),
    ("i apologize", "i can't|i cannot|unable|assist|translat"),
    (
        "unfortunately",
        "i can't translat|i cannot translat|i'm unable|i am unable|can't assist|cannot assist",
    ),
    ("i can't translate", ""),
    ("i can't assist", ""),
    ("i can't help", ""),
    ("i can't provide", ""),
    ("i can't fulfill", ""),
    ("i cannot translate", ""),
    ("i cannot assist", ""),
    ("i cannot help", ""),
    ("i cannot provide", ""),
    ("i cannot fulfill", ""),
    ("i'm unable to", INABILITIES),
    ("i am unable to", INABILITIES),
    ("i'm not able to", INABILITIES),
    ("i won't translate", ""),
    ("lo siento", "no puedo"),
    ("disculp", "no puedo"),
    ("lamento", "no puedo|não posso|não consigo"),
    ("no puedo traducir", ""),
    ("no puedo ayudar", ""),
    ("no puedo proporcionar", ""),
    ("no puedo cumplir", ""),
    (
        "désolé",
        "je ne peux pas|je ne suis pas en mesure|je ne puis",
    ),
    (
        "je suis désolé",
        "je ne peux pas|je ne suis pas en mesure|je ne puis",
    ),
    ("je m'excuse", "je ne peux pas|je ne suis pas en mesure"),
    ("je ne peux pas traduire", ""),
    ("je ne peux pas vous aider", ""),
    ("je ne peux pas répondre", ""),
    ("es tut mir leid", "ich kann|nicht übersetzen"),
    ("tut mir leid", "ich kann|kann ich|nicht übersetzen"),
    ("entschuldig", "ich kann|kann ich"),
    (
        "leider kann ich",
        "übersetz|dabei nicht|nicht helfen|anfrage",
    ),
    ("ich kann das nicht übersetzen", ""),
    ("ich kann diesen text nicht", ""),
    ("ich kann dir dabei nicht", ""),
    ("ich kann ihnen dabei nicht", ""),
    ("mi dispiace", "non posso|non sono in grado"),
    ("spiacente", "non posso|non sono in grado"),
    ("non posso tradurre", ""),
    ("non posso aiutar", ""),
    ("desculp", "não posso|não consigo"),
    ("sinto muito", "não posso|não consigo"),
    ("não posso traduzir", ""),
    ("não posso ajudar", ""),
    ("het spijt me", "ik kan|kan ik"),
    ("helaas kan ik", "vertal|niet helpen|verzoek"),
    ("ik kan dit niet vertalen", ""),
    ("jag är ledsen", "jag kan inte|kan jag inte"),
    ("jag kan inte hjälpa", ""),
    ("jag kan inte översätta", ""),
    ("jeg beklager", "jeg kan ikke|kan jeg ikke"),
    ("beklager", "jeg kan ikke|kan jeg ikke"),
    ("przykro mi", "nie mogę"),
    ("przepraszam", "nie mogę"),
    ("nie mogę przetłumaczyć", ""),
    ("omlouvám se", "nemohu|nemůžu"),
    ("извините", "я не могу"),
    ("простите", "я не могу"),
    ("к сожалению", "я не могу"),
    ("я не могу перевести", ""),
    ("я не могу помочь", ""),
    ("я не могу выполнить", ""),
    ("вибачте", "я не можу"),
    ("на жаль", "я не можу"),
    ("申し訳", "翻訳|お手伝い|お応え|お答え|対応でき"),
    ("すみません", "翻訳|お手伝い|お応え|お答え|対応でき"),
    ("抱歉", "我无法|我不能|我無法|无法翻译|不能翻译|無法翻譯"),
    ("很抱歉", "我无法|我不能|我無法|无法翻译|不能翻译|無法翻譯"),
    ("对不起", "我无法|我不能|无法翻译|不能翻译"),
    ("對不起", "我無法|我不能|無法翻譯"),
    ("我无法翻译", ""),
    ("我無法翻譯", ""),
    ("죄송", "번역|도와|도움"),
    ("عذر", "لا أستطيع|لا يمكنني"),
    ("آسف", "لا أستطيع|لا يمكنني"),
    ("أعتذر", "لا أستطيع|لا يمكنني"),
    ("üzgünüm", "yapamam|edemem|çeviremem|yardımcı olamam"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_distinguished_from_translations_r_l12() {
        for answer in [
            "I’m sorry, but I can’t help with that.",
            " As an AI, I …",
            "抱歉，我无法翻译。",
            "I'm unable to comply.",
        ] {
            assert!(declines(answer), "{answer}");
        }
        for answer in [
            "Nuestro pan",
            "Sorry, no JSON.",
            "",
            "[1]",
            "I'm unable to log in",
        ] {
            assert!(!declines(answer), "{answer}");
        }
    }
}
