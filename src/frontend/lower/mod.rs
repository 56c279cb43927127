//! From checked kernels to VISA with variables.
//!
//! Parameters follow decisions of the launch ABI: a slice is a pointer and `NAME.len` in elements.
//! Every instruction carries the span of the expression that asked for it, and values of `let`s
//! carry their names.

pub mod control;
pub mod expr;
pub mod memory;

use std::collections::{HashMap, HashSet};

use super::hir::{self, LocalId, LoopId};
use super::types::{Scalar, Ty};
use crate::ir::{Block, Builder, Function, Kind, Module, Space, Type, Value, Var};

/// Options of lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A product that is an operand of a sum in the same expression becomes one `fma`.
    pub fp_contract: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { fp_contract: true }
    }
}

/// Where a local lives.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// A value that never changes.
    Value(Value),
    /// A slice parameter: pointer and length.
    Slice(Value, Value),
    /// A variable.
    Var(Var),
}

/// Blocks of a loop.
#[derive(Clone, Copy, Debug)]
struct LoopBlocks {
    next: Block,
    exit: Block,
}

/// State of lowering one kernel.
struct Lowering<'k> {
    kernel: &'k hir::Kernel,
    options: Options,
    b: Builder<'k>,
    homes: HashMap<LocalId, Home>,
    loops: HashMap<LoopId, LoopBlocks>,
    names: HashSet<String>,
}

/// Lowers all kernels into one module.
pub fn lower(name: &str, kernels: &[hir::Kernel], options: Options) -> Module {
    let functions = kernels.iter().map(|k| lower_kernel(k, options)).collect();
    Module {
        name: name.to_string(),
        functions,
        ..Module::default()
    }
}

fn lower_kernel(kernel: &hir::Kernel, options: Options) -> Function {
    let mut func = Function::new(&kernel.name);
    func.attrs = kernel.attrs.clone();
    func.span = Some(kernel.span);
    let mut homes = HashMap::new();
    let mut names = HashSet::new();
    for (id, noalias) in &kernel.params {
        let local = &kernel.locals[id.0];
        names.insert(local.name.clone());
        let home = match local.ty {
            Ty::Slice(elem, mutable) => {
                let ptr = pointer_param(&mut func, local, elem, mutable, *noalias);
                let len_name = format!("{}.len", local.name);
                let len = func.add_param(&len_name, Type::I32, Some(Kind::U32), local.span);
                Home::Slice(ptr, len)
            }
            Ty::Ptr(elem, mutable) => {
                Home::Value(pointer_param(&mut func, local, elem, mutable, *noalias))
            }
            Ty::Scalar(Scalar::Bool) => {
                // A byte in the parameter block; its truth value is made in the entry block.
                Home::Value(func.add_param(&local.name, Type::I8, Some(Kind::Pred), local.span))
            }
            Ty::Scalar(scalar) => Home::Value(func.add_param(
                &local.name,
                scalar.ir(),
                Some(scalar.kind()),
                local.span,
            )),
            Ty::Unit | Ty::Error => continue,
        };
        homes.insert(*id, home);
    }
    let entry = func.add_block(Some("entry"));
    let b = Builder::new(&mut func, entry);
    let mut lowering = Lowering {
        kernel,
        options,
        b,
        homes,
        loops: HashMap::new(),
        names,
    };
    lowering.bool_params();
    lowering.stmts(&kernel.body);
    if !lowering.b.is_terminated() {
        lowering.b.span = crate::diag::Span::NONE;
        lowering.b.ret();
    }
    func
}

fn pointer_param(
    func: &mut Function,
    local: &hir::Local,
    elem: Scalar,
    mutable: bool,
    noalias: bool,
) -> Value {
    let value = func.add_param(
        &local.name,
        Type::Ptr(Space::Global),
        Some(elem.kind()),
        local.span,
    );
    if let Some(param) = func.params.last_mut() {
        param.readonly = !mutable;
        param.noalias = noalias;
    }
    value
}

impl Lowering<'_> {
    fn bool_params(&mut self) {
        for (id, _) in &self.kernel.params {
            let local = &self.kernel.locals[id.0];
            if let (Ty::Scalar(Scalar::Bool), Some(Home::Value(byte))) =
                (local.ty, self.homes.get(id).copied())
            {
                self.b.span = local.span;
                let zero = self.b.func.constant(Type::I8, 0);
                let truth = self.b.setp(crate::ir::Cmp::Ne, Kind::U8, byte, zero);
                self.homes.insert(*id, Home::Value(truth));
            }
        }
    }

    /// A name that no value has yet.
    fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_string();
        let mut n = 1;
        while !self.names.insert(candidate.clone()) {
            candidate = format!("{name}.{n}");
            n += 1;
        }
        candidate
    }

    /// A new block; labels are unique.
    fn new_block(&mut self, label: &str) -> Block {
        let label = self.unique_label(label);
        self.b.func.add_block(Some(&label))
    }

    fn unique_label(&mut self, label: &str) -> String {
        // Labels and values have name spaces of their own in text.
        let mut candidate = label.to_string();
        let mut n = 1;
        while !self.names.insert(format!("{candidate}:")) {
            candidate = format!("{label}.{n}");
            n += 1;
        }
        candidate
    }

    fn local(&self, id: LocalId) -> &hir::Local {
        &self.kernel.locals[id.0]
    }

    /// VISA's type of a source type.
    fn ir_type(&self, ty: Ty) -> Type {
        match ty {
            Ty::Scalar(scalar) => scalar.ir(),
            Ty::Ptr(..) | Ty::Slice(..) => Type::Ptr(Space::Global),
            Ty::Unit | Ty::Error => Type::I32,
        }
    }
}
