//! Our own scripts made small: without comments and white space, and with short names for what they declare. Pure.
//!
//! It reads our scripts alone, which keep some rules: statements end in semicolons, there are no templates, classes,
//! methods or labels, nothing is divided, slashes in regular expressions are escaped, and a name that a script declares
//! stands for nothing else in it. What a script does not declare keeps its name, and so does every property.

use std::collections::{BTreeMap, BTreeSet};

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// A string or a regular expression.
    Literal(&'a str),
    /// Anything else: one character, or an arrow.
    Mark(&'a str),
}

/// The words of the language that our scripts use.
const KEYWORDS: [&str; 22] = [
    "break", "catch", "const", "continue", "delete", "else", "false", "for", "function", "if", "in", "let", "new",
    "null", "of", "return", "this", "throw", "true", "try", "typeof", "while",
];

/// A program with the same effect.
pub(super) fn shrunk(program: &str) -> String {
    let tokens = tokens(program);
    let names = short_names(&tokens);
    let mut out = Writer { text: String::new(), declared: vec![[None, None]] };
    for at in 0..tokens.len() {
        let place = Place { tokens: &tokens, at };
        match tokens.get(at) {
            Some(Token::Mark("(" | ")")) if is_needless(&tokens, at) => {}
            Some(Token::Word(word)) => match names.get(word).filter(|_| !place.is_property()) {
                Some(short) if place.is_both() => out.word(&format!("{word}:{short}")),
                Some(short) => out.word(short),
                None => out.word(word),
            },
            Some(Token::Literal(text)) => out.push(text),
            Some(Token::Mark(mark)) => out.mark(mark),
            None => {}
        }
    }
    out.text
}

/// Whether a bracket stands around the one parameter of an arrow function, or around the whole expression behind an arrow.
fn is_needless(tokens: &[Token<'_>], at: usize) -> bool {
    let is = |at: usize, marks: &[&str]| tokens.get(at).is_some_and(|token| marks.contains(&text(token)));
    let (from, to) =
        if is(at, &["("]) { (at, closing(tokens, at)) } else { (opener(tokens, at).unwrap_or_default(), at) };
    if is(to + 1, &["=>"]) {
        return to == from + 2;
    }
    let mut inside = from + 1;
    while inside < to {
        if is(inside, &["(", "[", "{"]) {
            inside = closing(tokens, inside);
        } else if is(inside, &[","]) {
            return false;
        }
        inside += 1;
    }
    from > 0 && is(from - 1, &["=>"]) && !is(from + 1, &["{"]) && is(to + 1, &[",", ";", ")", "}", "]"])
}

/// A program while it is written.
struct Writer {
    text: String,
    /// For the program and each open bracket, the keyword of the declaration that ended last, and of the one that is being written.
    declared: Vec<[Option<String>; 2]>,
}

impl Writer {
    fn push(&mut self, text: &str) {
        if let Some(last) = self.declared.last_mut().filter(|_| self.text.ends_with(';')) {
            last[0] = None;
        }
        self.text.push_str(text);
    }

    fn word(&mut self, word: &str) {
        if matches!(word, "const" | "let") {
            let before = self.declared.last_mut().map(|[ended, now]| (ended.take(), now.replace(word.to_owned())));
            if before.is_some_and(|(ended, _)| ended.as_deref() == Some(word)) && self.text.ends_with(';') {
                self.text.pop();
                self.text.push(',');
                return;
            }
        }
        if self.text.ends_with(is_of_word) {
            self.text.push(' ');
        }
        self.push(word);
    }

    fn mark(&mut self, mark: &str) {
        match mark {
            "{" | "(" | "[" => {
                self.push(mark);
                self.declared.push([None, None]);
            }
            "}" | ")" | "]" => {
                // What ends a statement or an item is not needed before the bracket.
                if self.text.ends_with(',') || (mark == "}" && self.text.ends_with(';')) {
                    self.text.pop();
                }
                self.declared.pop();
                self.text.push_str(mark);
            }
            ";" => {
                if let Some([ended, now]) = self.declared.last_mut() {
                    *ended = now.take();
                }
                self.text.push(';');
            }
            _ => self.push(mark),
        }
    }
}

/// A token among the others.
struct Place<'a, 'p> {
    tokens: &'a [Token<'p>],
    at: usize,
}

impl<'p> Place<'_, 'p> {
    fn before(&self, count: usize) -> Option<&'p str> {
        self.at.checked_sub(count).and_then(|at| self.tokens.get(at)).map(text)
    }

    fn after(&self) -> Option<&'p str> {
        self.tokens.get(self.at + 1).map(text)
    }

    /// Whether a name is that of a property, behind a point or before a colon.
    fn is_property(&self) -> bool {
        let is_spread = self.before(2) == Some(".");
        (self.before(1) == Some(".") && !is_spread)
            || (matches!(self.before(1), Some("{" | ",")) && self.after() == Some(":"))
    }

    /// Whether a name is that of a property and of what it holds: `{ name }`.
    fn is_both(&self) -> bool {
        matches!(self.before(1), Some("{" | ","))
            && matches!(self.after(), Some("}" | ","))
            && opener(self.tokens, self.at).and_then(|at| self.tokens.get(at)).map(text) == Some("{")
    }
}

/// Where a name stands for what was declared there: its tokens, from the first to the last.
type Scope = (usize, usize);

/// What a program declares under a name, wherever it does so.
#[derive(Debug, Default)]
struct Declared {
    scopes: Vec<Scope>,
    /// Where the name stands, and the scope of what it stands for.
    uses: Vec<(usize, Scope)>,
}

impl Declared {
    /// Whether something that another name stands for is out of reach where both are called the same.
    fn hides(&self, other: &Self) -> bool {
        let within = |(inner, outer): (Scope, Scope)| outer.0 <= inner.0 && inner.1 <= outer.1;
        let hidden = |(at, of): &(usize, Scope)| {
            self.scopes.iter().any(|scope| scope.0 <= *at && *at <= scope.1 && within((*scope, *of)))
        };
        other.uses.iter().any(hidden)
    }
}

/// A short name for each that the program declares, the shortest for the most frequent. Two have the same where neither
/// hides the other.
fn short_names<'p>(tokens: &[Token<'p>]) -> BTreeMap<&'p str, String> {
    let mut all = declared(tokens);
    let mut others = BTreeSet::new();
    for at in 0..tokens.len() {
        let Some(Token::Word(word)) = tokens.get(at) else { continue };
        let declared = all.get_mut(word).filter(|_| !(Place { tokens, at }).is_property());
        let scope = |declared: &Declared| {
            let around = declared.scopes.iter().filter(|scope| scope.0 <= at && at <= scope.1);
            around.min_by_key(|scope| scope.1 - scope.0).copied()
        };
        match declared.and_then(|declared| scope(declared).map(|scope| (declared, scope))) {
            Some((declared, scope)) => declared.uses.push((at, scope)),
            None => drop(others.insert(*word)),
        }
    }
    let mut ordered: Vec<(&str, Declared)> = all.into_iter().collect();
    ordered.sort_by_key(|(word, declared)| (std::cmp::Reverse(declared.uses.len()), *word));
    let mut given: Vec<(String, Vec<Declared>)> = Vec::new();
    let mut names = BTreeMap::new();
    let mut free = (0..).map(name).filter(|name| !others.contains(name.as_str()));
    for (word, declared) in ordered {
        let fits = |(_, group): &&mut (String, Vec<Declared>)| {
            group.iter().all(|other| !other.hides(&declared) && !declared.hides(other))
        };
        let short = match given.iter_mut().find(fits) {
            Some((short, group)) => {
                group.push(declared);
                short.clone()
            }
            None => {
                let short = free.next().unwrap_or_default();
                given.push((short.clone(), vec![declared]));
                short
            }
        };
        names.insert(word, short);
    }
    names
}

/// In the order that compresses best.
const LETTERS: &[u8] = b"eoirtsangbdcpmfJkNEUlLjzvyAuMKBxWVwhFQTPqCRDIHSYXZOG";

/// The names in the order of their lengths.
fn name(number: usize) -> String {
    let letter = |number: usize| LETTERS.get(number % LETTERS.len()).map_or('_', |letter| char::from(*letter));
    let mut name = String::from(letter(number));
    let mut rest = number / LETTERS.len();
    while rest > 0 {
        name.push(letter(rest - 1));
        rest = (rest - 1) / LETTERS.len();
    }
    name
}

/// The names that a program declares with their scopes: behind `const`, `let` and `function`, and as parameters.
fn declared<'p>(tokens: &[Token<'p>]) -> BTreeMap<&'p str, Declared> {
    let mut all = BTreeMap::<&str, Declared>::new();
    let mut note = |from: usize, scope: Scope| {
        for name in names_from(tokens, from) {
            all.entry(name).or_default().scopes.push(scope);
        }
    };
    for at in 0..tokens.len() {
        match tokens.get(at).map(text) {
            Some("const" | "let") => {
                let scope = opener(tokens, at).map_or((0, tokens.len()), |opener| {
                    let closer = closing(tokens, opener);
                    let is_loop = tokens.get(opener).map(text) == Some("(");
                    (opener, if is_loop { end(tokens, closer + 1) } else { closer })
                });
                note(at + 1, scope);
            }
            Some("function") => note(at + 1, (at, end(tokens, closing(tokens, at + 1) + 1))),
            Some("=>") => {
                let last = at.saturating_sub(1);
                let is_list = tokens.get(last).map(text) == Some(")");
                let from = opener(tokens, last).filter(|_| is_list).unwrap_or(last);
                note(from, (from, end(tokens, at + 1)));
            }
            _ => {}
        }
    }
    all
}

/// The bracket in which a token stands.
fn opener(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (0..at).rev() {
        match tokens.get(at).map(text) {
            Some("}" | ")" | "]") => depth += 1,
            Some("{" | "(" | "[") if depth == 0 => return Some(at),
            Some("{" | "(" | "[") => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The bracket that belongs to an opening one.
fn closing(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for at in at..tokens.len() {
        match tokens.get(at).map(text) {
            Some("{" | "(" | "[") => depth += 1,
            Some("}" | ")" | "]") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The end of the block, statement or expression that begins with a token.
fn end(tokens: &[Token<'_>], from: usize) -> usize {
    if tokens.get(from).map(text) == Some("{") {
        return closing(tokens, from);
    }
    let mut at = from;
    while let Some(token) = tokens.get(at).map(text) {
        match token {
            "{" | "(" | "[" => at = closing(tokens, at),
            "}" | ")" | "]" | "," | ";" => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// A name, or all names of a pattern.
fn names_from<'p>(tokens: &[Token<'p>], from: usize) -> Vec<&'p str> {
    let last = match tokens.get(from).map(text) {
        Some("{" | "(" | "[") => closing(tokens, from),
        _ => from,
    };
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) if is_name(word) && !(Place { tokens, at }).is_property() => Some(*word),
        Some(Token::Word(_) | Token::Mark(_) | Token::Literal(_)) | None => None,
    };
    (from..=last).filter_map(word).collect()
}

/// The names in a program that it does not declare.
#[cfg(test)]
pub(super) fn undeclared(program: &str) -> BTreeSet<&str> {
    let tokens = tokens(program);
    let declared = declared(&tokens);
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) if !(Place { tokens: &tokens, at }).is_property() => Some(*word),
        _ => None,
    };
    (0..tokens.len()).filter_map(word).filter(|word| is_name(word) && !declared.contains_key(word)).collect()
}

fn is_name(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit()) && !KEYWORDS.contains(&word)
}

fn text<'p>(token: &Token<'p>) -> &'p str {
    match token {
        Token::Word(text) | Token::Literal(text) | Token::Mark(text) => text,
    }
}

fn is_of_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$')
}

fn tokens<'p>(program: &'p str) -> Vec<Token<'p>> {
    let mut tokens = Vec::new();
    let mut rest = program.trim_start();
    while let Some(first) = rest.chars().next() {
        let (length, make): (usize, fn(&'p str) -> Token<'p>) = match first {
            '/' if rest.starts_with("//") => {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
                continue;
            }
            '"' => (literal(rest, '"'), Token::Literal),
            '/' => (pattern(rest), Token::Literal),
            _ if is_of_word(first) => (rest.find(|next| !is_of_word(next)).unwrap_or(rest.len()), Token::Word),
            _ if rest.starts_with("=>") => (2, Token::Mark),
            _ => (first.len_utf8(), Token::Mark),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(make(token));
        rest = after.trim_start();
    }
    tokens
}

/// The length of what ends with a character that no backslash stands before.
fn literal(text: &str, end: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == end => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a regular expression with its flags.
fn pattern(text: &str) -> usize {
    let end = literal(text, '/');
    let rest = text.get(end..).unwrap_or_default();
    end + rest.find(|next| !is_of_word(next)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &str, expected: &str) {
        assert_eq!(shrunk(program), expected, "{program}");
    }

    #[test]
    fn comments_and_white_space_go_and_texts_stay() {
        check("// About it.\nf( \"a // b\" ,\n /\\/ \\\"[\\/]/gi );\n", "f(\"a // b\",/\\/ \\\"[\\/]/gi);");
        check("return typeof a in b;", "return typeof a in b;");
        check("f({ a: [1, 2,], });", "f({a:[1,2]});");
        check("f((a) => (a ? 1 : 2), (b) => (b, 1), (c) => ({}));", "f(e=>e?1:2,e=>(e,1),e=>({}));");
    }

    #[test]
    fn what_is_declared_gets_short_names_and_properties_keep_theirs() {
        check("const long = a.long; f(long, { long: 1 });", "const e=a.long;f(e,{long:1});");
        check("const { one, two: second } = a; f({ one }, second);", "const{one:e,two:o}=a;f({one:e},o);");
        check("const [one, , two = 1] = a; f(...one, one ? two : one);", "const[e,,o=1]=a;f(...e,e?o:e);");
        check("f(function (one) { return one + g(two); });", "f(function(e){return e+g(two)});");
        check("const one = 1; const two = 2; let three; let four;", "const o=1,r=2;let i,e;");
        check("const one = 1; f(); const two = 2;", "const e=1;f();const o=2;");
    }

    #[test]
    fn names_are_used_again_where_neither_hides_the_other() {
        check("f((one) => one.a); f((two) => two.b);", "f(e=>e.a);f(e=>e.b);");
        check("f((one) => g((two) => two)); ", "f(e=>g(e=>e));");
        check("f((one) => g((two) => two(one)));", "f(e=>g(o=>o(e)));");
        // What is declared further down in a block already hides what stood there before.
        check("const one = 1; { f(one); const two = 2; g(two); }", "const e=1;{f(e);const o=2;g(o)}");
        check("const one = 1; for (const two of a(one)) f(two); g();", "const e=1;for(const o of a(e))f(o);g();");
        // A global of the same name stays what it is.
        check("const one = e; f(one);", "const o=e;f(o);");
    }
}
