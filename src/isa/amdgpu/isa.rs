//! The table bound to one chip, with its indexes by name and by opcode.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::isa::inst::{Form, RowId};

use super::format::Format;
use super::forms::Row;
use super::row::Chip;
use super::{GROUPS, ROW_COUNT};

/// The instruction set of one chip.
#[derive(Debug)]
pub struct Isa {
    chip: Chip,
    rows: Vec<Row>,
    by_name: HashMap<&'static str, RowId>,
    by_opcode: HashMap<(Format, u16), Vec<(RowId, Form)>>,
}

/// The instruction set of `chip`, or `None` for a chip whose columns are not filled in yet.
pub fn isa(chip: Chip) -> Option<&'static Isa> {
    static GFX942: OnceLock<Isa> = OnceLock::new();
    match chip {
        Chip::Gfx942 => Some(GFX942.get_or_init(|| Isa::bind(chip))),
        Chip::Gfx900 | Chip::Gfx90a | Chip::Gfx1030 | Chip::Gfx1100 => None,
    }
}

impl Isa {
    fn bind(chip: Chip) -> Isa {
        let descs = GROUPS.iter().flat_map(|group| group.iter());
        let rows: Vec<Row> = (0u16..)
            .zip(descs)
            .map(|(id, desc)| Row::bind(RowId(id), desc, chip))
            .collect();
        debug_assert_eq!(rows.len(), usize::from(ROW_COUNT));
        let mut by_name = HashMap::new();
        let mut by_opcode: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows.iter().filter(|row| !row.forms.is_empty()) {
            by_name.insert(row.name(), row.id);
            for form in &row.forms {
                let key = (form.format, form.opcode);
                by_opcode.entry(key).or_default().push((row.id, form.form));
            }
        }
        Isa {
            chip,
            rows,
            by_name,
            by_opcode,
        }
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The row with number `id`.
    ///
    /// # Panics
    /// If `id` is not one of the constants of [`super::op`] or a result of this instruction set.
    pub fn row(&self, id: RowId) -> &Row {
        &self.rows[usize::from(id.0)]
    }

    /// All rows, those that the chip lacks included (they have no forms).
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a mnemonic, and the form if its suffix names one (`_e32`, `_e64`, `_sdwa`, `_dpp`).
    pub fn find(&self, mnemonic: &str) -> Option<(RowId, Option<Form>)> {
        if let Some(&id) = self.by_name.get(mnemonic) {
            return Some((id, None));
        }
        const SUFFIXES: [(&str, Form); 4] = [
            ("_e32", Form::Base),
            ("_e64", Form::E64),
            ("_sdwa", Form::Sdwa),
            ("_dpp", Form::Dpp),
        ];
        SUFFIXES.iter().find_map(|&(suffix, form)| {
            let id = *self.by_name.get(mnemonic.strip_suffix(suffix)?)?;
            self.row(id).form(form).map(|_| (id, Some(form)))
        })
    }

    /// Rows and forms with this layout and opcode.
    pub(super) fn candidates(&self, format: Format, opcode: u16) -> &[(RowId, Form)] {
        self.by_opcode
            .get(&(format, opcode))
            .map_or(&[], Vec::as_slice)
    }
}
