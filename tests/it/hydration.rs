//! Pages that scripts draw again, in a browser: three small sites by React, Vue and Svelte, and pages by hand whose scripts
//! do what the live script must live with. `tests/run` installs what makes and what visits them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Site, repository, tool};

const FRAMEWORKS: [&str; 3] = ["react", "vue", "svelte"];

/// Each address pattern, by the name that `visit.mjs` has for it.
const PATTERNS: [(&str, &str); 2] =
    [("host", "https://{lang}.example.com"), ("path", "https://www.example.com/{lang}")];

/// What a program of `tests/it/support/hydration` printed.
fn node(program: &str, modules: &Path, arguments: &[&str]) -> Vec<u8> {
    let path = repository().join("tests/it/support/hydration").join(program);
    let output = Command::new("node").arg(path).args(arguments).env("NODE_PATH", modules).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Makes the three sites, localizes them at both patterns, and visits them in a language.
fn visit(locale: &str, pace: &str) {
    let all = Site::new("", &[]);
    let root = all.folder().to_str().unwrap();
    node("bundle.mjs", &tool("LATIMER_TEST_HYDRATION"), &[root]);
    for name in FRAMEWORKS {
        for (pattern, url) in PATTERNS {
            let folder = format!("{name}/{pattern}");
            let keys = "source = \"../source\"\nsource_locale = \"en\"\nlocales = [\"en-XA\", \"ar-XB\"]\nengine = [\"pseudo\"]";
            let texts = "translations = \"../../texts/{lang}.po\"";
            let toml = format!("[[site]]\nid = \"site\"\n{keys}\n{texts}\nurl = \"{url}\"\n");
            all.write(&format!("{folder}/latimer.toml"), &toml);
            let ran = all.run(&["build", "--quiet", "--config", &format!("{folder}/latimer.toml")]);
            assert_eq!(ran.code, 0, "{folder}: {}", ran.stderr);
        }
    }
    let seen = node("visit.mjs", &tool("LATIMER_TEST_BROWSER"), &[root, locale, pace]);
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    for name in FRAMEWORKS {
        for (pattern, _) in PATTERNS {
            let one = &seen[name][pattern];
            assert_eq!((&one["wrong"], &one["errors"]), (&json!({}), &json!([])), "{name} {pattern}: {one:#}");
            assert_eq!((&one["sourceErrors"], &one["sourceFaults"]), (&json!([]), &json!([])), "{name}: {one:#}");
            assert_eq!(one["isGood"], true, "{name} {pattern}: {one:#}");
            assert!(one["atLoad"][1].as_u64().unwrap() >= 30, "{name} {pattern}: {one:#}");
        }
    }
}

mod needs_chromium {
    mod needs_frameworks {
        use super::super::*;

        #[test]
        #[ignore = "needs Chromium, npm packages"]
        fn pages_by_react_vue_and_svelte_keep_their_language() {
            visit("en-XA", "early");
        }

        mod nightly {
            use super::*;

            #[test]
            #[ignore = "takes a minute, and needs Chromium, npm packages"]
            fn pages_by_frameworks_keep_their_language_from_right_to_left_and_with_late_scripts() {
                visit("ar-XB", "late");
            }
        }
    }
}
