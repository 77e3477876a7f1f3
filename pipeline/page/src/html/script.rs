//! Programs as tokens: enough of JavaScript to tell what a string is an argument of.
//!
//! Comments, strings, templates and regular expressions are told apart as module lexers do (es-module-lexer): by what stands before a
//! slash, and by the word before the parenthesis that closes there. Nothing is parsed, so a program with errors has tokens, too. A
//! parser for all of JavaScript would bring dozens of crates for the few forms that name a file.

use std::ops::Range;

/// A token of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'s> {
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
enum Open {
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
pub(crate) struct Script<'s> {
    source: &'s [u8],
    at: usize,
    open: Vec<Open>,
    last: Option<Token<'s>>,
    before_last: Option<Token<'s>>,
    /// The last token closed a parenthesis that a statement follows.
    ends_condition: bool,
    /// Bytes that slashes which close nowhere may still be looked after in.
    left: usize,
}

impl<'s> Script<'s> {
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
            Some(Token::Word(word)) => {
                BEFORE_EXPRESSIONS.binary_search(&word).is_ok()
                    && self.before_last != Some(Token::Sign(b'.'))
            }
            Some(Token::Sign(b')')) => self.ends_condition,
            Some(Token::Sign(b']')) => false,
            // `a++ / 2`.
            Some(Token::Sign(sign @ (b'+' | b'-'))) => self.before_last != Some(Token::Sign(sign)),
            Some(Token::Sign(_)) => true,
            Some(Token::Template { .. }) => true,
            Some(Token::Text { .. } | Token::Expression) => false,
        }
    }

    fn sign(&mut self, sign: u8) -> Token<'s> {
        self.at += 1;
        self.ends_condition = false;
        match sign {
            b'{' => self.open.push(Open::Brace),
            b'(' => {
                let is_condition = matches!(self.last, Some(Token::Word(word)) if BEFORE_STATEMENTS.contains(&word));
                self.open.push(Open::Parenthesis(is_condition));
            }
            b')' | b'}' => self.ends_condition = self.open.pop() == Some(Open::Parenthesis(true)),
            _ => {}
        }
        Token::Sign(sign)
    }

    /// Reads a string; a quote that nothing closes in its line takes the rest of the line.
    fn string(&mut self, quote: u8) -> Token<'s> {
        let start = self.at + 1;
        let mut at = start;
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => break,
                byte if byte == quote => {
                    self.at = at + 1;
                    return Token::Text { start, end: at };
                }
                _ => at += 1,
            }
        }
        self.at = at.min(self.source.len());
        Token::Expression
    }

    /// Reads a template up to its end or its next substitution, from behind the quote or the brace.
    fn template(&mut self) -> Token<'s> {
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\\' => at += 2,
                b'`' => {
                    self.at = at + 1;
                    return Token::Text { start, end: at };
                }
                b'$' if self.source.get(at + 1) == Some(&b'{') => {
                    self.at = at + 2;
                    self.open.push(Open::Substitution);
                    return Token::Template { start, end: at };
                }
                _ => at += 1,
            }
        }
        self.at = self.source.len();
        Token::Expression
    }

    /// Reads a regular expression; a slash that nothing closes in its line is a sign.
    fn expression(&mut self) -> Token<'s> {
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
                    return Token::Expression;
                }
                _ => {}
            }
            at += 1;
        }
        self.left = self.left.saturating_sub(at - self.at);
        self.sign(b'/')
    }

    fn token(&mut self) -> Option<Token<'s>> {
        self.pass_over();
        let rest = self.rest();
        let first = *rest.first()?;
        let word = rest.iter().take_while(|byte| is_of_word(**byte)).count();
        Some(match first {
            _ if word > 0 => {
                self.at += word;
                Token::Word(&rest[..word])
            }
            b'"' | b'\'' => self.string(first),
            b'`' => {
                self.at += 1;
                self.template()
            }
            // The text behind a substitution is the rest of a template, and no string of its own.
            b'}' if self.open.last() == Some(&Open::Substitution) => {
                self.open.pop();
                self.at += 1;
                match self.template() {
                    Token::Template { .. } => Token::Sign(b','),
                    Token::Text { .. } | Token::Word(_) | Token::Sign(_) | Token::Expression => {
                        Token::Expression
                    }
                }
            }
            b'/' if self.expects_value() => self.expression(),
            sign => self.sign(sign),
        })
    }
}

impl<'s> Iterator for Script<'s> {
    type Item = Token<'s>;

    fn next(&mut self) -> Option<Token<'s>> {
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
            Script::new(program.as_bytes(), 0..program.len()).filter_map(|token| match token {
                Token::Text { start, end } => Some(&program[start..end]),
                Token::Template { .. } | Token::Word(_) | Token::Sign(_) | Token::Expression => {
                    None
                }
            });
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
            let count = Script::new(program.as_bytes(), 0..most).count();
            assert!(count <= most, "{program:?}");
        }
    }
}
