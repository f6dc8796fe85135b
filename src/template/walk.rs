//! Finds what a template names.
//!
//! It uses the engine's own parser, so a filter in a comment, in a text or between `{% raw %}` and
//! `{% endraw %}` does not count.

use std::collections::HashSet;

use minijinja::machinery::{Span, Token, ast, parse, tokenize};
use minijinja::{Error, ErrorKind};

use super::bounds::on_a_large_stack;
use super::language::syntax;
use super::names::{Link, Named, Names, Variable};
use super::problem::explain;
use crate::error::Diagnostic;

/// The most signs in a tag that could nest: the parser and what follows recurse for each of them.
const MAX_NESTING: usize = 1000;

/// The name that a loop has for itself.
pub(super) const LOOP: &str = "loop";

/// Returns what a template names.
///
/// # Errors
///
/// Says where it does not parse, or that it nests too deep.
pub(super) fn names(name: &str, text: &str) -> Result<Names, Box<Diagnostic>> {
    match on_a_large_stack(|| read(name, text)) {
        Ok(Ok(names)) => names.map_err(|e| explain(&e, |_| Some(text))),
        _ => {
            let message = format!("the template `{name}` cannot be read");
            Err(Box::new(Diagnostic::error(message)))
        }
    }
}

fn read(name: &str, text: &str) -> Result<Names, Error> {
    if nests_too_deep(text) {
        let why = format!("more than {MAX_NESTING} operators in a tag, or `elif`s");
        return Err(Error::new(ErrorKind::SyntaxError, why));
    }
    let template = parse(text, name, syntax())?;
    let mut walk = Walk {
        text,
        names: Names::default(),
        scopes: vec![HashSet::new()],
        blocks: 0,
        conditions: 0,
    };
    walk.statement(&template);
    let Walk {
        mut names, scopes, ..
    } = walk;
    // What is set at the top holds in macros and blocks that stand before it, too.
    names
        .variables
        .retain(|variable| !scopes[0].contains(variable.path[0].name.as_str()));
    Ok(names)
}

struct Walk<'a> {
    text: &'a str,
    names: Names,
    /// What has a value here, the innermost scope last.
    scopes: Vec<HashSet<&'a str>>,
    /// How many blocks are open.
    blocks: usize,
    /// How many conditions and loops are open.
    conditions: usize,
}

impl<'a> Walk<'a> {
    fn statements(&mut self, statements: &[ast::Stmt<'a>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn scoped(&mut self, names: &[&'a str], walk: impl FnOnce(&mut Self)) {
        self.scopes.push(HashSet::new());
        for name in names {
            self.set(name);
        }
        walk(self);
        self.scopes.pop();
    }

    fn conditional(&mut self, walk: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        walk(self);
        self.conditions -= 1;
    }

    fn statement(&mut self, statement: &ast::Stmt<'a>) {
        match statement {
            ast::Stmt::Template(template) => {
                let mut outside = template.children.iter().filter_map(written);
                self.names.outside = outside.next();
                self.statements(&template.children);
            }
            ast::Stmt::EmitExpr(emit) => self.expression(&emit.expr),
            ast::Stmt::EmitRaw(_) => {}
            ast::Stmt::ForLoop(repeat) => self.repeat(repeat),
            ast::Stmt::IfCond(choice) => {
                self.expression(&choice.expr);
                self.conditional(|walk| {
                    walk.statements(&choice.true_body);
                    walk.statements(&choice.false_body);
                });
            }
            ast::Stmt::WithBlock(with) => self.scoped(&[], |walk| {
                for (target, value) in &with.assignments {
                    walk.expression(value);
                    walk.assign(target);
                }
                walk.statements(&with.body);
            }),
            ast::Stmt::Set(set) => {
                self.expression(&set.expr);
                self.assign(&set.target);
            }
            ast::Stmt::SetBlock(set) => {
                self.optional(set.filter.as_ref());
                self.statements(&set.body);
                self.assign(&set.target);
            }
            ast::Stmt::AutoEscape(escape) => {
                self.expression(&escape.enabled);
                self.statements(&escape.body);
            }
            ast::Stmt::FilterBlock(filter) => {
                self.expression(&filter.filter);
                self.statements(&filter.body);
            }
            ast::Stmt::Block(block) => self.block(block, block.span()),
            ast::Stmt::Import(import) => {
                self.link(Link::May, &import.expr);
                self.assign(&import.name);
            }
            ast::Stmt::FromImport(import) => {
                self.link(Link::May, &import.expr);
                for (name, alias) in &import.names {
                    self.assign(alias.as_ref().unwrap_or(name));
                }
            }
            ast::Stmt::Extends(extends) => self.link(Link::Extends, &extends.name),
            ast::Stmt::Include(include) if include.ignore_missing => {
                self.expression(&include.name);
            }
            ast::Stmt::Include(include) => {
                let link = match self.conditions {
                    0 => Link::Includes,
                    _ => Link::May,
                };
                self.link(link, &include.name);
            }
            ast::Stmt::Macro(declared) => {
                self.set(declared.name);
                self.macro_body(declared);
            }
            ast::Stmt::CallBlock(call) => {
                self.call(&call.call);
                self.macro_body(&call.macro_decl);
            }
            ast::Stmt::Do(call) => self.call(&call.call),
        }
    }

    fn repeat(&mut self, repeat: &ast::ForLoop<'a>) {
        self.expression(&repeat.iter);
        self.conditional(|walk| {
            walk.scoped(&[LOOP], |walk| {
                walk.assign(&repeat.target);
                walk.optional(repeat.filter_expr.as_ref());
                walk.statements(&repeat.body);
            });
            walk.statements(&repeat.else_body);
        });
    }

    fn macro_body(&mut self, declared: &ast::Macro<'a>) {
        self.conditional(|walk| {
            walk.scoped(&["caller"], |walk| {
                for value in &declared.defaults {
                    walk.expression(value);
                }
                for argument in &declared.args {
                    walk.assign(argument);
                }
                walk.statements(&declared.body);
            });
        });
    }

    fn block(&mut self, block: &ast::Block<'a>, span: Span) {
        let start = span.start_offset as usize + "block".len();
        if let Some(named) = self.find(block.name, start) {
            match self.blocks {
                0 => self.names.blocks.push(named),
                _ => self.names.inner_blocks.push(named),
            }
        }
        self.blocks += 1;
        self.scoped(&["super"], |walk| walk.statements(&block.body));
        self.blocks -= 1;
    }

    /// Returns the first place of a name from here on.
    fn find(&self, name: &str, from: usize) -> Option<Named> {
        let at = from + self.text.get(from..)?.find(name)?;
        Some(Named {
            name: name.to_owned(),
            at: at..at + name.len(),
        })
    }

    fn link(&mut self, link: Link, expression: &ast::Expr<'a>) {
        let names = match expression {
            ast::Expr::List(list) => list.items.iter().map(constant).collect(),
            ast::Expr::Tuple(tuple) => tuple.items.iter().map(constant).collect(),
            expression => constant(expression).map(|named| vec![named]),
        };
        match names {
            Some(names) => self.names.templates.push((link, names)),
            None => self.expression(expression),
        }
    }

    fn set(&mut self, name: &'a str) {
        self.names.set.insert(name.to_owned());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn assign(&mut self, target: &ast::Expr<'a>) {
        match target {
            ast::Expr::Var(variable) => self.set(variable.id),
            ast::Expr::List(list) => list.items.iter().for_each(|item| self.assign(item)),
            ast::Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.assign(item)),
            // A member of a namespace.
            ast::Expr::GetAttr(member) => self.expression(&member.expr),
            _ => {}
        }
    }

    fn optional(&mut self, expression: Option<&ast::Expr<'a>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    fn expressions(&mut self, expressions: &[ast::Expr<'a>]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &ast::Expr<'a>) {
        match expression {
            ast::Expr::Const(_) => {}
            ast::Expr::Var(_) => self.variable(expression, false),
            ast::Expr::GetAttr(member) => match path(expression) {
                Some(_) => self.variable(expression, false),
                None => self.expression(&member.expr),
            },
            ast::Expr::UnaryOp(unary) => self.expression(&unary.expr),
            ast::Expr::BinOp(binary) => {
                self.expression(&binary.left);
                self.expression(&binary.right);
            }
            ast::Expr::Compare(compare) => {
                self.expression(&compare.expr);
                for operand in &compare.ops {
                    self.expression(&operand.expr);
                }
            }
            ast::Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr);
                self.expression(&choice.true_expr);
                self.optional(choice.false_expr.as_ref());
            }
            ast::Expr::Filter(filter) => {
                let named = named(filter.name, filter.span());
                if let (Some(inner), "default" | "d") = (&filter.expr, filter.name) {
                    self.guard(inner);
                }
                self.names.filters.push(named);
                self.optional(filter.expr.as_ref());
                self.arguments(&filter.args);
            }
            ast::Expr::Test(test) => {
                if matches!(test.name, "defined" | "undefined") {
                    self.guard(&test.expr);
                }
                self.names.tests.push(named(test.name, test.span()));
                self.expression(&test.expr);
                self.arguments(&test.args);
            }
            ast::Expr::GetItem(item) => {
                self.expression(&item.expr);
                self.expression(&item.subscript_expr);
            }
            ast::Expr::Slice(slice) => {
                self.expression(&slice.expr);
                for bound in [&slice.start, &slice.stop, &slice.step] {
                    self.optional(bound.as_ref());
                }
            }
            ast::Expr::Call(call) => self.call(call),
            ast::Expr::List(list) => self.expressions(&list.items),
            ast::Expr::Tuple(tuple) => self.expressions(&tuple.items),
            ast::Expr::Map(map) => {
                self.expressions(&map.keys);
                self.expressions(&map.values);
            }
        }
    }

    fn call(&mut self, call: &ast::Call<'a>) {
        match &call.expr {
            ast::Expr::Var(_) => self.variable(&call.expr, true),
            // Of a method only what it belongs to is known, but for those of a loop.
            ast::Expr::GetAttr(_) if self.is_of_loop(&call.expr) => self.variable(&call.expr, true),
            ast::Expr::GetAttr(method) => self.expression(&method.expr),
            other => self.expression(other),
        }
        self.arguments(&call.args);
    }

    fn arguments(&mut self, arguments: &[ast::CallArg<'a>]) {
        for argument in arguments {
            match argument {
                ast::CallArg::Pos(value)
                | ast::CallArg::Kwarg(_, value)
                | ast::CallArg::PosSplat(value)
                | ast::CallArg::KwargSplat(value) => self.expression(value),
            }
        }
    }

    fn guard(&mut self, expression: &ast::Expr<'a>) {
        if let Some(path) = path(expression) {
            let variable = Variable {
                path,
                called: false,
            };
            let whole = variable.shown(variable.path.len());
            self.names.guarded.insert(whole);
        }
    }

    /// Whether this is a member of `loop` where that is the loop's own.
    fn is_of_loop(&self, expression: &ast::Expr<'a>) -> bool {
        let is_here = || self.scopes.iter().any(|scope| scope.contains(LOOP));
        path(expression).is_some_and(|path| path.len() > 1 && path[0].name == LOOP) && is_here()
    }

    fn variable(&mut self, expression: &ast::Expr<'a>, called: bool) {
        let Some(path) = path(expression) else {
            return;
        };
        let name = path[0].name.as_str();
        if self.is_of_loop(expression) {
            self.names.of_loops.push(Variable { path, called });
            return;
        }
        let known = name == "self" || self.scopes.iter().any(|scope| scope.contains(name));
        if !known {
            self.names.variables.push(Variable { path, called });
        }
    }
}

/// Whether a tag has too many operators, or the template too many branches, for the stack of the
/// parser.
fn nests_too_deep(text: &str) -> bool {
    let mut inside = 0;
    let mut branches = 0;
    for token in tokenize(text, false, syntax()) {
        match token {
            // The parser will find the same.
            Err(_) => return false,
            Ok((Token::VariableStart | Token::BlockStart, _)) => inside = 0,
            Ok((Token::Ident("elif"), _)) => branches += 1,
            Ok((Token::Ident(name), _)) if !OPERATORS.contains(&name) => {}
            Ok((
                Token::TemplateData(_)
                | Token::Str(_)
                | Token::String(_)
                | Token::Int(_)
                | Token::Int128(_)
                | Token::Float(_)
                | Token::Comma
                | Token::Colon,
                _,
            )) => {}
            Ok(_) => inside += 1,
        }
        if inside > MAX_NESTING || branches > MAX_NESTING {
            return true;
        }
    }
    false
}

/// Words between two expressions.
const OPERATORS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];

/// Returns a variable and its members.
fn path(expression: &ast::Expr<'_>) -> Option<Vec<Named>> {
    match expression {
        ast::Expr::Var(variable) => Some(vec![named(variable.id, variable.span())]),
        ast::Expr::GetAttr(member) => {
            let mut path = path(&member.expr)?;
            // The place of a member is that of all that stands before it, too.
            let end = member.span().end_offset as usize;
            path.push(Named {
                name: member.name.to_owned(),
                at: end - member.name.len()..end,
            });
            Some(path)
        }
        _ => None,
    }
}

/// Returns where a statement writes something, if it does so by itself.
fn written(statement: &ast::Stmt<'_>) -> Option<std::ops::Range<usize>> {
    let (span, blank) = match statement {
        ast::Stmt::EmitRaw(raw) => {
            let blank = raw.raw.len() - raw.raw.trim_start().len();
            (raw.span(), (blank < raw.raw.len()).then_some(blank)?)
        }
        ast::Stmt::EmitExpr(emit) => (emit.span(), 0),
        _ => return None,
    };
    Some(span.start_offset as usize + blank..span.end_offset as usize)
}

/// Makes a name at the start of a span.
fn named(name: &str, span: Span) -> Named {
    let start = span.start_offset as usize;
    Named {
        name: name.to_owned(),
        at: start..start + name.len(),
    }
}

/// Returns a text that is written as a literal.
fn constant(expression: &ast::Expr<'_>) -> Option<Named> {
    let ast::Expr::Const(value) = expression else {
        return None;
    };
    let span = value.span();
    Some(Named {
        name: value.value.as_str()?.to_owned(),
        at: span.start_offset as usize..span.end_offset as usize,
    })
}
