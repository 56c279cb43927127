//! A kernel description with its inputs, and its run.

use std::path::Path;

use kcc::cli::value::array::read_npy;
use kcc::runtime::{DeviceModel, LaunchConfig, LaunchError, Session};
use kcc::vm::FaultKind;
use serde_json::Value;

use super::compare::{Tolerance, compare, from_f64, generator_bits, size_of};

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All outputs are as expected.
    Passed,
    /// An output differs, or a fault that should not be.
    Failed(String),
    /// The machine lacks an instruction.
    CannotRun(String),
}

struct Buffer {
    dtype: String,
    initial: Vec<u8>,
    writable: bool,
}

enum Arg {
    Buffer(Buffer),
    Bytes(Vec<u8>),
}

struct Expected {
    arg: usize,
    bytes: Vec<u8>,
    tolerance: Tolerance,
}

/// A kernel with its launch and outputs.
pub struct Case {
    object: Vec<u8>,
    entry: String,
    config: LaunchConfig,
    args: Vec<Arg>,
    expected: Vec<Expected>,
}

/// Names of all kernels of a corpus.
pub fn names(root: &Path) -> Vec<String> {
    let folder =
        std::fs::read_dir(root.join("kernels")).expect("KCC_CORPUS has a folder `kernels`");
    let mut names: Vec<String> = folder
        .filter_map(|e| {
            Some(
                e.unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".json")?
                    .to_string(),
            )
        })
        .collect();
    names.sort();
    assert!(!names.is_empty(), "the corpus has no kernels");
    names
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap_or(0) as u32
}

fn triple(value: &Value) -> [u32; 3] {
    [0, 1, 2].map(|n| number(&value[n]))
}

impl Case {
    /// Reads a description; `None` where it has no code object for the target.
    pub fn read(root: &Path, name: &str, target: &str) -> Result<Option<Case>, String> {
        let path = root.join("kernels").join(format!("{name}.json"));
        let json =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let kernel: Value = serde_json::from_str(&json).map_err(|e| e.to_string())?;
        let artefacts = kernel["artefacts"].as_array().ok_or("no artefacts")?;
        let found = artefacts
            .iter()
            .find(|a| text(a, "kind") == "hsaco" && text(a, "target") == target);
        let Some(artefact) = found.filter(|_| text(&kernel, "family") != "triton") else {
            return Ok(None);
        };
        let load = |file: &str| std::fs::read(root.join(file)).map_err(|e| format!("{file}: {e}"));
        let mut args = Vec::new();
        for arg in kernel["args"].as_array().ok_or("no args")? {
            args.push(read_arg(arg, artefact, &load)?);
        }
        let mut expected = Vec::new();
        for entry in kernel["expected"].as_array().ok_or("no expected")? {
            if !entry["wave"].is_null() && entry["wave"] != artefact["wave"] {
                continue;
            }
            expected.push(Expected {
                arg: number(&entry["index"]) as usize,
                bytes: read_npy(&load(text(entry, "file"))?, None)?.bytes,
                tolerance: Tolerance::read(&entry["tolerance"]),
            });
        }
        if expected.is_empty() {
            return Err("nothing is expected".to_string());
        }
        let offset = &kernel["global_offset"];
        Ok(Some(Case {
            object: load(text(artefact, "file"))?,
            entry: text(artefact, "entry").to_string(),
            config: LaunchConfig {
                grid: triple(&kernel["grid"]),
                block: triple(&kernel["block"]),
                dynamic_lds: number(&kernel["dynamic_shared"]),
                // The longest kernel executes less than a tenth of this in a wave.
                max_instructions: Some(20_000_000),
                global_offset: [0, 1, 2].map(|n| offset[n].as_u64().unwrap_or(0)),
                ..LaunchConfig::default()
            },
            args,
            expected,
        }))
    }

    /// Changes what the first output should be.
    pub fn damage_expectation(&mut self) {
        self.expected[0].bytes[0] ^= 0x40;
    }

    /// Runs plain, with the hazard check, and on several threads.
    pub fn run_all_ways(&self) -> Outcome {
        let ways = [
            ("", false, 1),
            ("hazard check: ", true, 1),
            ("3 jobs: ", false, 3),
        ];
        for (way, check_hazard, jobs) in ways {
            let config = LaunchConfig {
                check_hazard,
                jobs,
                ..self.config.clone()
            };
            match self.run(&config) {
                Outcome::Passed => {}
                Outcome::Failed(why) => return Outcome::Failed(format!("{way}{why}")),
                other @ Outcome::CannotRun(_) => return other,
            }
        }
        Outcome::Passed
    }

    fn run(&self, config: &LaunchConfig) -> Outcome {
        let device = DeviceModel::find("mi300x").expect("a built-in device");
        let mut session = Session::new(device);
        let module = match session.load(&self.object) {
            Ok(module) => module,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let mut addresses = Vec::new();
        let mut bytes = Vec::new();
        for (n, arg) in self.args.iter().enumerate() {
            let (address, value) = match arg {
                Arg::Buffer(b) => {
                    let a = session
                        .memory
                        .alloc(&format!("arg {n}"), &b.initial, !b.writable);
                    (a, a.to_le_bytes().to_vec())
                }
                Arg::Bytes(value) => (0, value.clone()),
            };
            addresses.push(address);
            bytes.push(value);
        }
        match session
            .launch(&module, &self.entry, config, &bytes)
            .map_err(|e| *e)
        {
            Ok(_) => self.check(&session, &addresses),
            Err(LaunchError::Fault(fault, _)) => match &fault.kind {
                FaultKind::Unsupported(what) => Outcome::CannotRun(what.clone()),
                FaultKind::IllegalInstruction(what) => {
                    Outcome::CannotRun(format!("not decoded: {what}"))
                }
                kind => Outcome::Failed(format!("{} at `{}`", kind.message(), fault.inst)),
            },
            Err(LaunchError::Config(error)) => Outcome::Failed(error.to_string()),
        }
    }

    fn check(&self, session: &Session, addresses: &[u64]) -> Outcome {
        for expected in &self.expected {
            let Arg::Buffer(buffer) = &self.args[expected.arg] else {
                return Outcome::Failed(format!("argument {} is no buffer", expected.arg));
            };
            let got = session
                .memory
                .read(addresses[expected.arg], buffer.initial.len())
                .unwrap();
            if let Err(why) = compare(&buffer.dtype, &got, &expected.bytes, &expected.tolerance) {
                return Outcome::Failed(format!("argument {}: {why}", expected.arg));
            }
        }
        Outcome::Passed
    }
}

fn read_arg(
    arg: &Value,
    artefact: &Value,
    load: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Arg, String> {
    Ok(match text(arg, "kind") {
        "buffer" => {
            let dtype = text(arg, "dtype").to_string();
            let shape = arg["shape"].as_array().ok_or("no shape")?;
            let count: u64 = shape.iter().map(|d| u64::from(number(d))).product();
            let init = &arg["init"];
            let initial = match text(init, "gen") {
                "npy" => read_npy(&load(text(init, "file"))?, None)?.bytes,
                _ => generate(init, &dtype, count)?,
            };
            Arg::Buffer(Buffer {
                dtype,
                initial,
                writable: text(arg, "access") != "in",
            })
        }
        "scalar" => {
            let hex = text(arg, "hex");
            let byte = |n| u8::from_str_radix(&hex[n..n + 2], 16).map_err(|e| e.to_string());
            Arg::Bytes(
                (0..hex.len())
                    .step_by(2)
                    .map(byte)
                    .collect::<Result<_, _>>()?,
            )
        }
        "local" => {
            let offset = number(&arg["offset"]) + number(&artefact["group_fixed"]);
            Arg::Bytes(offset.to_le_bytes().to_vec())
        }
        other => return Err(format!("argument kind `{other}`")),
    })
}

/// The initial bytes that a generator makes.
fn generate(init: &Value, dtype: &str, count: u64) -> Result<Vec<u8>, String> {
    let size = size_of(dtype).ok_or(format!("type `{dtype}`"))?;
    let float = |key: &str| init[key].as_f64().unwrap_or(0.0);
    let int = |key: &str| {
        let value = &init[key];
        value
            .as_i64()
            .map(i128::from)
            .or(value.as_u64().map(i128::from))
            .unwrap_or(0)
    };
    let seed = init["seed"].as_u64().unwrap_or(0);
    let is_float = dtype.contains('f');
    let convert = |whole: i128| {
        if is_float {
            from_f64(dtype, whole as f64)
        } else {
            whole as u64
        }
    };
    let between = |i: u64| {
        let (lo, hi) = (int("lo"), int("hi"));
        lo + i128::from(generator_bits(seed, i) >> 32) % (hi - lo + 1)
    };
    let mut bytes = Vec::new();
    for i in 0..count {
        let bits = match text(init, "gen") {
            "zero" => 0,
            "fill" if is_float => from_f64(dtype, float("value")),
            "fill" => convert(int("value")),
            "iota" if is_float => from_f64(dtype, float("start") + float("step") * i as f64),
            "iota" => convert(int("start") + int("step") * i128::from(i)),
            "bits" => generator_bits(seed, i),
            "int" => convert(between(i)),
            "frac" => from_f64(dtype, between(i) as f64 / float("den")),
            other => return Err(format!("generator `{other}`")),
        };
        bytes.extend(&bits.to_le_bytes()[..size]);
    }
    Ok(bytes)
}
