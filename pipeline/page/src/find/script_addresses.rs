//! Files that programs name: modules, workers, and what they fetch by a literal address (R-S22).

use std::ops::Range;

use crate::html::script::{ScriptToken, ScriptTokens};

/// An address in a program, by the bytes between its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptAddress {
    /// The bytes; of a computed address those before its first substitution.
    pub range: Range<usize>,
    /// The form that names it.
    pub naming: Naming,
}

/// Forms in which programs name a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// `import "…"`, `export … from "…"` and `import("…")`: counts from the program; a bare name is none.
    Module,
    /// `new URL("…", import.meta.url)` and `importScripts("…")`: counts from the program.
    Beside,
    /// `fetch("…")`, `new Worker("…")` and `serviceWorker.register("…")`: counts from the page.
    Page,
    /// An entry of Vite's list of what a module needs: counts from the root of the build.
    Root,
    /// A template with substitutions where a module or a file beside the program is named: only its beginning is known.
    Computed,
}

/// Tokens before a string that count.
const LOOK_BACK: usize = 4;

/// Finds the files that a program names.
pub fn script_addresses(script: &[u8]) -> Vec<ScriptAddress> {
    find(script, 0..script.len())
}

/// Finds the files that the program in a range of a page names.
pub(super) fn find(source: &[u8], range: Range<usize>) -> Vec<ScriptAddress> {
    let mut reader = ScriptAddressReader {
        before: [None; LOOK_BACK],
        waiting: None,
        list: ScriptList::None,
        found: Vec::new(),
    };
    for token in ScriptTokens::new(source, range) {
        reader.take(source, token);
    }
    reader.found
}

/// Tokens that may follow a string in an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// The end of the argument.
    End,
    /// `, import.meta.url`.
    Itself,
}

/// A list of strings that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptList {
    None,
    /// The arguments of `importScripts`.
    Scripts,
    /// A program by Vite: the next list that a member is set to holds what modules need.
    BeforeNeeds,
    Needs,
}

struct ScriptAddressReader<'s> {
    /// The last tokens, the newest first.
    before: [Option<ScriptToken<'s>>; LOOK_BACK],
    /// An address, and what has to follow it.
    waiting: Option<(ScriptAddress, Follows)>,
    list: ScriptList,
    found: Vec<ScriptAddress>,
}

impl<'s> ScriptAddressReader<'s> {
    fn take(&mut self, source: &[u8], token: ScriptToken<'s>) {
        self.settle(token);
        match token {
            ScriptToken::Text { start, end }
                if !source.get(start..end).unwrap_or_default().contains(&b'\\') =>
            {
                self.text(start..end);
            }
            ScriptToken::Template { start, end } => self.template(source, start..end),
            ScriptToken::Word(b"__vite__mapDeps") if self.list == ScriptList::None => {
                self.list = ScriptList::BeforeNeeds
            }
            ScriptToken::Sign(b'[') if self.list == ScriptList::BeforeNeeds && self.is(0, b'=') => {
                self.list = ScriptList::Needs
            }
            ScriptToken::Sign(b'(') if self.is_word(0, b"importScripts") => {
                self.list = ScriptList::Scripts
            }
            ScriptToken::Sign(b']') if self.list == ScriptList::Needs => {
                self.list = ScriptList::None
            }
            ScriptToken::Sign(b')') if self.list == ScriptList::Scripts => {
                self.list = ScriptList::None
            }
            ScriptToken::Text { .. }
            | ScriptToken::Word(_)
            | ScriptToken::Sign(_)
            | ScriptToken::Expression => {}
        }
        self.before.rotate_right(1);
        self.before[0] = Some(token);
    }

    /// Keeps the address that waits if this token may follow it.
    fn settle(&mut self, token: ScriptToken<'s>) {
        let Some((address, follows)) = self.waiting.take() else {
            return;
        };
        match (follows, token) {
            (Follows::End, ScriptToken::Sign(b')' | b',')) => self.found.push(address),
            (Follows::Itself, ScriptToken::Word(b"url"))
                if self.is(0, b'.')
                    && self.is_word(1, b"meta")
                    && self.is(2, b'.')
                    && self.is_word(3, b"import") =>
            {
                self.found.push(address);
            }
            (
                Follows::Itself,
                ScriptToken::Sign(b',' | b'.') | ScriptToken::Word(b"import" | b"meta"),
            ) => {
                self.waiting = Some((address, follows));
            }
            _ => {}
        }
    }

    fn text(&mut self, range: Range<usize>) {
        let address = |naming| ScriptAddress {
            range: range.clone(),
            naming,
        };
        match self.list {
            ScriptList::Scripts => return self.found.push(address(Naming::Beside)),
            ScriptList::Needs => return self.found.push(address(Naming::Root)),
            ScriptList::None | ScriptList::BeforeNeeds => {}
        }
        let is_statement = self.is_word(0, b"import") || self.is_word(0, b"from");
        if is_statement && !self.is(1, b'.') {
            self.found.push(address(Naming::Module));
        } else if self.is(0, b'(') {
            self.waiting = self
                .argument()
                .map(|(naming, follows)| (address(naming), follows));
        }
    }

    /// How the first argument after the last token, a parenthesis, names a file.
    fn argument(&self) -> Option<(Naming, Follows)> {
        let is_member = self.is(2, b'.');
        let Some(ScriptToken::Word(function)) = self.before[1] else {
            return None;
        };
        match function {
            b"import" if !is_member => Some((Naming::Module, Follows::End)),
            b"URL" if self.is_word(2, b"new") => Some((Naming::Beside, Follows::Itself)),
            b"Worker" | b"SharedWorker" if self.is_word(2, b"new") => {
                Some((Naming::Page, Follows::End))
            }
            b"register" if is_member && self.is_word(3, b"serviceWorker") => {
                Some((Naming::Page, Follows::End))
            }
            b"fetch"
                if !is_member
                    || [&b"window"[..], b"self", b"globalThis"]
                        .iter()
                        .any(|it| self.is_word(3, it)) =>
            {
                Some((Naming::Page, Follows::End))
            }
            _ => None,
        }
    }

    /// Takes note of a module whose name is computed, if its beginning says that it is a file of the site.
    fn template(&mut self, source: &[u8], head: Range<usize>) {
        let is_file = [&b"./"[..], b"../", b"/"].iter().any(|start| {
            source
                .get(head.clone())
                .is_some_and(|head| head.starts_with(start))
        });
        if is_file
            && self.is(0, b'(')
            && matches!(
                self.argument(),
                Some((Naming::Module, _) | (Naming::Beside, Follows::Itself))
            )
        {
            self.found.push(ScriptAddress {
                range: head,
                naming: Naming::Computed,
            });
        }
    }

    fn is(&self, back: usize, sign: u8) -> bool {
        self.before.get(back) == Some(&Some(ScriptToken::Sign(sign)))
    }

    fn is_word(&self, back: usize, word: &[u8]) -> bool {
        self.before.get(back) == Some(&Some(ScriptToken::Word(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &str, expected: &[(&str, Naming)]) {
        let found = script_addresses(program.as_bytes());
        let found: Vec<(&str, Naming)> = found
            .iter()
            .map(|address| (&program[address.range.clone()], address.naming))
            .collect();
        assert_eq!(found, expected, "{program}");
    }

    #[test]
    fn programs_name_modules_r_s22() {
        use Naming::Module;
        check(
            "import \"./a.js\"; import x, {y as z} from './b.js'",
            &[("./a.js", Module), ("./b.js", Module)],
        );
        check(
            "import*as r from\"react\";export*from\"./c.js\"",
            &[("react", Module), ("./c.js", Module)],
        );
        check(
            "const p=()=>import(\"./About.js\"); import(/* webpackChunkName: 'x' */ `./d.js`)",
            &[("./About.js", Module), ("./d.js", Module)],
        );
        check(
            "import('./e.json', {with: {type: 'json'}})",
            &[("./e.json", Module)],
        );
        check(
            "// import './no.js'\n'import \"./no.js\"'; /import '.\\/no.js'/",
            &[],
        );
        check(
            "import('./no/' + name); a.import('./no.js'); x.from './no.js'; import.meta.env",
            &[],
        );
    }

    #[test]
    fn programs_name_files_r_s22() {
        use Naming::{Beside, Page, Root};
        check(
            "new Worker(new URL('./w.js', import.meta.url), {type: 'module'})",
            &[("./w.js", Beside)],
        );
        check(
            "new URL('./no', location.href); URL('./no.js', import.meta.url); new URL('/no.js')",
            &[],
        );
        check(
            "importScripts('a.js', \"b.js\"); x('no.js')",
            &[("a.js", Beside), ("b.js", Beside)],
        );
        check(
            "fetch('/a.json').then(x); window.fetch(`b.json`, {})",
            &[("/a.json", Page), ("b.json", Page)],
        );
        check(
            "axios.fetch('/no.json'); fetch('/no/' + id); fetch(url)",
            &[],
        );
        check(
            "new Worker('w.js'); navigator.serviceWorker.register('/sw.js')",
            &[("w.js", Page), ("/sw.js", Page)],
        );
        check(
            "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[\"assets/A.js\",\"assets/A.css\"])))=>i.map(i=>d[i]);['no']",
            &[("assets/A.js", Root), ("assets/A.css", Root)],
        );
    }

    #[test]
    fn names_that_are_computed_are_known_by_their_beginning_r_s22() {
        use Naming::Computed;
        check(
            "import(`./lang/${tag}.js`); new URL(`../i/${x}.png`, import.meta.url)",
            &[("./lang/", Computed), ("../i/", Computed)],
        );
        check(
            "import(`${base}/x.js`); import(name); fetch(`/api/${id}`)",
            &[],
        );
    }
}
