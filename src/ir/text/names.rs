//! The names that values, blocks and variables have in text.
//!
//! Entities carry name hints that need not be unique. The text form needs unique names, so they are
//! made here, in one place, in the order of definition: parameters, then blocks in layout order. The
//! first to ask for a name gets it, later ones get `name.1`, `name.2`. Unnamed values are numbered
//! densely in the same order (`%0`, `%1`), unnamed blocks by their place in the layout (`bb0`), so the
//! numbering is a function of the text alone and printing is idempotent.

use std::collections::HashSet;

use crate::ir::entity::{Block, Entity, Value, Var};
use crate::ir::func::Function;

/// Unique names of a function's entities.
#[derive(Clone, Debug)]
pub struct Names {
    values: Vec<String>,
    blocks: Vec<String>,
    vars: Vec<String>,
}

impl Names {
    /// Names every entity of the function. Works on malformed functions too.
    pub fn of(func: &Function) -> Names {
        let mut values = vec![String::new(); func.values.len()];
        let mut taken = Taken::default();
        let mut next = 0;
        let mut name_value = |value: Value| {
            let Some(data) = func.values.get(value) else {
                return;
            };
            let slot = &mut values[value.index()];
            if !slot.is_empty() {
                return;
            }
            *slot = match &data.name {
                Some(hint) => taken.claim(hint, |name| name.bytes().all(|b| b.is_ascii_digit())),
                None => {
                    next += 1;
                    (next - 1).to_string()
                }
            };
        };
        func.params.iter().for_each(|p| name_value(p.value));
        for &block in &func.layout {
            let Some(data) = func.blocks.get(block) else {
                continue;
            };
            data.params.iter().for_each(|v| name_value(*v));
            for &inst in &data.insts {
                let results = func.insts.get(inst).map_or(&[][..], |i| &i.results);
                results.iter().for_each(|v| name_value(*v));
            }
        }
        for (index, slot) in values.iter_mut().enumerate() {
            if slot.is_empty() {
                // Not defined in the layout: only broken functions print it.
                *slot = format!("removed.{index}");
            }
        }
        Names {
            values,
            blocks: name_blocks(func),
            vars: name_vars(func),
        }
    }

    /// A value's name without the percent sign.
    pub fn value(&self, value: Value) -> &str {
        self.values.get(value.index()).map_or("invalid", |n| n)
    }

    /// A block's label.
    pub fn block(&self, block: Block) -> &str {
        self.blocks.get(block.index()).map_or("invalid", |n| n)
    }

    /// A variable's name without the dollar sign.
    pub fn var(&self, var: Var) -> &str {
        self.vars.get(var.index()).map_or("invalid", |n| n)
    }
}

fn name_blocks(func: &Function) -> Vec<String> {
    let mut names = vec![String::new(); func.blocks.len()];
    let mut taken = Taken::default();
    for (place, &block) in func.layout.iter().enumerate() {
        let Some(data) = func.blocks.get(block) else {
            continue;
        };
        names[block.index()] = match &data.name {
            Some(hint) => taken.claim(hint, is_reserved_label),
            None => format!("bb{place}"),
        };
    }
    for (index, name) in names.iter_mut().enumerate() {
        if name.is_empty() {
            *name = format!("removed.{index}");
        }
    }
    names
}

fn name_vars(func: &Function) -> Vec<String> {
    let mut taken = Taken::default();
    func.vars
        .iter()
        .map(|(_, data)| taken.claim(&data.name, |_| false))
        .collect()
}

/// Whether a label is one that unnamed blocks print (`bb12`).
pub fn is_block_number(label: &str) -> bool {
    label
        .strip_prefix("bb")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Labels are words, which begin with no digit.
fn is_reserved_label(label: &str) -> bool {
    is_block_number(label) || label.starts_with(|c: char| c.is_ascii_digit())
}

#[derive(Default)]
struct Taken {
    names: HashSet<String>,
}

impl Taken {
    /// The hint itself if it is free and not `reserved`, else the hint with the first free number.
    fn claim(&mut self, hint: &str, reserved: impl Fn(&str) -> bool) -> String {
        let mut clean: String = hint
            .chars()
            .map(|c| if is_name_char(c) { c } else { '_' })
            .collect();
        if clean.is_empty() || clean.starts_with('.') || reserved(&clean) {
            clean.insert(0, '_');
        }
        if self.names.insert(clean.clone()) {
            return clean;
        }
        // `i.1` collides again as `i.2`, not as `i.1.1`.
        let stem = match clean.rsplit_once('.') {
            Some((stem, n)) if !stem.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => stem,
            _ => &clean,
        };
        (1u32..)
            .map(|n| format!("{stem}.{n}"))
            .find(|name| self.names.insert(name.clone()))
            .expect("there are more numbers than values")
    }
}

/// Whether a character may stand in a name.
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}
