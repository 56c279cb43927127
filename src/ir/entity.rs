//! Typed indices of SSA entities and the arenas they index.

use std::fmt;
use std::marker::PhantomData;

/// An index type of an [`Arena`].
pub trait Entity: Copy {
    /// From a raw index.
    fn new(index: usize) -> Self;
    /// The raw index.
    fn index(self) -> usize;
}

macro_rules! entity {
    ($($(#[$doc:meta])* $name:ident $prefix:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl Entity for $name {
            fn new(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entity! {
    /// An SSA value: a function argument, a block parameter, an instruction's result or a constant.
    Value "%"
    /// An instruction.
    Inst "inst"
    /// A basic block.
    Block "bb"
    /// A mutable variable before SSA construction.
    Var "$"
}

/// A growing vector indexed by one entity type. Entries are never removed.
#[derive(Clone, PartialEq, Eq)]
pub struct Arena<K, T> {
    items: Vec<T>,
    key: PhantomData<K>,
}

impl<K: Entity, T> Arena<K, T> {
    /// An empty arena.
    pub fn new() -> Self {
        Arena {
            items: Vec::new(),
            key: PhantomData,
        }
    }

    /// Adds an item and returns its index.
    pub fn push(&mut self, item: T) -> K {
        self.items.push(item);
        K::new(self.items.len() - 1)
    }

    /// Number of items ever added.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All indices in order of creation.
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, T> {
        (0..self.items.len()).map(K::new)
    }

    /// All indices with their items.
    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (K::new(i), t))
    }

    /// The item of an index, if there is one.
    pub fn get(&self, key: K) -> Option<&T> {
        self.items.get(key.index())
    }
}

impl<K: Entity, T> Default for Arena<K, T> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<K: Entity, T> std::ops::Index<K> for Arena<K, T> {
    type Output = T;
    fn index(&self, key: K) -> &T {
        &self.items[key.index()]
    }
}

impl<K: Entity, T> std::ops::IndexMut<K> for Arena<K, T> {
    fn index_mut(&mut self, key: K) -> &mut T {
        &mut self.items[key.index()]
    }
}

impl<K: Entity, T: fmt::Debug> fmt::Debug for Arena<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}
