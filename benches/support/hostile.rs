//! Pages made to hurt: each is one thing, repeated until it is large. The benchmark measures them, and the tests count
//! the steps that they take.

/// A kind of hostile page: `start`, then `unit` many times, `middle`, and `end` as many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// What it is made of.
    pub(crate) name: &'static str,
    start: &'static str,
    /// `{}` stands for a number that is different each time.
    unit: &'static str,
    middle: &'static str,
    end: &'static str,
}

impl Shape {
    /// A page of this kind, of about as many bytes.
    pub(crate) fn page(&self, bytes: usize) -> String {
        let mut page = String::with_capacity(bytes + 64);
        page.push_str(self.start);
        let mut times = 0;
        let fixed = self.start.len() + self.middle.len();
        while times == 0 || page.len() + self.end.len() * times + fixed < bytes {
            match self.unit.split_once("{}") {
                Some((before, after)) => {
                    page.push_str(before);
                    page.push_str(&times.to_string());
                    page.push_str(after);
                }
                None => page.push_str(self.unit),
            }
            times += 1;
        }
        page.push_str(self.middle);
        for _ in 0..times {
            page.push_str(self.end);
        }
        page
    }
}

const fn shape(
    name: &'static str,
    start: &'static str,
    unit: &'static str,
    middle: &'static str,
    end: &'static str,
) -> Shape {
    Shape {
        name,
        start,
        unit,
        middle,
        end,
    }
}

/// Deeper than anything is looked for.
const DEEP: &str = concat!(
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
    "<b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b><b>",
);

/// The kinds.
pub(crate) const SHAPES: [Shape; 56] = [
    shape(
        "translate=no and yes, nested, left open",
        "<p>",
        "<span translate=no>a<span translate=yes>bb ",
        "",
        "",
    ),
    shape(
        "translate=no and yes, nested",
        "<p>",
        "<span translate=no>a<span translate=yes>bb ",
        "",
        "</span></span>",
    ),
    shape(
        "one paragraph of sentences",
        "<p>",
        "The baker number {} opens at seven. ",
        "</p>",
        "",
    ),
    shape(
        "one paragraph without a stop",
        "<p>",
        "bread and butter ",
        "</p>",
        "",
    ),
    shape("one word", "<p>", "bread", "</p>", ""),
    shape(
        "links in one paragraph",
        "<p>",
        "<a href=/page-{}>to a page</a> and ",
        "</p>",
        "",
    ),
    shape("inline elements, nested", "<p>", "<b>x ", "y", "</b>"),
    shape("inline elements, left open", "<p>", "<b>", "x", ""),
    shape(
        "inline elements that overlap",
        "<p>",
        "<b>a <i>b </b>c </i>",
        "",
        "",
    ),
    shape("blocks, nested", "", "<div>a ", "", "</div>"),
    shape("blocks, left open", "", "<div>", "", ""),
    shape("paragraphs, left open", "", "<p>a ", "", ""),
    shape("tables, nested", "", "<table><tr><td>a ", "", "</table>"),
    shape(
        "rows without end tags",
        "<table>",
        "<tr><td>a<td>b",
        "</table>",
        "",
    ),
    shape("lists, nested", "", "<ul><li>a ", "", "</ul>"),
    shape("items without end tags", "<ul>", "<li>a", "</ul>", ""),
    shape(
        "graphics, nested",
        "<p>",
        "<svg><g><text>a ",
        "",
        "</text></g></svg>",
    ),
    shape(
        "templates, nested",
        "",
        "<template><p>a ",
        "",
        "</template>",
    ),
    shape("attributes", "<p ", "a{}=b ", ">text", ""),
    shape(
        "one attribute",
        "<p title=\"",
        "words &amp; words ",
        "\">text",
        "",
    ),
    shape("ids", "<p>", "<i id=a{}>a</i>", "", ""),
    shape("comments in a line", "<p>a", "<!--a-->", "b", ""),
    shape("tags in tags", "<p>", "<a", "", ""),
    shape("quotes without end", "<p>", "<a title='", "", ""),
    shape("srcset", "<img srcset=\"", "/image-{}.png {}w, ", "\">", ""),
    shape(
        "style attribute",
        "<p style=\"",
        "background:url(/a{}.png);",
        "\">text",
        "",
    ),
    shape(
        "style element",
        "<style>",
        "a{background:url('/a{}.png')}",
        "</style>text",
        "",
    ),
    shape(
        "script element",
        "<script>",
        "say('</b> {}');",
        "</script>text",
        "",
    ),
    shape(
        "JSON-LD, nested",
        "<script type=application/ld+json>",
        "[",
        "\"a\"",
        "]",
    ),
    shape(
        "JSON-LD, texts",
        "<script type=application/ld+json>[0",
        ",{\"text\":\"Words {}\"}",
        "]</script>",
        "",
    ),
    shape(
        "JSON-LD, pages",
        "<script type=application/ld+json>[0",
        ",{\"text\":\"<p>Words<b>{}\"}",
        "]</script>",
        "",
    ),
    shape(
        "meta elements",
        "<head>",
        "<meta property=og:title content=\"Title {}\">",
        "",
        "",
    ),
    shape(
        "alternates",
        "<head>",
        "<link rel=alternate hreflang=de href=/{}>",
        "",
        "",
    ),
    shape("options", "<select>", "<option>a", "</select>", ""),
    shape(
        "preformatted lines",
        "<pre translate=yes>",
        "some line\n",
        "</pre>",
        "",
    ),
    shape("references without end", "<p>", "&amp&#x41&notin", "", ""),
    shape("ampersands", "<p>", "&a", "", ""),
    shape("white space", "<p>a", " \n", "b", ""),
    shape(
        "words between codes",
        "<p>",
        "a <br> b <img alt=c> ",
        "",
        "",
    ),
    shape("line breaks", "<p>", "a<br><br>", "", ""),
    shape(
        "switchers",
        "",
        "<nav data-latimer-switcher=list>a</nav>",
        "",
        "",
    ),
    shape("title", "<title>", "words &amp; words ", "</title>", ""),
    shape("end tags far from their start", DEEP, "</i>", "", ""),
    shape("rules inside of many elements", DEEP, "<hr>", "", ""),
    shape("end tags of unknown elements", DEEP, "</x{}>", "", ""),
    shape("unknown elements", "<p>", "<x-{}>a", "", ""),
    shape("unknown elements without words", "<p>", "<x>", "", ""),
    shape("noscript", "<p>", "<noscript>a</noscript>", "", ""),
    shape(
        "pages in attributes",
        "",
        "<iframe srcdoc='<b>a'></iframe>",
        "",
        "",
    ),
    shape(
        "locale filters, nested",
        "<p>",
        "<b its-locale-filter-list=de>a ",
        "",
        "",
    ),
    shape(
        "addresses of a link with many relations",
        "<a rel=\"",
        "ab ",
        "\" ping=\"",
        "/a ",
    ),
    shape(
        "white space before codes at the end",
        "<p>",
        " \n",
        "a",
        "<br>",
    ),
    shape(
        "codes at the edges",
        "<p>",
        "<code>.</code>",
        "a",
        "<code>.</code>",
    ),
    shape("doctypes", "<p>a", "<!doctype a>", "", ""),
    shape("CDATA", "<svg><text>", "<![CDATA[a]]>", "", ""),
    shape(
        "protected words in words",
        "<p>",
        "a <code>b</code> ",
        "",
        "",
    ),
];
