//! Headings in title case, published in sentence case (R-H2).

use crate::support::Site;

/// An engine that adds a letter to each word and keeps its capitals.
const ENGINE: &str = r#"
import json, re, sys
for line in sys.stdin:
    ask = json.loads(line)
    parts = re.split(r"(<[^>]*>|&\w+;)", ask["text"])
    parts[::2] = [re.sub(r"([A-Za-z]+)", r"\1x", part) for part in parts[::2]]
    print(json.dumps({"id": ask["id"], "text": "".join(parts)}), flush=True)
"#;

const GUIDE: &str = "<!doctype html><html lang=en><title>Guide</title><h1>Installing the Package Manager</h1>\
    <p>When you are installing a package, the manager of the package helps you.</p><h2>Living in Germany</h2>\
    <p>For those who are living there: Germany has a server of its own.</p>";

fn site(keys: &str) -> Site {
    let engine =
        "[engine.own]\nkind = \"command\"\nprogram = \"python3\"\nargs = [\"engine.py\"]\n";
    let index = "<!doctype html><html lang=en><title>Home</title><a href=guide.html>Package Manager</a><p>Read on here.</p>";
    let keys = format!("locales = [\"es\", \"de\"]\nengine = \"own\"\n{keys}{engine}");
    let site = Site::new(&keys, &[("index.html", index), ("guide.html", GUIDE)]);
    site.write("engine.py", ENGINE);
    site
}

#[test]
fn words_that_a_site_writes_in_lower_case_lose_their_capitals_r_h2() {
    let site = site("");
    site.build(&[], 0);
    let guide = site.read("dist/site/es/guide.html");
    assert!(
        guide.contains(">Installingx thex packagex managerx</h1>"),
        "{guide}"
    );
    assert!(
        guide.contains(">Livingx inx Germanyx</h2>"),
        "a name keeps its capital: {guide}"
    );
    assert!(
        site.read("dist/site/es/index.html")
            .contains(">Packagex managerx</a>"),
        "links are like headings"
    );
    assert!(
        site.read("dist/site/de/guide.html")
            .contains(">Installingx thex Packagex Managerx</h1>")
    );
    // The words of pages that are not read again still count.
    site.edit(
        "source/index.html",
        "Read on here.",
        "Read on here.</p><h3>The Manager</h3><p>That is all.",
    );
    site.build(&[], 0);
    assert!(
        site.read("dist/site/es/index.html")
            .contains(">Thex managerx</h3>")
    );
}

#[test]
fn title_case_stays_with_headings_keep_r_h2() {
    let site = site("[site.locale.es]\nheadings = \"keep\"\n");
    site.build(&[], 0);
    assert!(
        site.read("dist/site/es/guide.html")
            .contains(">Installingx thex Packagex Managerx</h1>")
    );
}
