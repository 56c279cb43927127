//! Kernel metadata: what the note of a code object tells about each kernel.
//!
//! The note holds a MessagePack map. `entries!` lists the keys of each map once; the struct, the
//! conversion to a MessagePack value and back come from that list. Keys are written in order of their
//! text, as LLVM does, so that a note assembled from our text has the same bytes. Unknown keys are
//! skipped when reading, unknown words (a new kind of argument) are kept as they are.
//!
//! Source: LLVM AMDGPUUsage, "Code Object V4 Metadata" and "V5".

use crate::object::ObjectError;
use rmpv::Value;
use std::fmt::Write as _;

/// The metadata version of code object v5.
pub const VERSION: [u32; 2] = [1, 2];

/// Deepest nesting of MessagePack values; the format itself needs five levels.
const MAX_DEPTH: usize = 32;

/// A type of metadata entry.
trait Entry: Sized {
    /// The value to write, `None` to leave the key out.
    fn to_value(&self) -> Option<Value>;
    /// Reads the value found under the key at `path`, `None` where the key is missing.
    fn from_value(value: Option<&Value>, path: &str) -> Result<Self, ObjectError>;
}

fn fault<T>(path: &str, problem: impl Into<String>) -> Result<T, ObjectError> {
    Err(ObjectError::Metadata {
        path: path.to_owned(),
        problem: problem.into(),
    })
}

fn expected<T>(what: &str, value: Option<&Value>, path: &str) -> Result<T, ObjectError> {
    match value {
        None => fault(path, format!("missing, expected {what}")),
        Some(_) => fault(path, format!("expected {what}")),
    }
}

impl Entry for u32 {
    fn to_value(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<u32, ObjectError> {
        let number = value
            .and_then(Value::as_u64)
            .and_then(|v| u32::try_from(v).ok());
        number.map_or_else(|| expected("a 32-bit number", value, path), Ok)
    }
}

impl Entry for bool {
    fn to_value(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<bool, ObjectError> {
        let found = value.and_then(Value::as_bool);
        found.map_or_else(|| expected("a boolean", value, path), Ok)
    }
}

impl Entry for String {
    fn to_value(&self) -> Option<Value> {
        Some(Value::from(self.as_str()))
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<String, ObjectError> {
        let found = value.and_then(Value::as_str);
        found.map_or_else(|| expected("a string", value, path), |s| Ok(s.to_owned()))
    }
}

impl<T: Entry> Entry for Option<T> {
    fn to_value(&self) -> Option<Value> {
        self.as_ref().and_then(Entry::to_value)
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<Option<T>, ObjectError> {
        value.map(|v| T::from_value(Some(v), path)).transpose()
    }
}

impl<const N: usize> Entry for [u32; N] {
    fn to_value(&self) -> Option<Value> {
        Some(Value::Array(self.iter().map(|v| Value::from(*v)).collect()))
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<[u32; N], ObjectError> {
        let items = Vec::<u32>::from_value(value, path)?;
        let count = items.len();
        items
            .try_into()
            .or_else(|_| fault(path, format!("{count} numbers, expected {N}")))
    }
}

/// A list; missing and empty are the same.
impl<T: Entry> Entry for Vec<T> {
    fn to_value(&self) -> Option<Value> {
        let items: Vec<Value> = self.iter().filter_map(Entry::to_value).collect();
        (!items.is_empty()).then_some(Value::Array(items))
    }
    fn from_value(value: Option<&Value>, path: &str) -> Result<Vec<T>, ObjectError> {
        let items = match value {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return expected("a list", value, path),
        };
        let read = |(i, v)| T::from_value(Some(v), &format!("{path}[{i}]"));
        items.iter().enumerate().map(read).collect()
    }
}

macro_rules! entries {
    ($($(#[$meta:meta])* $name:ident { $($key:literal $field:ident: $ty:ty, $doc:literal;)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct $name { $(#[doc = $doc] pub $field: $ty,)* }

            impl Entry for $name {
                fn to_value(&self) -> Option<Value> {
                    let entries = [$(($key, self.$field.to_value())),*];
                    let mut map: Vec<_> = entries
                        .into_iter()
                        .filter_map(|(key, value)| Some((Value::from(key), value?)))
                        .collect();
                    map.sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
                    Some(Value::Map(map))
                }

                fn from_value(value: Option<&Value>, path: &str) -> Result<$name, ObjectError> {
                    let Some(Value::Map(map)) = value else {
                        return expected("a map", value, path);
                    };
                    let find = |key: &str| {
                        map.iter().find(|(k, _)| k.as_str() == Some(key)).map(|(_, v)| v)
                    };
                    Ok($name {
                        $($field: <$ty>::from_value(find($key), &format!("{path}{}", $key))?,)*
                    })
                }
            }
        )*
    };
}

#[rustfmt::skip]
entries! {
    /// Everything in the note.
    Metadata {
        "amdhsa.kernels" kernels: Vec<KernelMetadata>, "The kernels.";
        "amdhsa.printf" printf: Vec<String>, "Format strings of device `printf`.";
        "amdhsa.target" target: Option<String>, "The target id.";
        "amdhsa.version" version: [u32; 2], "Major and minor version, `[1, 2]` for code object v5.";
    }
    /// One kernel.
    #[derive(Default)]
    KernelMetadata {
        ".name" name: String, "Name in the source.";
        ".symbol" symbol: String, "Name of the descriptor's symbol, `NAME.kd`.";
        ".kind" kind: Option<String>, "`normal`, `init` or `fini`.";
        ".language" language: Option<String>, "Source language.";
        ".language_version" language_version: Option<[u32; 2]>, "Its version.";
        ".args" args: Vec<KernelArg>, "The arguments, hidden ones too.";
        ".kernarg_segment_size" kernarg_segment_size: u32, "Bytes of the argument segment.";
        ".kernarg_segment_align" kernarg_segment_align: u32, "Its alignment.";
        ".group_segment_fixed_size" group_segment_fixed_size: u32, "Bytes of static LDS.";
        ".private_segment_fixed_size" private_segment_fixed_size: u32, "Bytes of scratch of a work-item.";
        ".uses_dynamic_stack" uses_dynamic_stack: Option<bool>, "Scratch may be more than that.";
        ".wavefront_size" wavefront_size: u32, "Lanes of a wave.";
        ".sgpr_count" sgpr_count: u32, "SGPRs, with the extra ones (VCC and others).";
        ".vgpr_count" vgpr_count: u32, "VGPRs, AGPRs of a unified file included.";
        ".agpr_count" agpr_count: Option<u32>, "AGPRs.";
        ".sgpr_spill_count" sgpr_spill_count: Option<u32>, "SGPR spills.";
        ".vgpr_spill_count" vgpr_spill_count: Option<u32>, "VGPR spills.";
        ".max_flat_workgroup_size" max_flat_workgroup_size: u32, "Most work-items of a workgroup.";
        ".reqd_workgroup_size" reqd_workgroup_size: Option<[u32; 3]>, "The only workgroup size allowed.";
        ".workgroup_size_hint" workgroup_size_hint: Option<[u32; 3]>, "The expected workgroup size.";
        ".uniform_work_group_size" uniform_work_group_size: Option<u32>, "1: the grid is a multiple of the workgroup.";
        ".workgroup_processor_mode" workgroup_processor_mode: Option<u32>, "RDNA: 1 for WGP mode.";
        ".vec_type_hint" vec_type_hint: Option<String>, "OpenCL's vector type hint.";
        ".device_enqueue_symbol" device_enqueue_symbol: Option<String>, "OpenCL's device enqueue handle.";
    }
    /// One argument.
    #[derive(Default)]
    KernelArg {
        ".name" name: Option<String>, "Name in the source.";
        ".type_name" type_name: Option<String>, "Type in the source.";
        ".size" size: u32, "Bytes.";
        ".offset" offset: u32, "Offset in the argument segment.";
        ".value_kind" value_kind: ValueKind, "What the bytes are.";
        ".address_space" address_space: Option<AddressSpace>, "Where a pointer points to.";
        ".pointee_align" pointee_align: Option<u32>, "Alignment of dynamic LDS.";
        ".access" access: Option<Access>, "Access that the source declares.";
        ".actual_access" actual_access: Option<Access>, "Access that the code makes.";
        ".is_const" is_const: Option<bool>, "`const` in the source.";
        ".is_restrict" is_restrict: Option<bool>, "`restrict` in the source.";
        ".is_volatile" is_volatile: Option<bool>, "`volatile` in the source.";
        ".is_pipe" is_pipe: Option<bool>, "An OpenCL pipe.";
    }
}

macro_rules! words {
    ($($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident $word:literal,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq, Eq)]
            #[allow(missing_docs)]
            pub enum $name { $($(#[$vmeta])* $variant,)* Other(String) }

            impl $name {
                /// The word in the note.
                pub fn name(&self) -> &str {
                    match self { $($name::$variant => $word,)* $name::Other(word) => word }
                }

                /// The value for a word; any word has one.
                pub fn from_name(word: &str) -> $name {
                    match word { $($word => $name::$variant,)* _ => $name::Other(word.to_owned()) }
                }
            }

            impl Entry for $name {
                fn to_value(&self) -> Option<Value> {
                    Some(Value::from(self.name()))
                }
                fn from_value(value: Option<&Value>, path: &str) -> Result<$name, ObjectError> {
                    Ok($name::from_name(&String::from_value(value, path)?))
                }
            }
        )*
    };
}

words! {
    /// What an argument's bytes are. Hidden arguments are filled by the runtime.
    #[derive(Default)]
    ValueKind {
        GlobalBuffer "global_buffer",
        DynamicSharedPointer "dynamic_shared_pointer",
        Sampler "sampler",
        Image "image",
        Pipe "pipe",
        Queue "queue",
        HiddenBlockCountX "hidden_block_count_x",
        HiddenBlockCountY "hidden_block_count_y",
        HiddenBlockCountZ "hidden_block_count_z",
        HiddenGroupSizeX "hidden_group_size_x",
        HiddenGroupSizeY "hidden_group_size_y",
        HiddenGroupSizeZ "hidden_group_size_z",
        HiddenRemainderX "hidden_remainder_x",
        HiddenRemainderY "hidden_remainder_y",
        HiddenRemainderZ "hidden_remainder_z",
        HiddenGlobalOffsetX "hidden_global_offset_x",
        HiddenGlobalOffsetY "hidden_global_offset_y",
        HiddenGlobalOffsetZ "hidden_global_offset_z",
        HiddenGridDims "hidden_grid_dims",
        HiddenPrintfBuffer "hidden_printf_buffer",
        HiddenHostcallBuffer "hidden_hostcall_buffer",
        HiddenMultigridSyncArg "hidden_multigrid_sync_arg",
        HiddenHeapV1 "hidden_heap_v1",
        HiddenDefaultQueue "hidden_default_queue",
        HiddenCompletionAction "hidden_completion_action",
        HiddenDynamicLdsSize "hidden_dynamic_lds_size",
        HiddenPrivateBase "hidden_private_base",
        HiddenSharedBase "hidden_shared_base",
        HiddenQueuePtr "hidden_queue_ptr",
        HiddenNone "hidden_none",
        #[default]
        ByValue "by_value",
    }
    /// Where a pointer argument points to.
    AddressSpace {
        Private "private",
        Global "global",
        Constant "constant",
        Local "local",
        Generic "generic",
        Region "region",
    }
    /// Access to a buffer.
    Access {
        ReadOnly "read_only",
        WriteOnly "write_only",
        ReadWrite "read_write",
    }
}

impl ValueKind {
    /// Whether the runtime fills the argument, not the caller.
    pub fn is_hidden(&self) -> bool {
        self.name().starts_with("hidden_")
    }
}

impl Metadata {
    /// The MessagePack bytes of the note.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let value = self.to_value().unwrap_or(Value::Nil);
        rmpv::encode::write_value(&mut out, &value).expect("writing to memory does not fail");
        out
    }

    /// Reads the MessagePack bytes of a note.
    pub fn decode(mut bytes: &[u8]) -> Result<Metadata, ObjectError> {
        let value = rmpv::decode::read_value_with_max_depth(&mut bytes, MAX_DEPTH);
        match value {
            Ok(value) => Metadata::from_value(Some(&value), ""),
            Err(e) => fault("note", format!("not MessagePack: {e}")),
        }
    }

    /// The `.amdgpu_metadata` block. Every string has the tag `!str`: without it, names such as `y`
    /// and `no` would be taken for booleans by the assembler's YAML reader, quoted or not.
    pub fn to_directives(&self) -> String {
        let mut out = String::from(".amdgpu_metadata\n---\n");
        if let Some(Value::Map(map)) = self.to_value() {
            print_map(&mut out, &map, 0, false);
        }
        out.push_str("...\n.end_amdgpu_metadata\n");
        out
    }
}

/// Prints a map in block style. `inline`: its first key continues a line (behind `- `).
fn print_map(out: &mut String, map: &[(Value, Value)], indent: usize, inline: bool) {
    for (i, (key, value)) in map.iter().enumerate() {
        let blanks = if i == 0 && inline { 0 } else { indent };
        let _ = write!(out, "{:blanks$}{}:", "", key.as_str().unwrap_or_default());
        print_value(out, value, indent);
    }
}

/// Prints what stands behind `key:` or `-`, with the line end.
fn print_value(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) => {
            out.push('\n');
            for item in items {
                let _ = write!(out, "{:1$}-", "", indent + 2);
                match item {
                    Value::Map(map) => {
                        out.push(' ');
                        print_map(out, map, indent + 4, true);
                    }
                    other => print_value(out, other, indent + 2),
                }
            }
        }
        Value::String(text) => {
            let _ = writeln!(out, " !str {}", quoted(text.as_str().unwrap_or_default()));
        }
        other => {
            let _ = writeln!(out, " {other}");
        }
    }
}

/// A YAML scalar: plain where its characters allow that, else in double quotes.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+$".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Metadata {
        Metadata {
            kernels: vec![KernelMetadata {
                name: "y".into(),
                symbol: "y.kd".into(),
                reqd_workgroup_size: Some([64, 1, 1]),
                uses_dynamic_stack: Some(false),
                args: vec![KernelArg {
                    name: Some("n".into()),
                    size: 4,
                    value_kind: ValueKind::Other("hidden_new".into()),
                    ..KernelArg::default()
                }],
                ..KernelMetadata::default()
            }],
            printf: vec![],
            target: Some("amdgcn-amd-amdhsa--gfx942".into()),
            version: VERSION,
        }
    }

    #[test]
    fn decode_is_the_inverse_of_encode() {
        let metadata = sample();
        assert_eq!(Metadata::decode(&metadata.encode()), Ok(metadata));
    }

    #[test]
    fn errors_name_the_path() {
        let mut value = sample().to_value().unwrap();
        let Value::Map(top) = &mut value else {
            panic!()
        };
        let Value::Array(kernels) = &mut top[0].1 else {
            panic!()
        };
        let Value::Map(kernel) = &mut kernels[0] else {
            panic!()
        };
        kernel.retain(|(k, _)| k.as_str() != Some(".vgpr_count"));
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &value).unwrap();
        let error = Metadata::decode(&bytes).unwrap_err().to_string();
        assert_eq!(
            error,
            "metadata amdhsa.kernels[0].vgpr_count: missing, expected a 32-bit number"
        );
    }

    #[test]
    fn strings_print_with_their_tag() {
        let text = sample().to_directives();
        assert!(
            text.contains("  - .args:\n      - .name: !str n\n"),
            "{text}"
        );
        assert!(text.contains("    .name: !str y\n"), "{text}");
        assert_eq!(quoted("f32 *"), "\"f32 *\"");
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(Metadata::decode(&[0x91; 100_000]).is_err());
    }
}
