//! The 64-byte kernel descriptor.
//!
//! One table says everything about each field: name, lowest bit, width, and the assembler directives
//! that set it, with the processor families that have it. The struct, reading, writing and the
//! `.amdhsa_kernel` block all come from it. Bits are counted from bit 0 of byte 0, so that
//! `compute_pgm_rsrc3` starts at 352, `rsrc1` at 384, `rsrc2` at 416, `kernel_code_properties` at 448
//! and `kernarg_preload` at 464.
//!
//! Source: LLVM AMDGPUUsage, "Kernel Descriptor" and "Kernel Descriptor Directives"; the register
//! granules from "compute_pgm_rsrc1". Bits that no field covers are reserved and must be zero.

use super::target::Family;
use crate::object::ObjectError;
use std::fmt::Write as _;

/// Size of a kernel descriptor in bytes.
pub const DESCRIPTOR_SIZE: u64 = 64;

/// A set of families: the column mask of a row.
type Columns = u8;
const GFX9: Columns = 1;
const GFX90A: Columns = 2;
const GFX940: Columns = 4;
const GFX10: Columns = 8;
const GFX11: Columns = 16;
const ALL: Columns = 31;

fn column(family: Family) -> Columns {
    match family {
        Family::Gfx9 => GFX9,
        Family::Gfx90a => GFX90A,
        Family::Gfx940 => GFX940,
        Family::Gfx10 => GFX10,
        Family::Gfx11 => GFX11,
    }
}

/// A value in a bit field.
trait FieldValue: Copy {
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

impl FieldValue for u32 {
    fn to_bits(self) -> u64 {
        u64::from(self)
    }
    fn from_bits(bits: u64) -> u32 {
        bits as u32
    }
}

impl FieldValue for i64 {
    fn to_bits(self) -> u64 {
        self as u64
    }
    fn from_bits(bits: u64) -> i64 {
        bits as i64
    }
}

impl FieldValue for bool {
    fn to_bits(self) -> u64 {
        u64::from(self)
    }
    fn from_bits(bits: u64) -> bool {
        bits != 0
    }
}

/// A row of the table.
struct Field {
    name: &'static str,
    lo: u32,
    width: u32,
    /// Directive and the families that know it. A field without one follows from other directives.
    directives: &'static [(&'static str, Columns)],
    get: fn(&Descriptor) -> u64,
    set: fn(&mut Descriptor, u64),
}

macro_rules! descriptor {
    ($($name:ident: $ty:ty = $lo:literal, $width:literal, [$($directive:literal $columns:expr),*], $doc:literal;)*) => {
        /// A kernel descriptor, one member for each field.
        ///
        /// The default is all zero; [`Descriptor::new`] gives what the assembler assumes.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Descriptor { $(#[doc = $doc] pub $name: $ty,)* }

        static FIELDS: &[Field] = &[$(Field {
            name: stringify!($name),
            lo: $lo,
            width: $width,
            directives: &[$((concat!(".amdhsa_", $directive), $columns)),*],
            get: |d| d.$name.to_bits(),
            set: |d, bits| d.$name = <$ty>::from_bits(bits),
        }),*];
    };
}

#[rustfmt::skip]
descriptor! {
    group_segment_fixed_size: u32 = 0, 32, ["group_segment_fixed_size" ALL], "Bytes of static LDS of a workgroup.";
    private_segment_fixed_size: u32 = 32, 32, ["private_segment_fixed_size" ALL], "Bytes of scratch of a work-item.";
    kernarg_size: u32 = 64, 32, ["kernarg_size" ALL], "Bytes of the kernel argument segment.";
    entry_offset: i64 = 128, 64, [], "Address of the code minus address of the descriptor. The writer sets it.";
    // compute_pgm_rsrc3
    rsrc3_low: u32 = 352, 10, [], "gfx90a, gfx942: first AGPR of the unified file, as number / 4 - 1. RDNA: shared VGPRs in granules of 8 in bits 3:0; gfx11: instruction prefetch size in bits 9:4.";
    trap_on_start: bool = 362, 1, [], "gfx11: trap before the first instruction.";
    trap_on_end: bool = 363, 1, [], "gfx11: trap after the last instruction.";
    tg_split: bool = 368, 1, ["tg_split" GFX90A | GFX940], "Waves of a workgroup may be on different compute units.";
    image_op: bool = 383, 1, [], "gfx11: the kernel uses image instructions.";
    // compute_pgm_rsrc1
    vgpr_granules: u32 = 384, 6, [], "VGPRs in granules, minus one.";
    sgpr_granules: u32 = 390, 4, [], "GFX9: SGPRs in granules of 8, minus one. Otherwise 0.";
    float_round_mode_32: u32 = 396, 2, ["float_round_mode_32" ALL], "Rounding of f32: 0 nearest even, 1 up, 2 down, 3 to zero.";
    float_round_mode_16_64: u32 = 398, 2, ["float_round_mode_16_64" ALL], "Rounding of f16 and f64.";
    float_denorm_mode_32: u32 = 400, 2, ["float_denorm_mode_32" ALL], "Subnormals of f32: 0 flush both, 1 flush results, 2 flush operands, 3 keep.";
    float_denorm_mode_16_64: u32 = 402, 2, ["float_denorm_mode_16_64" ALL], "Subnormals of f16 and f64.";
    dx10_clamp: bool = 405, 1, ["dx10_clamp" ALL], "Clamping turns NaN into 0.";
    ieee_mode: bool = 407, 1, ["ieee_mode" ALL], "IEEE treatment of signalling NaNs.";
    fp16_overflow: bool = 410, 1, ["fp16_overflow" ALL], "f16 results that overflow become the largest finite value.";
    workgroup_processor_mode: bool = 413, 1, ["workgroup_processor_mode" GFX10 | GFX11], "A workgroup may use both compute units of a WGP.";
    memory_ordered: bool = 414, 1, ["memory_ordered" GFX10 | GFX11], "Loads return in order.";
    forward_progress: bool = 415, 1, ["forward_progress" GFX10 | GFX11], "Waves of a SIMD make progress fairly.";
    // compute_pgm_rsrc2
    enable_private_segment: bool = 416, 1, ["system_sgpr_private_segment_wavefront_offset" GFX9 | GFX90A | GFX10, "enable_private_segment" GFX940 | GFX11], "Sets up scratch: a wave offset SGPR, or FLAT_SCRATCH where hardware initialises it.";
    user_sgpr_count: u32 = 417, 5, ["user_sgpr_count" ALL], "Number of user SGPRs; system SGPRs follow them.";
    workgroup_id_x: bool = 423, 1, ["system_sgpr_workgroup_id_x" ALL], "An SGPR holds the workgroup id x.";
    workgroup_id_y: bool = 424, 1, ["system_sgpr_workgroup_id_y" ALL], "An SGPR holds the workgroup id y.";
    workgroup_id_z: bool = 425, 1, ["system_sgpr_workgroup_id_z" ALL], "An SGPR holds the workgroup id z.";
    workgroup_info: bool = 426, 1, ["system_sgpr_workgroup_info" ALL], "An SGPR holds the workgroup's shape.";
    workitem_id: u32 = 427, 2, ["system_vgpr_workitem_id" ALL], "Work-item ids in VGPRs: 0 x, 1 x and y, 2 all.";
    lds_size: u32 = 431, 9, [], "LDS size in granules; 0, because the packet has it.";
    exception_fp_ieee_invalid_op: bool = 440, 1, ["exception_fp_ieee_invalid_op" ALL], "Trap on an invalid operation.";
    exception_fp_denorm_src: bool = 441, 1, ["exception_fp_denorm_src" ALL], "Trap on a subnormal operand.";
    exception_fp_ieee_div_zero: bool = 442, 1, ["exception_fp_ieee_div_zero" ALL], "Trap on a division by zero.";
    exception_fp_ieee_overflow: bool = 443, 1, ["exception_fp_ieee_overflow" ALL], "Trap on an overflow.";
    exception_fp_ieee_underflow: bool = 444, 1, ["exception_fp_ieee_underflow" ALL], "Trap on an underflow.";
    exception_fp_ieee_inexact: bool = 445, 1, ["exception_fp_ieee_inexact" ALL], "Trap on an inexact result.";
    exception_int_div_zero: bool = 446, 1, ["exception_int_div_zero" ALL], "Trap on an integer division by zero.";
    // kernel_code_properties
    private_segment_buffer: bool = 448, 1, ["user_sgpr_private_segment_buffer" GFX9 | GFX90A | GFX10], "User SGPRs (4): scratch buffer resource.";
    dispatch_ptr: bool = 449, 1, ["user_sgpr_dispatch_ptr" ALL], "User SGPRs (2): address of the dispatch packet.";
    queue_ptr: bool = 450, 1, ["user_sgpr_queue_ptr" ALL], "User SGPRs (2): address of the queue.";
    kernarg_segment_ptr: bool = 451, 1, ["user_sgpr_kernarg_segment_ptr" ALL], "User SGPRs (2): address of the arguments.";
    dispatch_id: bool = 452, 1, ["user_sgpr_dispatch_id" ALL], "User SGPRs (2): number of the dispatch.";
    flat_scratch_init: bool = 453, 1, ["user_sgpr_flat_scratch_init" GFX9 | GFX90A | GFX10], "User SGPRs (2): where scratch is.";
    private_segment_size: bool = 454, 1, ["user_sgpr_private_segment_size" ALL], "User SGPR (1): scratch bytes of a work-item.";
    wavefront_size32: bool = 458, 1, ["wavefront_size32" GFX10 | GFX11], "Waves of 32 lanes.";
    uses_dynamic_stack: bool = 459, 1, ["uses_dynamic_stack" ALL], "The scratch size is not known before the call.";
    // kernarg_preload
    kernarg_preload_length: u32 = 464, 7, ["user_sgpr_kernarg_preload_length" GFX90A | GFX940], "Dwords of arguments loaded into user SGPRs.";
    kernarg_preload_offset: u32 = 471, 9, ["user_sgpr_kernarg_preload_offset" GFX90A | GFX940], "First dword of them.";
}

/// A group of user SGPRs, in register order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserSgprs {
    /// Name of the descriptor field, `kernarg_segment_ptr`.
    pub name: &'static str,
    /// Number of registers.
    pub count: u32,
}

/// Number of SGPRs that GFX9 adds to those a kernel names: VCC, XNACK_MASK and FLAT_SCRATCH.
const GFX9_EXTRA_SGPRS: u32 = 6;
/// Highest number of SGPRs a kernel can name.
const MAX_SGPRS: u32 = 102;

impl Descriptor {
    /// The defaults of the assembler for a family and wave size (which only RDNA can choose).
    pub fn new(family: Family, wave_size: u32) -> Descriptor {
        let rdna = matches!(family, Family::Gfx10 | Family::Gfx11);
        Descriptor {
            float_denorm_mode_16_64: 3,
            dx10_clamp: true,
            ieee_mode: true,
            workgroup_id_x: true,
            workgroup_processor_mode: rdna,
            memory_ordered: rdna,
            wavefront_size32: rdna && wave_size == 32,
            ..Descriptor::default()
        }
    }

    /// Reads the 64 bytes. Reserved bits that are set are an error: they ask for something unknown.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Descriptor, ObjectError> {
        let mut left = to_words(bytes);
        let mut descriptor = Descriptor::default();
        for field in FIELDS {
            let (word, shift) = (field.lo as usize / 64, field.lo % 64);
            let mask = u64::MAX >> (64 - field.width);
            (field.set)(&mut descriptor, left[word] >> shift & mask);
            left[word] &= !(mask << shift);
        }
        match left.iter().position(|w| *w != 0) {
            None => Ok(descriptor),
            Some(word) => Err(ObjectError::malformed(
                "kernel descriptor",
                format!(
                    "reserved bit {} is set",
                    word as u32 * 64 + left[word].trailing_zeros()
                ),
            )),
        }
    }

    /// The 64 bytes. A value too large for its field loses its high bits; see [`Descriptor::verify`].
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut words = [0u64; 8];
        for field in FIELDS {
            let mask = u64::MAX >> (64 - field.width);
            words[field.lo as usize / 64] |= ((field.get)(self) & mask) << (field.lo % 64);
        }
        let mut bytes = [0; 64];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Checks that each value fits its field and that the family has the field.
    pub fn verify(&self, family: Family) -> Result<(), ObjectError> {
        for field in FIELDS {
            let value = (field.get)(self);
            let fault = if value > u64::MAX >> (64 - field.width) {
                format!("{} does not fit {} bits", field.name, field.width)
            } else if value != 0
                && !field.directives.is_empty()
                && directive(field, family).is_none()
            {
                format!("{} does not exist on {family:?}", field.name)
            } else {
                continue;
            };
            return Err(ObjectError::malformed("kernel descriptor", fault));
        }
        Ok(())
    }

    /// Sets the VGPR count: on gfx90a and gfx942 of the unified file, AGPRs included, which start at
    /// register `accum_offset` (a multiple of 4 from 4 to 256). Set the wave size first.
    pub fn set_vgprs(&mut self, family: Family, count: u32, accum_offset: u32) {
        let granule = self.vgpr_granule(family);
        self.vgpr_granules = count.div_ceil(granule).saturating_sub(1);
        if has_accum_offset(family) {
            self.rsrc3_low = (accum_offset / 4).saturating_sub(1);
        }
    }

    /// Sets the SGPR count; `count` is of those that the kernel names (s0 to s101).
    pub fn set_sgprs(&mut self, family: Family, count: u32) {
        self.sgpr_granules = match family {
            Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => {
                (count + GFX9_EXTRA_SGPRS).div_ceil(8) - 1
            }
            Family::Gfx10 | Family::Gfx11 => 0,
        };
    }

    /// VGPRs that the descriptor asks for (the count rounded up to granules).
    pub fn vgprs(&self, family: Family) -> u32 {
        (self.vgpr_granules + 1) * self.vgpr_granule(family)
    }

    /// First register of the unified file that is an AGPR; `None` where there is no such file.
    pub fn first_agpr(&self, family: Family) -> Option<u32> {
        has_accum_offset(family).then_some((self.rsrc3_low + 1) * 4)
    }

    /// Lanes of a wave.
    pub fn wave_size(&self) -> u32 {
        if self.wavefront_size32 { 32 } else { 64 }
    }

    fn vgpr_granule(&self, family: Family) -> u32 {
        match family {
            Family::Gfx9 => 4,
            Family::Gfx90a | Family::Gfx940 => 8,
            Family::Gfx10 | Family::Gfx11 if self.wavefront_size32 => 8,
            Family::Gfx10 | Family::Gfx11 => 4,
        }
    }

    /// The user SGPR groups that are enabled, dense from s0 in this order.
    pub fn user_sgprs(&self) -> Vec<UserSgprs> {
        let groups = [
            ("private_segment_buffer", self.private_segment_buffer, 4),
            ("dispatch_ptr", self.dispatch_ptr, 2),
            ("queue_ptr", self.queue_ptr, 2),
            ("kernarg_segment_ptr", self.kernarg_segment_ptr, 2),
            ("dispatch_id", self.dispatch_id, 2),
            ("flat_scratch_init", self.flat_scratch_init, 2),
            (
                "kernarg_preload",
                self.kernarg_preload_length > 0,
                self.kernarg_preload_length,
            ),
            ("private_segment_size", self.private_segment_size, 1),
        ];
        groups
            .into_iter()
            .filter(|(_, enabled, _)| *enabled)
            .map(|(name, _, count)| UserSgprs { name, count })
            .collect()
    }

    /// The `.amdhsa_kernel` block that makes this descriptor.
    ///
    /// Register counts are given as the largest that fit the granules. LLVM 19 has no directive for
    /// the fields of gfx11 in bits 4 and up of `compute_pgm_rsrc3`; they are left out.
    pub fn to_directives(&self, kernel: &str, family: Family) -> String {
        let mut out = format!(".amdhsa_kernel {kernel}\n");
        let mut line = |name: &str, value: u64| {
            let _ = writeln!(out, "  {name} {value}");
        };
        for field in FIELDS {
            if let Some(name) = directive(field, family) {
                line(name, (field.get)(self));
            }
        }
        match family {
            Family::Gfx90a | Family::Gfx940 => {
                line(".amdhsa_accum_offset", u64::from(self.rsrc3_low + 1) * 4);
            }
            Family::Gfx10 | Family::Gfx11 => {
                line(".amdhsa_shared_vgpr_count", u64::from(self.rsrc3_low & 15))
            }
            Family::Gfx9 => {}
        }
        line(".amdhsa_next_free_vgpr", u64::from(self.vgprs(family)));
        let sgprs = (self.sgpr_granules + 1) * 8 - GFX9_EXTRA_SGPRS;
        line(".amdhsa_next_free_sgpr", u64::from(sgprs.min(MAX_SGPRS)));
        out.push_str(".end_amdhsa_kernel\n");
        out
    }
}

fn has_accum_offset(family: Family) -> bool {
    matches!(family, Family::Gfx90a | Family::Gfx940)
}

/// The directive of a field on a family.
fn directive(field: &Field, family: Family) -> Option<&'static str> {
    let column = column(family);
    let found = field.directives.iter().find(|(_, c)| c & column != 0);
    found.map(|(name, _)| *name)
}

fn to_words(bytes: &[u8; 64]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(chunk.try_into().expect("chunks of 8"));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        let mut used = [false; 512];
        for field in FIELDS {
            assert!(field.lo % 64 + field.width <= 64, "{}", field.name);
            for bit in field.lo..field.lo + field.width {
                assert!(!used[bit as usize], "{}", field.name);
                used[bit as usize] = true;
            }
        }
    }

    #[test]
    fn every_bit_is_kept_or_refused() {
        for bit in 0..512 {
            let mut bytes = [0; 64];
            bytes[bit / 8] = 1 << (bit % 8);
            let named = FIELDS
                .iter()
                .any(|f| (f.lo..f.lo + f.width).contains(&(bit as u32)));
            match Descriptor::from_bytes(&bytes) {
                Ok(d) => assert!(named && d.to_bytes() == bytes, "bit {bit}"),
                Err(_) => assert!(!named, "bit {bit}"),
            }
        }
    }

    #[test]
    fn register_counts_round_up_to_granules() {
        let mut d = Descriptor::new(Family::Gfx940, 64);
        d.set_vgprs(Family::Gfx940, 13, 16);
        d.set_sgprs(Family::Gfx940, 16);
        assert_eq!((d.vgpr_granules, d.sgpr_granules, d.rsrc3_low), (1, 2, 3));
        assert_eq!(d.vgprs(Family::Gfx940), 16);
        let mut d = Descriptor::new(Family::Gfx11, 64);
        d.set_vgprs(Family::Gfx11, 13, 0);
        assert_eq!(d.vgpr_granules, 3);
        d.wavefront_size32 = true;
        d.set_vgprs(Family::Gfx11, 0, 0);
        assert_eq!(d.vgpr_granules, 0);
    }

    #[test]
    fn values_that_do_not_fit_are_found() {
        let mut d = Descriptor::new(Family::Gfx940, 64);
        assert_eq!(d.verify(Family::Gfx940), Ok(()));
        d.user_sgpr_count = 32;
        assert!(d.verify(Family::Gfx940).is_err());
        d.user_sgpr_count = 0;
        d.flat_scratch_init = true;
        assert!(d.verify(Family::Gfx940).is_err());
        assert_eq!(d.verify(Family::Gfx90a), Ok(()));
    }
}
