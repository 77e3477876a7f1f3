//! A program that behaves badly in every way we could think of. Each case proves that the run ends in bounded time,
//! that good answers are kept, and that every refused text has a reason.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;

use super::*;
use crate::page::Segment;
use crate::translate::example::{plain, segment, translated};
use crate::translate::{Chain, SegmentOutcome};

/// How long a program may stay silent that never answers anyway.
const PATIENCE: Duration = Duration::from_millis(2_500);
/// How long one may stay silent that will answer: Python takes its time to start on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// The frame of every program: `answer(question)` gives the lines to write.
const FRAME: &str = r#"
import json, sys, time, os
out = sys.stdout.buffer
def say(id, text): return json.dumps({"id": id, "text": text}).encode() + b"\n"
def answer(q):
    id, text = q["id"], q["text"]
    BODY
for line in sys.stdin.buffer:
    out.write(answer(json.loads(line)) or b"")
    out.flush()
"#;

/// Runs texts through a program whose `answer` has this body and may stay silent so long.
async fn run(
    body: &str,
    segments: &[Segment],
    silence: Duration,
) -> (BTreeMap<usize, String>, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.py");
    std::fs::write(&file, FRAME.replace("BODY", &body.replace('\n', "\n    "))).unwrap();
    let engine = CommandEngine::new("python3", &[file.to_str().unwrap().to_owned()], &[])
        .with_silence(silence);
    let chain = Chain::new(vec![("command".into(), Arc::new(engine))]);
    let began = Instant::now();
    let (told, _) = translated(&chain, segments, "es").await;
    (told, began.elapsed())
}

async fn check(body: &str, markup: &str, elements: &[&str], expected: &str) {
    let silence = if expected.contains("no answer") {
        PATIENCE
    } else {
        LONG
    };
    let (told, took) = run(body, &[segment(markup, elements)], silence).await;
    assert!(
        told[&0].starts_with(expected),
        "{body}: {} instead of {expected}",
        told[&0]
    );
    assert!(took < silence * 6, "{body} took {took:?}");
}

const CODED: &str = "Read <g id=\"1\">this</g> &lt;b&gt; <x id=\"2\"/>";

#[tokio::test]
async fn rubbish_answers_are_refused_with_a_reason_f16_f31() {
    let elements = ["a", "img"];
    let cases = [
        (
            "return say(id, text.replace('Read', 'Lee'))",
            "Lee <g id=\"1\">this</g> &lt;b&gt; <x id=\"2\"/>",
        ),
        ("return say(str(id), text)", "Read"),
        // Codes that are lost twice are asked for in parts (R-L15).
        (
            "return say(id, 'no codes')",
            "no codes <g id=\"1\">no codes</g> no codes <x id=\"2\"/>",
        ),
        (
            "return say(id, text + '<x id=\"2\"/>')",
            "Read <g id=\"1\">this</g> &lt;b&gt; <x id=\"2\"/>",
        ),
        (
            "return say(id, text + '<x id=\"9\"/>')",
            "Read <g id=\"1\">this</g> &lt;b&gt; <x id=\"2\"/>",
        ),
        (
            "return say(id, text + '<script>alert(1)</script>')",
            "! command: it contains markup that is not an inline code: <script>",
        ),
        (
            "return say(id, text + '&lt;script&gt;')",
            "Read <g id=\"1\">this</g> &lt;b&gt; <x id=\"2\"/>&lt;script&gt;",
        ),
        (
            "return say(id, text.replace('Read', 'didn&#39;t'))",
            "didn't <g id=\"1\">this",
        ),
        (
            "return say(id, '')",
            "! command: a part of it came back empty",
        ),
        (
            "return say(id, 'palabra ' * 12500)",
            "! command: it is 300000 characters long",
        ),
        ("return say(id, text.replace('Read', 'L\\0ee'))", "Lee <g"),
        (
            "return b'{\"id\": %d, \"text\": \"caf\\xe9\"}\\n' % id",
            "! command: the answer is not UTF-8",
        ),
        (
            "return json.dumps({'id': id}).encode() + b'\\n'",
            "! command: the answer has no text",
        ),
        (
            "return b'debug: hello\\n{\"id\": 77, \"text\": \"x\"}\\n' + say(id, text)",
            "Read <g",
        ),
        ("return say(id, text) + say(id, 'twice')", "Read <g"),
    ];
    join_all(cases.map(|(body, expected)| check(body, CODED, &elements, expected))).await;
}

#[tokio::test]
async fn a_program_that_never_answers_is_given_up_in_bounded_time() {
    let cases = [
        ("return b''", "! command: no answer within"),
        ("time.sleep(1000)", "! command: no answer within"),
        (
            "while True:\n    out.write(b'noise\\n'); out.flush(); time.sleep(0.01)",
            "! command: no answer within",
        ),
        (
            "os.system('sleep 1000 &'); os._exit(3)",
            "! command: no answer within",
        ), // the child keeps the pipe open
        ("os._exit(1)", "! command: the program ended"),
        (
            "out.write(b'\\nUsage: translate\\nmore'); out.flush(); os._exit(2)",
            "! command: the program ended; it never answered, and its first line was \"Usage: translate\"",
        ),
        (
            "os.close(0); time.sleep(1000)",
            "! command: no answer within",
        ),
    ];
    join_all(cases.map(|(body, expected)| check(body, "Some text", &[], expected))).await;
}

#[tokio::test]
async fn hanging_costs_at_most_one_silence_for_each_start() {
    let texts: Vec<Segment> = (0..300).map(|n| plain(&format!("text {n}"))).collect();
    let (told, took) = run("time.sleep(1000)", &texts, PATIENCE).await;
    assert!(
        told.values().all(|text| text.starts_with("! command: ")),
        "{told:?}"
    );
    assert!(told[&299].contains("given up"), "{}", told[&299]);
    assert!(took < PATIENCE * (STARTS + 2), "{took:?}");
}

#[tokio::test]
async fn one_text_that_kills_the_program_does_not_take_the_others() {
    let texts: Vec<Segment> = ["one", "two", "poison", "three"].map(plain).into();
    let body = "if text == 'poison': os._exit(1)\nreturn say(id, text.upper())";
    let (told, _) = run(body, &texts, LONG).await;
    assert_eq!(
        told.values().map(String::as_str).collect::<Vec<_>>(),
        ["ONE", "TWO", "! command: the program ended", "THREE",]
    );
}

#[tokio::test]
async fn answers_may_come_in_any_order_and_are_pipelined() {
    let texts: Vec<Segment> = (0..40).map(|n| plain(&format!("text {n}"))).collect();
    // Twenty questions are read before the first is answered, backwards.
    let body = "global held\nheld = globals().get('held', []) + [say(id, text.upper())]\nif len(held) < 20: return b''\nheld, ready = [], held\nreturn b''.join(reversed(ready))";
    let (told, took) = run(body, &texts, LONG).await;
    for (n, text) in told {
        assert_eq!(text, format!("TEXT {n}"));
    }
    assert!(took < LONG, "{took:?}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let engine = CommandEngine::new("latimer-has-no-such-program", &[], &[]);
    let chain = Chain::new(vec![("command".into(), Arc::new(engine))]);
    let languages = LanguagePair::of_tags("en", "es");
    let mut reason = String::new();
    chain
        .translate(
            languages.as_ref(),
            &[plain("text")],
            &mut |_, outcome| match outcome {
                SegmentOutcome::Refused(refusal) => reason = refusal.reasons.to_string(),
                SegmentOutcome::Translated { .. }
                | SegmentOutcome::Untouched
                | SegmentOutcome::Unavailable => {}
            },
        )
        .await;
    assert!(
        reason.contains("cannot start latimer-has-no-such-program"),
        "{reason}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_zombie_and_no_grandchild_stays_behind() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let body = format!(
        "import subprocess\np = subprocess.Popen(['sleep', '1000'])\nopen({pids:?}, 'a').write(f'{{os.getpid()}} {{p.pid}} ')\ntime.sleep(1000)"
    );
    run(&body, &[plain("text")], PATIENCE).await;
    let pids = std::fs::read_to_string(pids).unwrap();
    assert!(pids.split_whitespace().count() >= 4, "{pids}");
    for pid in pids.split_whitespace() {
        // A killed process takes a moment to go; a grandchild is reaped by the init process, when it gets to it.
        let mut status = String::new();
        for _ in 0..200 {
            status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if status.is_empty() || status.contains(") Z 1 ") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let is_other = !status.contains("(sleep)") && !status.contains("(python3)");
        assert!(
            status.is_empty() || status.contains(") Z 1 ") || is_other,
            "{status}"
        );
    }
}
