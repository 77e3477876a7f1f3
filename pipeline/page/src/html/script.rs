//! Programs as tokens: enough of JavaScript to tell what a string is an argument of.
//!
//! Comments, strings, templates and regular expressions are told apart as module lexers do (es-module-lexer): by what stands before a
//! slash, and by the word before the parenthesis that closes there. Nothing is parsed, so a program with errors has tokens, too. A
//! parser for all of JavaScript would bring dozens of crates for the few forms that name a file.

use std::ops::Range;

/// A token of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptToken<'s> {
    /// A name, a keyword or a number.
    Word(&'s [u8]),
    /// A byte between names and values.
    Sign(u8),
    /// A string, or a template without substitutions: the bytes between its quotes.
    Text { start: usize, end: usize },
    /// A template with substitutions: the bytes before the first one.
    Template { start: usize, end: usize },
    /// A regular expression.
    Expression,
}

/// An open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenBracket {
    Brace,
    /// The substitution of a template.
    Substitution,
    /// `true` after `if`, `for`, `while` and `with`, whose statement follows the closing parenthesis.
    Parenthesis(bool),
}

/// Words after which an expression begins, sorted.
const BEFORE_EXPRESSIONS: [&[u8]; 14] = [
    b"await",
    b"case",
    b"delete",
    b"do",
    b"else",
    b"in",
    b"instanceof",
    b"new",
    b"of",
    b"return",
    b"throw",
    b"typeof",
    b"void",
    b"yield",
];

/// Words before a parenthesis that a statement follows.
const BEFORE_STATEMENTS: [&[u8]; 4] = [b"if", b"for", b"while", b"with"];

/// The tokens of a program.
pub(crate) struct ScriptTokens<'s> {
    source: &'s [u8],
    at: usize,
    open: Vec<OpenBracket>,
    last: Option<ScriptToken<'s>>,
    before_last: Option<ScriptToken<'s>>,
    /// The last token closed a parenthesis that a statement follows.
    ends_condition: bool,
    /// Bytes that slashes which close nowhere may still be looked after in.
    left: usize,
}

impl<'s> ScriptTokens<'s> {
    /// The tokens of a program that fills a range of the source.
    pub(crate) fn new(source: &'s [u8], range: Range<usize>) -> Self {
        let source = source.get(..range.end).unwrap_or_default();
        let left = range.len().saturating_mul(8) + (1 << 16);
        Self {
            source,
            at: range.start,
            open: Vec::new(),
            last: None,
            before_last: None,
            ends_condition: false,
            left,
        }
    }

    fn rest(&self) -> &'s [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Passes over white space and comments.
    fn pass_over(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let rest = &rest[space..];
            let length = if rest.starts_with(b"//")
                || rest.starts_with(b"<!--")
                || rest.starts_with(b"#!")
            {
                line_length(rest)
            } else if rest.starts_with(b"/*") {
                rest.windows(2)
                    .skip(2)
                    .position(|pair| pair == b"*/")
                    .map_or(rest.len(), |end| end + 4)
            } else {
                0
            };
            self.at += space + length;
            if length == 0 {
                return;
            }
        }
    }

    /// True if a slash here begins a regular expression, and divides nothing.
    fn expects_value(&self) -> bool {
        match self.last {
            None => true,
            Some(ScriptToken::Word(word)) => {
                BEFORE_EXPRESSIONS.binary_search(&word).is_ok()
                    && self.before_last != Some(ScriptToken::Sign(b'.'))
            }
            Some(ScriptToken::Sign(b')')) => self.ends_condition,
            Some(ScriptToken::Sign(b']')) => false,
            // `a++ / 2`.
            Some(ScriptToken::Sign(sign @ (b'+' | b'-'))) => {
                self.before_last != Some(ScriptToken::Sign(sign))
            }
            Some(ScriptToken::Sign(_)) => true,
            Some(ScriptToken::Template { .. }) => true,
            Some(ScriptToken::Text { .. } | ScriptToken::Expression) => false,
        }
    }

    fn sign(&mut self, sign: u8) -> ScriptToken<'s> {
        self.at += 1;
        self.ends_condition = false;
        match sign {
            b'{' => self.open.push(OpenBracket::Brace),
            b'(' => {
                let is_condition = matches!(self.last, Some(ScriptToken::Word(word)) if BEFORE_STATEMENTS.contains(&word));
                self.open.push(OpenBracket::Parenthesis(is_condition));
            }
            b')' | b'}' => {
                self.ends_condition = self.open.pop() == Some(OpenBracket::Parenthesis(true))
            }
            _ => {}
        }
        ScriptToken::Sign(sign)
    }

    /// Reads a string; a quote that nothing closes in its line takes the rest of the line.
    fn string(&mut self, quote: u8) -> ScriptToken<'s> {
        let start = self.at + 1;
        let mut at = start;
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => break,
                byte if byte == quote => {
                    self.at = at + 1;
                    return ScriptToken::Text { start, end: at };
                }
                _ => at += 1,
            }
        }
        self.at = at.min(self.source.len());
        ScriptToken::Expression
    }

    /// Reads a template up to its end or its next substitution, from behind the quote or the brace.
    fn template(&mut self) -> ScriptToken<'s> {
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\\' => at += 2,
                b'`' => {
                    self.at = at + 1;
                    return ScriptToken::Text { start, end: at };
                }
                b'$' if self.source.get(at + 1) == Some(&b'{') => {
                    self.at = at + 2;
                    self.open.push(OpenBracket::Substitution);
                    return ScriptToken::Template { start, end: at };
                }
                _ => at += 1,
            }
        }
        self.at = self.source.len();
        ScriptToken::Expression
    }

    /// Reads a regular expression; a slash that nothing closes in its line is a sign.
    fn expression(&mut self) -> ScriptToken<'s> {
        let mut at = self.at + 1;
        let mut in_class = false;
        while let Some(&byte) = self.source.get(at).filter(|_| self.left > 0) {
            match byte {
                b'\\' => at += 1,
                b'\n' => break,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = at + 1;
                    self.at += self
                        .rest()
                        .iter()
                        .take_while(|byte| is_of_word(**byte))
                        .count();
                    return ScriptToken::Expression;
                }
                _ => {}
            }
            at += 1;
        }
        self.left = self.left.saturating_sub(at - self.at);
        self.sign(b'/')
    }

    fn token(&mut self) -> Option<ScriptToken<'s>> {
        self.pass_over();
        let rest = self.rest();
        let first = *rest.first()?;
        let word = rest.iter().take_while(|byte| is_of_word(**byte)).count();
        Some(match first {
            _ if word > 0 => {
                self.at += word;
                ScriptToken::Word(&rest[..word])
            }
            b'"' | b'\'' => self.string(first),
            b'`' => {
                self.at += 1;
                self.template()
            }
            // The text behind a substitution is the rest of a template, and no string of its own.
            b'}' if self.open.last() == Some(&OpenBracket::Substitution) => {
                self.open.pop();
                self.at += 1;
                match self.template() {
                    ScriptToken::Template { .. } => ScriptToken::Sign(b','),
                    ScriptToken::Text { .. }
                    | ScriptToken::Word(_)
                    | ScriptToken::Sign(_)
                    | ScriptToken::Expression => ScriptToken::Expression,
                }
            }
            b'/' if self.expects_value() => self.expression(),
            sign => self.sign(sign),
        })
    }
}

impl<'s> Iterator for ScriptTokens<'s> {
    type Item = ScriptToken<'s>;

    fn next(&mut self) -> Option<ScriptToken<'s>> {
        let token = self.token()?;
        self.before_last = self.last.replace(token);
        Some(token)
    }
}

/// True for a byte of a name or a number.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn line_length(text: &[u8]) -> usize {
    text.iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strings of a program, joined by spaces.
    fn check(program: &str, expected: &str) {
        let texts =
            ScriptTokens::new(program.as_bytes(), 0..program.len()).filter_map(
                |token| match token {
                    ScriptToken::Text { start, end } => Some(&program[start..end]),
                    ScriptToken::Template { .. }
                    | ScriptToken::Word(_)
                    | ScriptToken::Sign(_)
                    | ScriptToken::Expression => None,
                },
            );
        assert_eq!(texts.collect::<Vec<_>>().join(" "), expected, "{program}");
    }

    #[test]
    fn words_are_sorted() {
        assert!(BEFORE_EXPRESSIONS.is_sorted());
    }

    #[test]
    fn strings_are_told_from_comments_expressions_and_templates_r_s22() {
        check("a('x') // 'no'\n/* 'no' */ b(\"y\")", "x y");
        check(r"s = 'it\'s'; t = '\\'", r"it\'s \\");
        check("a = b / c; d = 'x' / 2; e = f++ / g / 'y'", "x y");
        check("a = /'/.test(b); c = 'x'", "x");
        check("if (a) /['\"/]/.exec(b); c = 'x'", "x");
        check("(a + b) / c; d = 'x'; x[0] / 2; e = 'y'", "x y");
        check("return /'/g, 'x'; a.return / 2 + 'y'", "x y");
        check(
            "`plain` + `a${b + 'x' + `${c}` + {d: {}}.e}'no'` + 'y'",
            "plain x y",
        );
        check("a = 'unclosed\nb = 'x'", "x");
        check("<!-- 'no'\na('x')", "x");
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_tokens(program in "(?s)([\"'`/\\\\{}()\\[\\]$+*]|import|\n|.){0,60}") {
            let most = program.len();
            let count = ScriptTokens::new(program.as_bytes(), 0..most).count();
            assert!(count <= most, "{program:?}");
        }
    }
}
