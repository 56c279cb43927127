//! The scalar truth of every pure opcode, on raw bits.

use crate::ir::func::Attrs;
use crate::ir::opcode::{Cmp, Opcode, Round};
use crate::ir::types::Kind;
use crate::num::{Format, FpEnv, Rounding, arith, compare, convert, int};

/// The float format of a kind.
pub fn format(kind: Kind) -> Option<Format> {
    match kind {
        Kind::F16 => Some(Format::F16),
        Kind::Bf16 => Some(Format::Bf16),
        Kind::F32 => Some(Format::F32),
        Kind::F64 => Some(Format::F64),
        Kind::U8
        | Kind::U16
        | Kind::U32
        | Kind::U64
        | Kind::S8
        | Kind::S16
        | Kind::S32
        | Kind::S64
        | Kind::B8
        | Kind::B16
        | Kind::B32
        | Kind::B64
        | Kind::Pred
        | Kind::Ptr => None,
    }
}

fn rounding(round: Option<Round>) -> Rounding {
    match round {
        None | Some(Round::Rn | Round::Rni) => Rounding::NearestEven,
        Some(Round::Rz | Round::Rzi) => Rounding::TowardZero,
        Some(Round::Rm | Round::Rmi) => Rounding::Down,
        Some(Round::Rp | Round::Rpi) => Rounding::Up,
    }
}

fn env(attrs: &Attrs) -> FpEnv {
    FpEnv {
        round: rounding(attrs.round),
        flush_in: attrs.ftz,
        flush_out: attrs.ftz,
    }
}

/// The result of a pure instruction on the bits of its operands. `first_bits` is the width of the
/// first operand, which pointer operations need. `None` for opcodes that are no pure function of
/// their operands, or where attributes are missing.
pub fn evaluate(op: Opcode, attrs: &Attrs, args: &[u64], first_bits: u32) -> Option<u64> {
    let kind = attrs.kind;
    let width = match kind {
        Some(Kind::Ptr) | None => first_bits,
        Some(kind) => kind.bits(),
    };
    let arg = |n: usize| args.get(n).copied();
    let signed = kind.is_some_and(Kind::is_signed);
    let mask = int::mask(width);
    Some(match op {
        Opcode::Add => int::add_carry(arg(0)?, arg(1)?, false, width).0,
        Opcode::Sub => int::sub_borrow(arg(0)?, arg(1)?, false, width).0,
        Opcode::MulLo => arg(0)?.wrapping_mul(arg(1)?) & mask,
        Opcode::MulHi => int::mul_hi(arg(0)?, arg(1)?, width, signed),
        Opcode::MulWide => wide_product(arg(0)?, arg(1)?, width, signed),
        Opcode::MadLo => arg(0)?.wrapping_mul(arg(1)?).wrapping_add(arg(2)?) & mask,
        Opcode::MadWide => {
            let product = wide_product(arg(0)?, arg(1)?, width, signed);
            product.wrapping_add(arg(2)?) & int::mask(2 * width)
        }
        Opcode::Div => int::div(arg(0)?, arg(1)?, width, signed),
        Opcode::Rem => int::rem(arg(0)?, arg(1)?, width, signed),
        Opcode::Min => int::min(arg(0)?, arg(1)?, width, signed),
        Opcode::Max => int::max(arg(0)?, arg(1)?, width, signed),
        Opcode::Abs => int::sext(arg(0)?, width).unsigned_abs() & mask,
        Opcode::Neg => arg(0)?.wrapping_neg() & mask,
        Opcode::And => arg(0)? & arg(1)?,
        Opcode::Or => arg(0)? | arg(1)?,
        Opcode::Xor => arg(0)? ^ arg(1)?,
        Opcode::Not => !arg(0)? & mask,
        Opcode::Shl => int::shl(arg(0)?, count(attrs, arg(1)?, width), width),
        Opcode::Shr => int::shr(arg(0)?, count(attrs, arg(1)?, width), width, signed),
        Opcode::Popc => u64::from(int::popcount(arg(0)?, width)),
        Opcode::Clz => u64::from(int::clz(arg(0)?, width)),
        Opcode::Brev => int::brev(arg(0)?, width),
        Opcode::FAdd => arith::add(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::FSub => arith::sub(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::FMul => arith::mul(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::Fma => arith::fma(format(kind?)?, arg(0)?, arg(1)?, arg(2)?, env(attrs)),
        Opcode::FDiv => arith::div(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::FSqrt => arith::sqrt(format(kind?)?, arg(0)?, env(attrs)),
        Opcode::FMin => compare::min(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::FMax => compare::max(format(kind?)?, arg(0)?, arg(1)?, env(attrs)),
        Opcode::FAbs => flush(attrs, arg(0)?) & !format(kind?)?.sign_bit(),
        Opcode::FNeg => flush(attrs, arg(0)?) ^ format(kind?)?.sign_bit(),
        Opcode::Cvt => cvt(attrs, arg(0)?)?,
        Opcode::Bitcast | Opcode::PtrToInt | Opcode::Mov => arg(0)?,
        Opcode::IntToPtr => {
            let bits = crate::ir::types::Type::Ptr(attrs.space?).bits();
            arg(0)? & int::mask(bits)
        }
        Opcode::PtrAdd => arg(0)?.wrapping_add(arg(1)?) & int::mask(first_bits),
        Opcode::Setp => u64::from(setp(attrs.cmp?, kind?, arg(0)?, arg(1)?, width, attrs)),
        Opcode::Selp => {
            if arg(2)? != 0 {
                arg(0)?
            } else {
                arg(1)?
            }
        }
        Opcode::SReg
        | Opcode::Ld
        | Opcode::St
        | Opcode::CvgBegin
        | Opcode::CvgEnd
        | Opcode::VarGet
        | Opcode::VarSet
        | Opcode::Br
        | Opcode::Brc
        | Opcode::Ret
        | Opcode::Trap
        | Opcode::Unreachable => return None,
    })
}

fn flush(attrs: &Attrs, bits: u64) -> u64 {
    match attrs.kind.and_then(format) {
        Some(f) if attrs.ftz && f.is_subnormal(bits) => bits & f.sign_bit(),
        _ => bits,
    }
}

fn wide_product(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    let product = int::extend(a, width, signed).wrapping_mul(int::extend(b, width, signed));
    product as u64 & int::mask(2 * width)
}

/// A shift count: the operand is 32 bits, unsigned.
fn count(attrs: &Attrs, count: u64, width: u32) -> u32 {
    if attrs.wrap {
        count as u32 & (width - 1)
    } else {
        count as u32
    }
}

fn setp(cmp: Cmp, kind: Kind, a: u64, b: u64, width: u32, attrs: &Attrs) -> bool {
    let order = match format(kind) {
        Some(f) => compare::compare(f, a, b, env(attrs)),
        None => {
            let signed = kind.is_signed();
            Some(int::extend(a, width, signed).cmp(&int::extend(b, width, signed)))
        }
    };
    match (cmp, order) {
        (Cmp::Num, o) => o.is_some(),
        (Cmp::Nan, o) => o.is_none(),
        (Cmp::Eq | Cmp::Ne | Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge, None) => false,
        (Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu, None) => true,
        (Cmp::Eq | Cmp::Equ, Some(o)) => o.is_eq(),
        (Cmp::Ne | Cmp::Neu, Some(o)) => o.is_ne(),
        (Cmp::Lt | Cmp::Ltu, Some(o)) => o.is_lt(),
        (Cmp::Le | Cmp::Leu, Some(o)) => o.is_le(),
        (Cmp::Gt | Cmp::Gtu, Some(o)) => o.is_gt(),
        (Cmp::Ge | Cmp::Geu, Some(o)) => o.is_ge(),
    }
}

fn cvt(attrs: &Attrs, a: u64) -> Option<u64> {
    let (to, from) = (attrs.kind?, attrs.src_kind?);
    let result = match (format(to), format(from)) {
        (Some(t), Some(f)) => {
            let integral = matches!(
                attrs.round,
                Some(Round::Rni | Round::Rzi | Round::Rmi | Round::Rpi)
            );
            let a = if integral {
                compare::round_to_integral(f, a, rounding(attrs.round), env(attrs))
            } else {
                a
            };
            convert::float_to_float(t, f, a, env(attrs))
        }
        (Some(t), None) => convert::int_to_float(t, a, from.bits(), from.is_signed(), env(attrs)),
        (None, Some(f)) => {
            let a = if attrs.ftz && f.is_subnormal(a) {
                a & f.sign_bit()
            } else {
                a
            };
            return Some(convert::float_to_int(
                f,
                a,
                to.bits(),
                to.is_signed(),
                rounding(attrs.round),
            ));
        }
        (None, None) => {
            let value = int::extend(a, from.bits(), from.is_signed());
            return Some(if attrs.sat {
                int::saturate(value, to.bits(), to.is_signed())
            } else {
                value as u64 & int::mask(to.bits())
            });
        }
    };
    Some(if attrs.sat {
        clamp(format(to)?, result)
    } else {
        result
    })
}

/// A float cut to 0..1; NaN gives 0.
fn clamp(format: Format, bits: u64) -> u64 {
    if format.is_nan(bits) || format.is_neg(bits) {
        0
    } else {
        bits.min(format.one())
    }
}
