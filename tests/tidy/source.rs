//! What of a Rust file the rules are about: the modules, names and paths in it outside tests, and how
//! long its functions are. Read by its tokens: comments and strings are none.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// A module as it stands in a file.
#[derive(Debug, Default)]
pub struct Source {
    /// `mod name;`: modules in files of their own.
    pub files: Vec<String>,
    /// `mod name { … }`.
    pub inline: BTreeMap<String, Source>,
    /// What it defines itself.
    pub items: BTreeSet<String>,
    /// What `use` brings in: the name here, and the path.
    pub uses: BTreeMap<String, Vec<String>>,
    /// The paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    /// Every path of two parts or more, with its line.
    pub paths: Vec<(Vec<String>, usize)>,
    pub functions: Vec<Function>,
    pub is_unsafe: bool,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

impl Source {
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
        let mut source = Self::default();
        source.read(&Vec::from_iter(tokens), true);
        Ok(source)
    }

    /// Reads what stands side by side; `is_module` where that is a module's items.
    fn read(&mut self, tokens: &[TokenTree], is_module: bool) {
        let mut at = 0;
        while at < tokens.len() {
            at = self.read_at(tokens, at, is_module);
        }
    }

    /// Reads what begins at `at`. Returns where it ends.
    fn read_at(&mut self, tokens: &[TokenTree], at: usize, is_module: bool) -> usize {
        let rest = &tokens[at..];
        let word = match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                return at + attribute_length(rest);
            }
            TokenTree::Group(group) => {
                self.read(&Vec::from_iter(group.stream()), false);
                return at + 1;
            }
            TokenTree::Ident(word) => word.to_string(),
            _ => return at + 1,
        };
        let name = rest.get(1).and_then(ident);
        match (word.as_str(), name) {
            ("use", _) if !is_punct(rest.get(1), '<') => {
                let end = rest.iter().position(|token| is_punct(Some(token), ';'));
                let end = end.unwrap_or(rest.len());
                self.import(&[], &rest[1..end]);
                return at + end;
            }
            ("mod", Some(name)) => {
                match rest.get(2) {
                    Some(TokenTree::Group(body)) => {
                        let mut inner = Self::default();
                        inner.read(&Vec::from_iter(body.stream()), true);
                        self.is_unsafe |= inner.is_unsafe;
                        self.inline.insert(name, inner);
                    }
                    _ => self.files.push(name),
                }
                return at + 3;
            }
            ("pub", _) => {
                let is_scope = matches!(rest.get(1), Some(TokenTree::Group(group))
                    if ["crate", "super", "self", "in"].contains(&first_word(group).as_str()));
                return at + if is_scope { 2 } else { 1 };
            }
            ("fn", Some(name)) => self.function(name, rest),
            ("unsafe", _) => self.is_unsafe = true,
            _ => {}
        }
        let defines = [
            "fn", "struct", "enum", "trait", "type", "const", "static", "union",
        ];
        if let (true, true, Some(name)) = (
            is_module,
            defines.contains(&word.as_str()),
            rest.get(1).and_then(ident),
        ) {
            self.items.insert(name);
            return at + 2;
        }
        at + self.path(tokens, at)
    }

    /// Reads the path at `at`. Returns the number of its tokens.
    fn path(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let rest = &tokens[at..];
        let mut path = vec![ident(&rest[0]).unwrap_or_default()];
        let mut length = 1;
        while is_punct(rest.get(length), ':') && is_punct(rest.get(length + 1), ':') {
            let Some(word) = rest.get(length + 2).and_then(ident) else {
                break;
            };
            path.push(word);
            length += 3;
        }
        // What follows a `::` is no beginning.
        let is_tail =
            at >= 2 && is_punct(tokens.get(at - 1), ':') && is_punct(tokens.get(at - 2), ':');
        if path.len() > 1 && !is_tail {
            let line = rest[0].span().start().line;
            self.paths.push((path, line));
        }
        length
    }

    /// Reads the tree of a `use` under `before`.
    fn import(&mut self, before: &[String], tree: &[TokenTree]) {
        for tree in tree.split(|token| is_punct(Some(token), ',')) {
            let mut path = before.to_vec();
            let mut name = None;
            let mut words = tree.iter().filter(|token| !is_punct(Some(token), ':'));
            let mut is_leaf = !tree.is_empty();
            while let Some(token) = words.next() {
                match token {
                    TokenTree::Group(group) => {
                        self.import(&path, &Vec::from_iter(group.stream()));
                        is_leaf = false;
                    }
                    TokenTree::Punct(_) => {
                        self.paths.push((path.clone(), token.span().start().line));
                        self.globs.push(path.clone());
                        is_leaf = false;
                    }
                    TokenTree::Ident(word) if word == "as" => name = words.next().and_then(ident),
                    // `a::{self}` is `a`.
                    TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                    TokenTree::Ident(word) => path.push(word.to_string()),
                    TokenTree::Literal(_) => {}
                }
            }
            if is_leaf {
                let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
                self.paths.push((path.clone(), tree[0].span().start().line));
                self.uses.insert(name, path);
            }
        }
    }

    /// Measures the function that begins there, if it has a body.
    fn function(&mut self, name: String, rest: &[TokenTree]) {
        let Some(end) = item_length(rest).checked_sub(1) else {
            return;
        };
        if let Some(TokenTree::Group(body)) = rest.get(end) {
            let line = rest[0].span().start().line;
            let lines = body.span_close().end().line - line + 1;
            self.functions.push(Function { name, line, lines });
        }
    }
}

/// The number of tokens of the attribute, with the item behind it if that is for tests.
fn attribute_length(rest: &[TokenTree]) -> usize {
    let is_inner = is_punct(rest.get(1), '!');
    let at = if is_inner { 2 } else { 1 };
    let Some(TokenTree::Group(group)) = rest.get(at) else {
        return 1;
    };
    if !is_for_tests(group) {
        return at + 1;
    }
    if is_inner {
        return rest.len();
    }
    let mut length = at + 1;
    while is_punct(rest.get(length), '#') {
        length += 2;
    }
    length + item_length(&rest[length..])
}

/// The number of tokens of the item that begins there: up to a semicolon or a body; of a field or an arm,
/// up to a comma.
fn item_length(rest: &[TokenTree]) -> usize {
    let is_body = |token: &TokenTree| {
        matches!(token,
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    };
    let head = rest
        .iter()
        .take_while(|token| !is_body(token) && !is_punct(Some(token), ';'));
    let heads: Vec<String> = head.filter_map(ident).take(4).collect();
    let is_any = |words: &[&str]| heads.iter().any(|head| words.contains(&head.as_str()));
    let (has_body, has_comma) = if is_any(&["fn"]) {
        (true, false)
    } else if is_any(&["use", "let", "const", "static", "type"]) {
        (false, false)
    } else {
        let is_item = is_any(&["mod", "impl", "struct", "enum", "trait", "macro_rules"]);
        (is_item, !is_item)
    };
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(sign) => sign.as_char() == ';' || (has_comma && sign.as_char() == ','),
        token => has_body && is_body(token),
    };
    rest.iter().position(is_end).map_or(rest.len(), |at| at + 1)
}

/// `#[cfg(test)]`, or with something else beside `test`.
fn is_for_tests(attribute: &Group) -> bool {
    let tokens = Vec::from_iter(attribute.stream());
    let [TokenTree::Ident(name), TokenTree::Group(condition)] = &tokens[..] else {
        return false;
    };
    let words = words(condition.stream());
    name == "cfg" && words.iter().any(|w| w == "test") && words.iter().all(|w| w != "not")
}

fn words(tokens: TokenStream) -> Vec<String> {
    let words = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => words(group.stream()),
        _ => Vec::new(),
    });
    words.flatten().collect()
}

fn first_word(group: &Group) -> String {
    let first = group.stream().into_iter().next();
    first.as_ref().and_then(ident).unwrap_or_default()
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}
