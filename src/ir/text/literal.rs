//! Literals: constants of every type to text and back, exactly.
//!
//! Integers are decimal; floats are the shortest decimal that reads back as the same bits, always with
//! a point; NaN and infinities are PTX's hexadecimal forms `0fXXXXXXXX` (f32) and `0dX…` (f64), and
//! `0hXXXX` for the two 16-bit formats. All hexadecimal forms are accepted for finite values too.

use crate::ir::types::Type;

/// The text of a constant. `signed` picks how integers with the top bit set are written.
pub fn print_literal(ty: Type, bits: u64, signed: bool) -> String {
    match ty {
        Type::Pred => if bits & 1 != 0 { "true" } else { "false" }.to_string(),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 if signed => {
            sign_extend(bits, ty.bits()).to_string()
        }
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Ptr(_) | Type::Cvg => bits.to_string(),
        Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => print_float(ty, bits),
    }
}

/// The low `width` bits as a two's complement number.
pub fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    (bits << unused) as i64 >> unused
}

fn print_float(ty: Type, bits: u64) -> String {
    let value = float_value(ty, bits);
    if !value.is_finite() {
        return match ty {
            Type::F32 => format!("0f{bits:08X}"),
            Type::F64 => format!("0d{bits:016X}"),
            _ => format!("0h{bits:04X}"),
        };
    }
    let text = match ty {
        Type::F64 => format!("{value:?}"),
        Type::F32 => format!("{:?}", value as f32),
        // The shortest digits that give the same 16-bit pattern.
        _ => (0..9)
            .map(|digits| format!("{value:.digits$e}"))
            .find(|text| parse_float(ty, text) == Some(bits))
            .map(|text| format!("{:?}", text.parse::<f64>().unwrap_or(value)))
            .unwrap_or_else(|| format!("{value:?}")),
    };
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// The value of a float pattern; exact, as f64 holds every value of the smaller formats.
pub fn float_value(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Type::Bf16 => half::bf16::from_bits(bits as u16).to_f64(),
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Why a literal does not fit its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralError {
    /// The literal is of another sort (a float for an integer, a number for a predicate).
    Sort,
    /// The number does not fit the width.
    Range,
}

/// The bits of a literal token for a type: `true`, `-5`, `0x1F`, `1.5e3`, `0f7F800000`.
pub fn parse_literal(ty: Type, text: &str) -> Result<u64, LiteralError> {
    match ty {
        Type::Pred => match text {
            "true" => Ok(1),
            "false" => Ok(0),
            _ => Err(LiteralError::Sort),
        },
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => parse_int(text, ty.bits(), true),
        Type::Ptr(_) => parse_int(text, ty.bits(), false),
        Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => {
            if is_float_token(text) {
                parse_float(ty, text).ok_or(LiteralError::Range)
            } else {
                Err(LiteralError::Sort)
            }
        }
        Type::Cvg => Err(LiteralError::Sort),
    }
}

fn is_float_token(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    ["0f", "0d", "0h", "0F", "0D", "0H"]
        .iter()
        .any(|p| digits.starts_with(p))
        || (!digits.starts_with("0x") && digits.contains(['.', 'e', 'E']))
}

fn parse_int(text: &str, width: u32, negative_allowed: bool) -> Result<u64, LiteralError> {
    if is_float_token(text) || matches!(text, "true" | "false") {
        return Err(LiteralError::Sort);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let parsed = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse::<u64>(),
    };
    let magnitude = parsed.map_err(|_| LiteralError::Range)?;
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    if negative {
        let lowest = 1u64 << (width.clamp(1, 64) - 1);
        if !negative_allowed || magnitude > lowest {
            return Err(LiteralError::Range);
        }
        return Ok(magnitude.wrapping_neg() & mask);
    }
    if magnitude > mask {
        return Err(LiteralError::Range);
    }
    Ok(magnitude)
}

fn parse_float(ty: Type, text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let prefix = digits.get(..2).unwrap_or("").to_ascii_lowercase();
    let (want, len) = match ty {
        Type::F32 => ("0f", 8),
        Type::F64 => ("0d", 16),
        _ => ("0h", 4),
    };
    if matches!(&*prefix, "0f" | "0d" | "0h") {
        let hex = digits.get(2..)?;
        if negative || prefix != want || hex.len() != len {
            return None;
        }
        return u64::from_str_radix(hex, 16).ok();
    }
    let finite_or_none = |finite: bool, bits: u64| finite.then_some(bits);
    match ty {
        Type::F32 => {
            let value: f32 = text.parse().ok()?;
            finite_or_none(value.is_finite(), u64::from(value.to_bits()))
        }
        Type::F64 => {
            let value: f64 = text.parse().ok()?;
            finite_or_none(value.is_finite(), value.to_bits())
        }
        Type::F16 => {
            let value = half::f16::from_f64(text.parse().ok()?);
            finite_or_none(value.is_finite(), u64::from(value.to_bits()))
        }
        _ => {
            let value = half::bf16::from_f64(text.parse().ok()?);
            finite_or_none(value.is_finite(), u64::from(value.to_bits()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_short_and_exact() {
        let f32_text = |v: f32| print_literal(Type::F32, u64::from(v.to_bits()), false);
        assert_eq!(f32_text(0.1), "0.1");
        assert_eq!(f32_text(2.0), "2.0");
        assert_eq!(f32_text(-0.0), "-0.0");
        assert_eq!(f32_text(1e20), "1.0e20");
        assert_eq!(f32_text(f32::INFINITY), "0f7F800000");
        assert_eq!(print_literal(Type::F16, 0x2E66, false), "0.1");
        assert_eq!(print_literal(Type::Bf16, 0x7FC0, false), "0h7FC0");
    }

    #[test]
    fn every_f16_reads_back() {
        for ty in [Type::F16, Type::Bf16] {
            for bits in 0..=0xFFFFu64 {
                let text = print_literal(ty, bits, false);
                assert_eq!(parse_literal(ty, &text), Ok(bits), "{ty} {text}");
            }
        }
    }

    #[test]
    fn integers_accept_both_signs_and_refuse_more() {
        assert_eq!(parse_literal(Type::I8, "-128"), Ok(0x80));
        assert_eq!(parse_literal(Type::I8, "255"), Ok(0xFF));
        assert_eq!(parse_literal(Type::I8, "256"), Err(LiteralError::Range));
        assert_eq!(parse_literal(Type::I8, "-129"), Err(LiteralError::Range));
        assert_eq!(parse_literal(Type::I32, "1.0"), Err(LiteralError::Sort));
        assert_eq!(parse_literal(Type::I64, "0xFFFFFFFFFFFFFFFF"), Ok(u64::MAX));
        assert_eq!(parse_literal(Type::F32, "1"), Err(LiteralError::Sort));
        assert_eq!(parse_literal(Type::F32, "1.0e99"), Err(LiteralError::Range));
    }
}
