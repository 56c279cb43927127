//! From `--arg` texts to argument values and buffer contents.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::terminal::Terminal;
use crate::cli::value::array::{Array, Elem, read_npy};
use crate::cli::value::env::{Names, nearest};
use crate::cli::value::expr::{self, Expr, Num};
use crate::cli::value::generate;
use crate::cli::value::spec::{Access, BufferSpec, Generator, Init, parse_buffer};
use crate::diag::{Code, Diagnostic, FileId, Span};

/// What a kernel parameter is, from an object's metadata or a VISA module.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// Name, where known.
    pub name: Option<String>,
    /// Element or value type, where known.
    pub elem: Option<Elem>,
    /// Bytes.
    pub size: u32,
    /// Kind.
    pub kind: ParamKind,
    /// The kernel does not write through it.
    pub readonly: bool,
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An address.
    Pointer,
    /// Length of the slice with this index.
    LengthOf(usize),
    /// By value.
    Value,
}

/// A buffer to be placed in device memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Argument name.
    pub name: String,
    /// Contents.
    pub array: Array,
    /// Writing is a fault.
    pub read_only: bool,
    /// Whether the kernel may write it: then it is a result.
    pub is_result: bool,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum Bound {
    /// Bytes of a number.
    Bytes(Vec<u8>),
    /// The address of a buffer, by its index.
    Buffer(usize),
    /// A null pointer.
    Null,
}

/// All parameters bound.
#[derive(Debug, Default)]
pub struct Binding {
    /// Values in order of the parameters.
    pub values: Vec<Bound>,
    /// Buffers.
    pub buffers: Vec<Buffer>,
    /// Numbers for expressions.
    pub names: Names,
}

/// An `--arg NAME=SPEC` with its place.
struct Given {
    index: usize,
    text: String,
    file: FileId,
    base: usize,
}

/// Most bytes of one buffer.
const MAX_BYTES: u128 = 1 << 34;

/// Binds arguments to parameters.
pub fn bind(
    terminal: &mut Terminal,
    kernel: &str,
    params: &[ParamInfo],
    args: &[String],
    names: Names,
    seed: u64,
) -> Result<Binding, Diagnostic> {
    let mut given: BTreeMap<usize, Given> = BTreeMap::new();
    for arg in args {
        let one = match_param(terminal, kernel, params, arg)?;
        if let Some(first) = given.get(&one.index) {
            return Err(Diagnostic::new(
                Code::K0805,
                format!("argument `{}` is given twice", label(params, one.index)),
            )
            .at(Span::new(one.file, 0, one.base), "again here")
            .also(Span::new(first.file, 0, first.base), "first here"));
        }
        given.insert(one.index, one);
    }
    let missing: Vec<String> = (0..params.len())
        .filter(|n| !given.contains_key(n) && !matches!(params[*n].kind, ParamKind::LengthOf(_)))
        .map(|n| format!("`{}`", label(params, n)))
        .collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        let example = missing[0].trim_matches('`').to_string();
        let how = if matches!(
            params
                .iter()
                .find(|p| p.name.as_deref() == Some(&example))
                .map(|p| p.kind),
            Some(ParamKind::Value)
        ) {
            format!("--arg {example}=1")
        } else {
            format!("--arg '{example}=[1000]:zeros'")
        };
        return Err(
            Diagnostic::new(Code::K0805, format!("kernel `{kernel}` also needs {list}"))
                .help(format!("for example `{how}`")),
        );
    }
    let mut binder = Binder {
        terminal,
        params,
        seed,
        out: Binding {
            names,
            ..Binding::default()
        },
    };
    binder.out.values = vec![Bound::Null; params.len()];
    binder.scalars(&given)?;
    binder.buffers(&given)?;
    binder.lengths()?;
    Ok(binder.out)
}

fn label(params: &[ParamInfo], n: usize) -> String {
    params[n].name.clone().unwrap_or_else(|| n.to_string())
}

fn match_param(
    terminal: &mut Terminal,
    kernel: &str,
    params: &[ParamInfo],
    arg: &str,
) -> Result<Given, Diagnostic> {
    let file = terminal.sources.add("--arg", arg);
    let Some((name, text)) = arg.split_once('=') else {
        return Err(
            Diagnostic::new(Code::K0801, "an argument is written `NAME=VALUE`")
                .at(Span::new(file, 0, arg.len()), ""),
        );
    };
    let is_named = |p: &ParamInfo| p.name.as_deref() == Some(name);
    let index = match params.iter().position(is_named) {
        Some(n) => Some(n),
        None => name.parse().ok().filter(|n| *n < params.len()),
    };
    let span = Span::new(file, 0, name.len());
    let Some(index) = index else {
        let error = Diagnostic::new(
            Code::K0805,
            format!("kernel `{kernel}` has no argument `{name}`"),
        )
        .at(span, "");
        let known: Vec<&str> = params
            .iter()
            .filter(|p| !matches!(p.kind, ParamKind::LengthOf(_)))
            .filter_map(|p| p.name.as_deref())
            .collect();
        return Err(match nearest(name, known.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => {
                error.help("the object has no names: use positions, `--arg 0=…`")
            }
            None => error.help(format!("it has: {}", known.join(", "))),
        });
    };
    if let ParamKind::LengthOf(of) = params[index].kind {
        return Err(Diagnostic::new(
            Code::K0805,
            format!("`{name}` follows from the buffer `{}`", label(params, of)),
        )
        .at(span, ""));
    }
    Ok(Given {
        index,
        text: text.to_string(),
        file,
        base: name.len() + 1,
    })
}

struct Binder<'b> {
    terminal: &'b mut Terminal,
    params: &'b [ParamInfo],
    seed: u64,
    out: Binding,
}

impl Binder<'_> {
    fn scalars(&mut self, given: &BTreeMap<usize, Given>) -> Result<(), Diagnostic> {
        for (n, one) in given
            .iter()
            .filter(|(n, _)| self.params[**n].kind == ParamKind::Value)
        {
            let bytes = self.scalar(*n, one)?;
            self.out.values[*n] = Bound::Bytes(bytes);
        }
        Ok(())
    }

    fn scalar(&mut self, n: usize, one: &Given) -> Result<Vec<u8>, Diagnostic> {
        let param = &self.params[n];
        let span = Span::new(one.file, one.base, one.base + one.text.len());
        let text = one.text.trim();
        if let Some(hex) = text.strip_prefix("hex(").and_then(|t| t.strip_suffix(')')) {
            return hex_bytes(hex, param.size).ok_or_else(|| {
                Diagnostic::new(
                    Code::K0806,
                    format!("`hex(…)` needs {} bytes in hexadecimal digits", param.size),
                )
                .at(span, "")
            });
        }
        let looks_like_buffer =
            text.starts_with('[') || text.starts_with('@') || text.starts_with(':');
        if looks_like_buffer {
            let message = format!("`{}` is a number, not a buffer", label(self.params, n));
            return Err(Diagnostic::new(Code::K0805, message)
                .at(span, "")
                .help("write its value: `a=2.0`"));
        }
        let typed = Elem::ALL.into_iter().find(|e| {
            text.strip_prefix(e.name())
                .is_some_and(|t| t.trim_start().starts_with('('))
        });
        let elem = param.elem.or(typed);
        let Some(elem) = elem else {
            return Err(Diagnostic::new(
                Code::K0806,
                format!(
                    "the object does not say the type of `{}`",
                    label(self.params, n)
                ),
            )
            .at(span, "")
            .help(format!(
                "it has {} bytes: write a type, for example `f32(2.5)`, `u64(7)` or `hex(…)`",
                param.size
            )));
        };
        let value = match text {
            "true" => Num::Int(1),
            "false" => Num::Int(0),
            _ => expr::eval(
                &expr::parse(strip_type(text, elem, typed), one.file, one.base)?,
                &mut self.out.names,
            )?,
        };
        let bits = elem.bits(value).ok_or_else(|| {
            let range = elem
                .int_range()
                .map_or(String::new(), |(l, h)| format!(" ({l} to {h})"));
            Diagnostic::new(
                Code::K0806,
                format!(
                    "{} is no `{}`{range}",
                    crate::cli::value::expect::show(value),
                    elem.name()
                ),
            )
            .at(span, "")
        })?;
        if let Some(name) = &param.name {
            self.out.names.set(name, elem.read(&bits.to_le_bytes()));
        }
        let size = elem.size().max(param.size as usize);
        let mut bytes = bits.to_le_bytes().to_vec();
        bytes.resize(size.max(8), 0);
        bytes.truncate(param.size as usize);
        Ok(bytes)
    }

    fn buffers(&mut self, given: &BTreeMap<usize, Given>) -> Result<(), Diagnostic> {
        let pointers: Vec<(&usize, &Given)> = given
            .iter()
            .filter(|(n, _)| self.params[**n].kind == ParamKind::Pointer)
            .collect();
        let mut aliases = Vec::new();
        for (n, one) in pointers {
            let spec = self.spec(*n, one)?;
            match &spec.init {
                Init::Null => self.out.values[*n] = Bound::Null,
                Init::Alias(other) => aliases.push((*n, other.clone(), spec.span)),
                _ => {
                    let array = self.fill(*n, &spec)?;
                    let param = &self.params[*n];
                    let name = label(self.params, *n);
                    self.out
                        .names
                        .set(&format!("{name}.len"), Num::Int(array.len() as i128));
                    let read_only = spec.access == Access::ReadOnly;
                    let is_result = !read_only && !param.readonly;
                    self.out.values[*n] = Bound::Buffer(self.out.buffers.len());
                    self.out.buffers.push(Buffer {
                        name,
                        array,
                        read_only,
                        is_result,
                    });
                }
            }
        }
        for (n, other, span) in aliases {
            let found = self.out.buffers.iter().position(|b| b.name == other);
            let found = found.ok_or_else(|| {
                Diagnostic::new(
                    Code::K0805,
                    format!("there is no buffer `{other}` to share"),
                )
                .at(span, "")
            })?;
            self.out.values[n] = Bound::Buffer(found);
        }
        Ok(())
    }

    fn spec(&self, n: usize, one: &Given) -> Result<BufferSpec, Diagnostic> {
        let spec = parse_buffer(&one.text, one.file, one.base);
        spec.map_err(|error| {
            let is_number = one.text.trim().parse::<f64>().is_ok();
            if !is_number {
                return error;
            }
            let message = format!("`{}` is a buffer, not a number", label(self.params, n));
            Diagnostic::new(Code::K0805, message)
                .at(error.span(), "")
                .help(format!(
                    "for example `{}=[1000]:zeros`",
                    label(self.params, n)
                ))
        })
    }

    fn int(&mut self, expr: &Expr) -> Result<i128, Diagnostic> {
        let value = expr::eval(expr, &mut self.out.names)?;
        value.to_int().ok_or_else(|| {
            Diagnostic::new(Code::K0807, "this must be an integer").at(expr.span, "")
        })
    }

    fn dims(&mut self, dims: &[Expr], elem: Elem) -> Result<Vec<usize>, Diagnostic> {
        let mut shape = Vec::new();
        let mut bytes = elem.size() as u128;
        for dim in dims {
            let value = self.int(dim)?;
            let size = usize::try_from(value).map_err(|_| {
                Diagnostic::new(Code::K0807, format!("a dimension cannot be {value}"))
                    .at(dim.span, "")
            })?;
            bytes = bytes.saturating_mul(size as u128);
            if bytes > MAX_BYTES {
                return Err(
                    Diagnostic::new(Code::K0807, "the buffer is larger than 16 GiB")
                        .at(dim.span, ""),
                );
            }
            shape.push(size);
        }
        Ok(shape)
    }

    fn fill(&mut self, n: usize, spec: &BufferSpec) -> Result<Array, Diagnostic> {
        let param = &self.params[n];
        let name = label(self.params, n);
        if let (Some(want), Some(got)) = (param.elem, spec.elem)
            && want != got
        {
            let message = format!(
                "`{name}` has elements of type `{}`, not `{}`",
                want.name(),
                got.name()
            );
            return Err(Diagnostic::new(Code::K0805, message).at(spec.span, ""));
        }
        if let Init::File(path, offset) = &spec.init {
            let elem = spec.elem.or(param.elem);
            return self.file(&name, path, *offset, elem, spec);
        }
        let Some(elem) = spec.elem.or(param.elem) else {
            let message = format!("the object does not say the element type of `{name}`");
            return Err(Diagnostic::new(Code::K0805, message)
                .at(spec.span, "")
                .help(format!(
                    "write it before the dimensions: `{name}=f32[16]:zeros`"
                )));
        };
        let shape = match (&spec.dims, &spec.init) {
            (Some(dims), _) => self.dims(dims, elem)?,
            (None, Init::List(values)) => vec![values.len()],
            (None, _) => {
                return Err(
                    Diagnostic::new(Code::K0807, format!("`{name}` needs dimensions"))
                        .at(spec.span, ""),
                );
            }
        };
        let count: usize = shape.iter().product();
        let mut bytes = Vec::with_capacity(count * elem.size());
        self.generate(spec, elem, &shape, count, &mut bytes)?;
        Ok(Array { elem, shape, bytes })
    }

    fn generate(
        &mut self,
        spec: &BufferSpec,
        elem: Elem,
        shape: &[usize],
        count: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let size = elem.size();
        let unfit = |value: Num| {
            let shown = crate::cli::value::expect::show(value);
            Diagnostic::new(Code::K0806, format!("{shown} is no `{}`", elem.name()))
                .at(spec.span, "")
        };
        let mut push = |value: Num| -> Result<(), Diagnostic> {
            let bits = elem.bits(value).ok_or_else(|| unfit(value))?;
            out.extend_from_slice(&bits.to_le_bytes()[..size]);
            Ok(())
        };
        match &spec.init {
            Init::Zeros => out.resize(count * size, 0),
            Init::Ones => (0..count).try_for_each(|_| push(Num::Int(1)))?,
            Init::Const(value) => {
                let value = expr::eval(value, &mut self.out.names)?;
                (0..count).try_for_each(|_| push(value))?;
            }
            Init::Iota(start, step) => {
                let start = start
                    .as_ref()
                    .map_or(Ok(Num::Int(0)), |e| expr::eval(e, &mut self.out.names))?;
                let step = step
                    .as_ref()
                    .map_or(Ok(Num::Int(1)), |e| expr::eval(e, &mut self.out.names))?;
                (0..count).try_for_each(|i| push(generate::iota(start, step, i as u64)))?;
            }
            Init::List(values) => {
                if values.len() != count {
                    let message = format!("{} values for {count} elements", values.len());
                    return Err(Diagnostic::new(Code::K0807, message).at(spec.span, ""));
                }
                for value in values {
                    push(expr::eval(value, &mut self.out.names)?)?;
                }
            }
            Init::Eye => {
                let columns = shape.last().copied().unwrap_or(1).max(1);
                (0..count)
                    .try_for_each(|i| push(Num::Int(i128::from(i / columns == i % columns))))?;
            }
            Init::Perm(generator) => {
                let seed = self.seed_of(generator)?;
                generate::permutation(seed, count)
                    .into_iter()
                    .try_for_each(|v| push(Num::Int(i128::from(v))))?;
            }
            Init::RandInt(generator) => {
                let seed = self.seed_of(generator)?;
                let low = generator.lo.as_ref().map_or(Ok(0), |e| self.int(e))?;
                let high = generator
                    .hi
                    .as_ref()
                    .map_or(Ok(low + 99), |e| self.int(e))?;
                (0..count).try_for_each(|i| {
                    push(Num::Int(generate::int_between(seed, i as u64, low, high)))
                })?;
            }
            Init::Random(generator) | Init::Normal(generator) => {
                self.random(
                    generator,
                    elem,
                    count,
                    matches!(spec.init, Init::Normal(_)),
                    out,
                    &unfit,
                )?;
            }
            Init::File(..) | Init::Null | Init::Alias(_) => {}
        }
        Ok(())
    }

    fn seed_of(&mut self, generator: &Generator) -> Result<u64, Diagnostic> {
        Ok(match &generator.seed {
            Some(seed) => self.int(seed)? as u64,
            None => self.seed,
        })
    }

    fn random(
        &mut self,
        generator: &Generator,
        elem: Elem,
        count: usize,
        bell: bool,
        out: &mut Vec<u8>,
        unfit: &dyn Fn(Num) -> Diagnostic,
    ) -> Result<(), Diagnostic> {
        let seed = self.seed_of(generator)?;
        let size = elem.size();
        let bound = |e: &Option<Expr>, names: &mut Names| {
            e.as_ref().map(|e| expr::eval(e, names)).transpose()
        };
        let lo = bound(&generator.lo, &mut self.out.names)?;
        let hi = bound(&generator.hi, &mut self.out.names)?;
        let whole_range = !elem.is_float() && lo.is_none() && hi.is_none() && !bell;
        for i in 0..count as u64 {
            let bits = if whole_range {
                generate::bits(seed, i, elem) & if elem == Elem::Bool { 1 } else { u64::MAX }
            } else {
                let value = if bell {
                    let (mean, deviation) =
                        (lo.map_or(0.0, Num::to_f64), hi.map_or(1.0, Num::to_f64));
                    Num::Float(mean + deviation * generate::bell(seed, i))
                } else if elem.is_float() {
                    let (low, high) = (lo.map_or(-1.0, Num::to_f64), hi.map_or(1.0, Num::to_f64));
                    Num::Float(generate::uniform(seed, i, low, high))
                } else {
                    let low = lo.and_then(Num::to_int).unwrap_or(0);
                    let high = hi.and_then(Num::to_int).unwrap_or(low + 100);
                    Num::Int(generate::int_between(seed, i, low, high - 1))
                };
                let value = if bell && !elem.is_float() {
                    Num::Float(value.to_f64().round())
                } else {
                    value
                };
                elem.bits(value).ok_or_else(|| unfit(value))?
            };
            out.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        Ok(())
    }

    fn file(
        &mut self,
        name: &str,
        path: &Path,
        offset: u64,
        elem: Option<Elem>,
        spec: &BufferSpec,
    ) -> Result<Array, Diagnostic> {
        let data = self.terminal.read(path)?;
        let bad = |text: String| {
            Diagnostic::new(Code::K0808, format!("`{}`: {text}", path.display())).at(spec.span, "")
        };
        let array = if path.extension().is_some_and(|e| e == "npy") {
            let array = read_npy(&data, elem).map_err(bad)?;
            if let Some(want) = elem.filter(|w| *w != array.elem) {
                return Err(bad(format!(
                    "it holds `{}`, but `{name}` has elements of type `{}`",
                    array.elem.name(),
                    want.name()
                )));
            }
            array
        } else {
            let Some(elem) = elem else {
                return Err(bad(
                    "raw bytes need an element type: `u8[n]:@file.bin`".to_string()
                ));
            };
            let bytes = usize::try_from(offset)
                .ok()
                .and_then(|o| data.get(o..))
                .unwrap_or(&[])
                .to_vec();
            if bytes.len() % elem.size() != 0 {
                return Err(bad(format!(
                    "{} bytes are no whole number of `{}`",
                    bytes.len(),
                    elem.name()
                )));
            }
            Array {
                elem,
                shape: vec![bytes.len() / elem.size()],
                bytes,
            }
        };
        if let Some(dims) = &spec.dims {
            let shape = self.dims(dims, array.elem)?;
            if shape.iter().product::<usize>() != array.len() {
                let message = format!(
                    "`{}` has {} elements, the dimensions say {}",
                    path.display(),
                    array.len(),
                    shape.iter().product::<usize>()
                );
                return Err(Diagnostic::new(Code::K0807, message).at(spec.span, ""));
            }
            return Ok(Array { shape, ..array });
        }
        Ok(array)
    }

    fn lengths(&mut self) -> Result<(), Diagnostic> {
        for (n, param) in self.params.iter().enumerate() {
            let ParamKind::LengthOf(of) = param.kind else {
                continue;
            };
            let len = match self.out.values.get(of) {
                Some(Bound::Buffer(b)) => self.out.buffers[*b].array.len(),
                _ => 0,
            };
            let len = u32::try_from(len).map_err(|_| {
                Diagnostic::new(
                    Code::K0807,
                    format!(
                        "`{}` has {len} elements, a slice has at most 4294967295",
                        label(self.params, of)
                    ),
                )
            })?;
            self.out.values[n] = Bound::Bytes(len.to_le_bytes().to_vec());
        }
        Ok(())
    }
}

/// `f32(2.5)` where the type is already known keeps its meaning as a call; only `bool(…)` and the
/// types that are no functions lose their name.
fn strip_type(text: &str, elem: Elem, typed: Option<Elem>) -> &str {
    match typed {
        Some(t) if matches!(t, Elem::F64 | Elem::F16 | Elem::Bf16 | Elem::Bool) && t == elem => {
            text[t.name().len()..].trim()
        }
        _ => text,
    }
}

fn hex_bytes(text: &str, size: u32) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    if digits.len() != 2 * size as usize {
        return None;
    }
    Some(digits.chunks(2).map(|d| (d[0] * 16 + d[1]) as u8).collect())
}
