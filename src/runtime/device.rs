//! Descriptions of simulated devices: TOML files under `devices/`.

use serde::Deserialize;

use super::error::RuntimeError;

/// One device.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceModel {
    /// Short name.
    pub name: String,
    /// Full name.
    pub title: String,
    /// Target of its machine code.
    pub target: String,
    /// Compute units.
    pub compute_units: u32,
    /// SIMDs of a compute unit.
    pub simds_per_unit: u32,
    /// Waves resident on a SIMD.
    pub waves_per_simd: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Work-items of a workgroup.
    pub max_workgroup_size: u32,
    /// LDS bytes of a workgroup.
    pub lds_bytes: u32,
    /// Vector registers of a lane, on a SIMD.
    pub vgprs_per_simd: u32,
    /// Scalar registers of a SIMD.
    pub sgprs_per_simd: u32,
    /// Peak clock in MHz.
    pub clock_mhz: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Memory bandwidth in 10^9 bytes a second.
    pub memory_gb_per_s: u32,
    /// Second-level cache in bytes.
    pub l2_bytes: u64,
}

static BUILT_IN: &[(&str, &str)] = &[("mi300x", include_str!("../../devices/mi300x.toml"))];

impl DeviceModel {
    /// Reads a description.
    pub fn parse(text: &str) -> Result<DeviceModel, RuntimeError> {
        let device: DeviceModel =
            toml::from_str(text).map_err(|e| RuntimeError::Device(e.to_string()))?;
        let counts = [
            ("compute_units", device.compute_units),
            ("simds_per_unit", device.simds_per_unit),
            ("waves_per_simd", device.waves_per_simd),
            ("max_workgroup_size", device.max_workgroup_size),
        ];
        for (name, value) in counts {
            if value == 0 {
                return Err(RuntimeError::Device(format!("`{name}` is 0")));
            }
        }
        if !matches!(device.wave_size, 32 | 64) {
            return Err(RuntimeError::Device(format!(
                "`wave_size` is {}, not 32 or 64",
                device.wave_size
            )));
        }
        Ok(device)
    }

    /// The devices that come with the program, by name.
    pub fn built_in() -> Vec<DeviceModel> {
        BUILT_IN
            .iter()
            .filter_map(|(_, text)| DeviceModel::parse(text).ok())
            .collect()
    }

    /// The device of a name.
    pub fn find(name: &str) -> Option<DeviceModel> {
        DeviceModel::built_in().into_iter().find(|d| d.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_devices_parse_and_have_their_names() {
        assert_eq!(DeviceModel::built_in().len(), BUILT_IN.len());
        for (name, _) in BUILT_IN {
            assert!(DeviceModel::find(name).is_some(), "{name}");
        }
        let text = format!("{}\nbogus = 1\n", BUILT_IN[0].1);
        assert!(
            matches!(DeviceModel::parse(&text), Err(RuntimeError::Device(t)) if t.contains("bogus"))
        );
    }
}
