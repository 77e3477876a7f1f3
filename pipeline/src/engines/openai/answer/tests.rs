//! The forms of answers that models give, and those that are not taken.

use super::*;

/// Reads the answer to some texts; sources differ.
fn answers(content: &str, count: usize) -> Option<Vec<Result<String, Unanswered>>> {
    let sources: Vec<String> = (1..=count).map(|at| format!("source {at}")).collect();
    read(content, &sources)
}

fn texts(texts: &[&str]) -> Option<Vec<Result<String, Unanswered>>> {
    Some(texts.iter().map(|text| Ok((*text).to_owned())).collect())
}

const TWO: &str = r#"{"translations":[{"id":1,"text":"uno"},{"id":2,"text":"dos"}]}"#;
const DRAFT: &str = r#"{"translations":[{"id":1,"text":"un"},{"id":2,"text":"do"}]}"#;

#[test]
fn thoughts_are_no_answer_r_l1() {
    let brackets = "[x] {y} ".repeat(100);
    let unended = "[ { ".repeat(300);
    for content in [
        format!("<think>A {DRAFT}</think>{TWO}"),
        format!("<think>{brackets}</think>\n\n{TWO}"),
        format!("Okay: {DRAFT} hm.\n</think>\n{TWO}"),
        format!("<thinking>{DRAFT}</thinking>{TWO}"),
        format!("[THINK]{unended}[/THINK]{TWO}"),
        format!("◁think▷{DRAFT}◁/think▷{TWO}"),
        format!("<|channel|>analysis<|message|>{DRAFT}<|end|><|channel|>final<|message|>{TWO}"),
        format!("<think>one</think> hm <think>{DRAFT}</think> {TWO}"),
        format!("{unended} {TWO}"),
        format!("Draft: {DRAFT}\nBetter: {TWO}\nI hope [this] helps {{you}}."),
    ] {
        assert_eq!(answers(&content, 2), texts(&["uno", "dos"]), "{content}");
    }
    // An answer that ends within the reasoning is none.
    for content in [
        format!("<think>{DRAFT}"),
        format!("<think>{DRAFT}</think> I cannot do that."),
    ] {
        assert_eq!(answers(&content, 2), None, "{content}");
    }
    let page = r#"<think>x</think>[{"id":1,"text":"la marca </think> y <think>"}]"#;
    assert_eq!(answers(page, 1), texts(&["la marca </think> y <think>"]));
}

#[test]
fn the_last_complete_list_counts_and_translations_go_first_r_l1() {
    let partial = r#"{"translations":[{"id":1,"text":"x"}]}"#;
    let alternatives = r#"{"alternatives":[{"id":1,"text":"x"},{"id":2,"text":"y"}],"#;
    let texts_asked = r#"{"texts":[{"id":1,"text":"one"},{"id":2,"text":"two"}]}"#;
    for content in [
        format!("{DRAFT}{TWO}"),
        format!("{TWO}{partial}"),
        format!("{partial}{TWO}"),
        format!("{alternatives}{}", &TWO[1..]),
        format!("{},\"notes\":[\"usted\"]}}", &TWO[..TWO.len() - 1]),
        format!("{TWO}\nYou sent {texts_asked}"),
        format!("{{\"result\":{TWO}}}"),
        format!("```json\n{TWO}\n```"),
    ] {
        assert_eq!(answers(&content, 2), texts(&["uno", "dos"]), "{content}");
    }
}

#[test]
fn other_forms_of_an_answer_are_taken_r_l1() {
    for content in [
        r#"{"translations":[{"id":2,"text":"dos"},{"id":"1","text":"uno"}]}"#,
        r#"[{"id":1,"text":"uno"},{"id":2,"text":"dos"}]"#,
        r#"{"1":"uno","2":"dos"}"#,
        r#"{"translations":{"1":"uno","2":"dos"}}"#,
        r#"{"translations":["uno","dos"]}"#,
        r#"["uno", "dos"]"#,
        r#"{"translations":[{"text":"uno"},{"text":"dos"}]}"#,
        r#"{"translations":[{"id":1,"translation":"uno"},{"id":2,"translation":"dos"}]}"#,
        r#"[{"id":1,"text":"one","translation":"uno"},{"id":2,"text":"two","translation":"dos"}]"#,
        r#"{"translations":[{"id":1.0,"text":"uno"},{"id":"2.0","text":"dos"}]}"#,
        r##"{"translations":[{"id":"id1","text":"uno"},{"id":"#2","text":"dos"}]}"##,
        r#"{"translations":[{"id":1,"text":"uno"},{"id":2,"text":"dos"},],}"#,
        "{\"id\":1,\"text\":\"uno\"}\n{\"id\":2,\"text\":\"dos\"}",
        "{'translations': [{'id': 1, 'text': 'uno'}, {'id': 2, 'text': \"dos\"}]}",
        r#""{\"translations\":[{\"id\":1,\"text\":\"uno\"},{\"id\":2,\"text\":\"dos\"}]}""#,
    ] {
        assert_eq!(answers(content, 2), texts(&["uno", "dos"]), "{content}");
    }
    for content in [
        r#"{"id":1,"text":"uno"}"#,
        r#"{"text":"uno"}"#,
        r#"{"translation":"uno","notes":["formal"]}"#,
        r#"{"translations":"uno"}"#,
        r#"{"translations":{"id":1,"text":"uno"}}"#,
        r#"{"translations":{"text":"uno"}}"#,
        r#"["uno"]"#,
        r#"You sent ["one"]; here: {"id":"1","text":"uno",}"#,
    ] {
        assert_eq!(answers(content, 1), texts(&["uno"]), "{content}");
    }
    for (content, expected) in [
        (
            "{\"translations\":[{\"id\":1,\"text\":\"a\n\"b\"\"}]}",
            texts(&["a\n\"b\""]),
        ),
        (
            "[{\"id\":1,\"text\":\"un <g id=\"1\">dos</g> <x id=\"2\"/>\"}]",
            texts(&["un <g id=\"1\">dos</g> <x id=\"2\"/>"]),
        ),
        (
            "{\"translations\":[{\"id\":1,\"text\":\"a\r\n\tb \\\"c\\\" \\' \\u00e9\"}]}",
            texts(&["a\r\n\tb \"c\" ' é"]),
        ),
        (
            r"[{'id': 1, 'text': 'l\'eau \'dit\' \\ “x, ]”'}]",
            texts(&["l'eau 'dit' \\ “x, ]”"]),
        ),
        (r#"[{"id":1,"text":"a, ] b ,}",}]"#, texts(&["a, ] b ,}"])),
    ] {
        assert_eq!(answers(content, 1), expected, "{content}");
    }
}

#[test]
fn one_broken_entry_harms_no_other_r_l1() {
    let content =
        r#"[{"id":1,"text":"a"},{"id":1,"text":"b"},{"id":1,"text":"c"},{"id":3,"text":"d"}]"#;
    assert_eq!(
        answers(content, 3).unwrap(),
        [
            Err(Unanswered::Doubled),
            Err(Unanswered::Missing),
            Ok("d".to_owned())
        ]
    );
    let broken = r#"{"translations":[{"id":1,"text":"a"},{"id":2,"text":"the "b", c"},{"id":3,"text":"c"}]}"#;
    let cut = r#"{"translations":[{"id":1,"text":"a"},{"id":2,"text":"th"#;
    assert_eq!(
        answers(broken, 3).unwrap(),
        [
            Ok("a".to_owned()),
            Err(Unanswered::Missing),
            Ok("c".to_owned())
        ]
    );
    assert_eq!(
        answers(cut, 2).unwrap(),
        [Ok("a".to_owned()), Err(Unanswered::Missing)]
    );
}

#[test]
fn answers_that_cannot_be_told_apart_are_not_taken_r_l2() {
    for content in [
        r#"[{"id":1,"text":"a"},{"id":2,"text":"b"},{"id":3,"text":"c"}]"#,
        r#"[{"id":0,"text":"a"},{"id":1,"text":"b"}]"#,
        r#"{"1":"a","2":"b","99":"c"}"#,
        r#"{"translations":[{"id":7,"translation":"a"}]}"#,
    ] {
        assert_eq!(
            answers(content, 2).unwrap(),
            [Err(Unanswered::Numbers), Err(Unanswered::Numbers)],
            "{content}"
        );
    }
    let same = |content: &str, sources: &[&str]| -> Vec<bool> {
        let sources: Vec<String> = sources.iter().map(|text| (*text).to_owned()).collect();
        let answers = read(content, &sources).unwrap();
        answers
            .iter()
            .map(|answer| *answer == Err(Unanswered::Same))
            .collect()
    };
    let sources = ["Our bread", "We bake", "Every day", "Come in"];
    assert_eq!(
        same(r#"["a","b","c","b "]"#, &sources),
        [false, true, false, true]
    );
    assert_eq!(same(r#"["x","x","x","x"]"#, &sources), [true; 4]);
    // The second text was merged into the first answer, and the third moved up.
    assert_eq!(
        same(r#"["a b","c","c","d"]"#, &sources),
        [true, true, true, false]
    );
    assert_eq!(
        same(
            r#"["a","a","b","c"]"#,
            &["Contact", "contact:", "We bake", "Come in"]
        ),
        [false; 4]
    );
}

#[test]
fn what_is_no_list_is_refused_whole() {
    for content in [
        "",
        "I cannot do that.",
        "{\"translations\":[{\"id\":1,\"te",
        "{\"translations\":[]}",
        "[1, 2]",
        "{}",
        "\"x\"",
    ] {
        assert_eq!(answers(content, 2), None, "{content}");
    }
    assert_eq!(answers(&format!("{TWO}{}", " ".repeat(LONGEST)), 2), None);
}
