//! Modules, functions, blocks, instructions and values.
//!
//! SSA with block parameters. Constants are values of their own: they have no place in a block and
//! dominate everything, so that every operand is a [`Value`]. Before SSA construction a function may
//! hold variables, read by `var.get` and written by `var.set`.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::entity::{Arena, Block, Inst, Value, Var};
use super::opcode::{Cmp, Opcode, Round, SReg};
use super::types::{Kind, Space, Type};
use crate::diag::Span;

/// The wave size that a module was folded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum WaveSize {
    /// 32 lanes.
    W32,
    /// 64 lanes.
    W64,
    /// The code does not depend on it.
    #[default]
    Any,
}

/// A compilation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Name of the source, as in `.module "saxpy.k"`.
    pub name: String,
    /// `.wave`.
    pub wave: WaveSize,
    /// `.target`, present where the source read `TARGET`.
    pub target: Option<String>,
    /// Kernels and, later, device functions in order.
    pub functions: Vec<Function>,
}

/// A kernel parameter. A slice is two of them: `NAME` and `NAME.len` (decisions: slices carry their
/// length in elements).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name; `y.len` for the length of slice `y`.
    pub name: String,
    /// Type in VISA.
    pub ty: Type,
    /// The kernel does not write through this pointer.
    pub readonly: bool,
    /// No other pointer of the kernel reaches the same memory.
    pub noalias: bool,
    /// The source type of elements behind a pointer, or of the scalar itself, with signedness
    /// (`Kind::U32`); `None` for raw VISA. Consumers match arguments by it.
    pub elem: Option<Kind>,
    /// The value inside the function.
    pub value: Value,
    /// The place of the declaration.
    pub span: Span,
}

/// Launch-related attributes of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelAttrs {
    /// `.launch_bounds(max_threads, min_blocks)`.
    pub launch_bounds: Option<(u32, u32)>,
    /// `.waves_per_eu(min, max)`.
    pub waves_per_eu: Option<(u32, u32)>,
    /// `.max_regs(n)`: vector registers a lane.
    pub max_regs: Option<u32>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Parameter `n` of the function.
    Arg(u32),
    /// Parameter `n` of a block.
    BlockParam(Block, u32),
    /// Result `n` of an instruction.
    Result(Inst, u32),
    /// A constant: its bits, zero-extended. A `pred` constant is 0 or 1.
    Const(u64),
}

/// A value's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Type.
    pub ty: Type,
    /// Definition.
    pub def: ValueDef,
    /// Name in text without the percent sign; `None` prints the index. Names are unique in a
    /// function and never look like a plain number.
    pub name: Option<String>,
}

/// A successor with the arguments for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCall {
    /// The block.
    pub block: Block,
    /// One argument a parameter.
    pub args: SmallVec<[Value; 2]>,
}

/// The suffixes and immediate operands of an instruction; which of them count is said by the
/// opcode's slots, the others keep their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs {
    /// Main kind.
    pub kind: Option<Kind>,
    /// Source kind.
    pub src_kind: Option<Kind>,
    /// Comparison.
    pub cmp: Option<Cmp>,
    /// Rounding.
    pub round: Option<Round>,
    /// Flush subnormals.
    pub ftz: bool,
    /// Saturate (floats: to 0..1, integers: to the range of the kind).
    pub sat: bool,
    /// Shift counts modulo the width.
    pub wrap: bool,
    /// Space of a memory operation or of a pointer result.
    pub space: Option<Space>,
    /// Elements of a vector access: 0 and 1 are a scalar, else 2 or 4.
    pub vec: u8,
    /// Byte offset of a memory operand.
    pub offset: i32,
    /// Special register.
    pub sreg: Option<SReg>,
    /// Variable.
    pub var: Option<Var>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstData {
    /// Opcode.
    pub op: Opcode,
    /// Suffixes.
    pub attrs: Attrs,
    /// Operands.
    pub args: SmallVec<[Value; 3]>,
    /// Results.
    pub results: SmallVec<[Value; 1]>,
    /// Successors of a terminator.
    pub targets: SmallVec<[BlockCall; 2]>,
    /// Source place.
    pub span: Span,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockData {
    /// Parameters.
    pub params: Vec<Value>,
    /// Instructions; the last one is the terminator once the block is complete.
    pub insts: Vec<Inst>,
    /// Label in text; `None` prints the index.
    pub name: Option<String>,
}

/// A mutable variable of a function before SSA construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarData {
    /// Type.
    pub ty: Type,
    /// Name without the dollar sign; unique in the function.
    pub name: String,
    /// Place of the declaration.
    pub span: Span,
}

/// A function; so far always a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Name without `@`.
    pub name: String,
    /// Parameters.
    pub params: Vec<Param>,
    /// Kernel attributes.
    pub attrs: KernelAttrs,
    /// Place of the declaration; `None` after reading text without places.
    pub span: Option<Span>,
    /// Values.
    pub values: Arena<Value, ValueData>,
    /// Instructions, those removed from blocks included.
    pub insts: Arena<Inst, InstData>,
    /// Blocks, those removed from the layout included.
    pub blocks: Arena<Block, BlockData>,
    /// Variables.
    pub vars: Arena<Var, VarData>,
    /// Blocks in printing order; the first is the entry.
    pub layout: Vec<Block>,
    consts: HashMap<(Type, u64), Value>,
}

impl Function {
    /// An empty function: no block yet.
    pub fn new(name: impl Into<String>) -> Function {
        Function {
            name: name.into(),
            ..Function::default()
        }
    }

    /// Appends a parameter and returns its value.
    pub fn add_param(&mut self, name: &str, ty: Type, elem: Option<Kind>, span: Span) -> Value {
        let def = ValueDef::Arg(self.params.len() as u32);
        let value = self.values.push(ValueData {
            ty,
            def,
            name: Some(name.to_string()),
        });
        let name = name.to_string();
        self.params.push(Param {
            name,
            ty,
            readonly: false,
            noalias: false,
            elem,
            value,
            span,
        });
        value
    }

    /// Appends a block to the layout.
    pub fn add_block(&mut self, name: Option<&str>) -> Block {
        let block = self.blocks.push(BlockData {
            name: name.map(str::to_string),
            ..BlockData::default()
        });
        self.layout.push(block);
        block
    }

    /// Appends a parameter to a block.
    pub fn add_block_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let def = ValueDef::BlockParam(block, index);
        let value = self.values.push(ValueData {
            ty,
            def,
            name: None,
        });
        self.blocks[block].params.push(value);
        value
    }

    /// Adds a variable. The caller keeps names unique.
    pub fn add_var(&mut self, name: impl Into<String>, ty: Type, span: Span) -> Var {
        self.vars.push(VarData {
            ty,
            name: name.into(),
            span,
        })
    }

    /// The constant of a type and its bits (cut to the type's width); the same value every time.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let width = ty.bits();
        let bits = if width >= 64 {
            bits
        } else {
            bits & ((1 << width) - 1)
        };
        if let Some(&value) = self.consts.get(&(ty, bits)) {
            return value;
        }
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Const(bits),
            name: None,
        });
        self.consts.insert((ty, bits), value);
        value
    }

    /// The bits of a constant value.
    pub fn as_const(&self, value: Value) -> Option<u64> {
        match self.values[value].def {
            ValueDef::Const(bits) => Some(bits),
            ValueDef::Arg(_) | ValueDef::BlockParam(..) | ValueDef::Result(..) => None,
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The entry block. Panics on a function without blocks (the verifier refuses those).
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Creates an instruction without placing it; `result_types` makes its results.
    pub fn create_inst(
        &mut self,
        op: Opcode,
        attrs: Attrs,
        args: &[Value],
        result_types: &[Type],
        span: Span,
    ) -> Inst {
        let inst = self.insts.push(InstData {
            op,
            attrs,
            args: SmallVec::from_slice(args),
            results: SmallVec::new(),
            targets: SmallVec::new(),
            span,
        });
        for (n, &ty) in result_types.iter().enumerate() {
            let def = ValueDef::Result(inst, n as u32);
            let value = self.values.push(ValueData {
                ty,
                def,
                name: None,
            });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// The terminator of a block, if the block is complete.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.blocks[block].insts.last()?;
        self.insts[last]
            .op
            .flags()
            .has(super::opcode::Flags::TERM)
            .then_some(last)
    }

    /// The successors of a block in order, repetitions included.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        let targets = self
            .terminator(block)
            .map(|t| self.insts[t].targets.as_slice());
        targets.unwrap_or(&[]).iter().map(|call| call.block)
    }
}
