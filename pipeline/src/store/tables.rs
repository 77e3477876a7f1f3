//! Memory that the Brotli encoder takes for each file: its tables are large and always of the same sizes, so a thread keeps them
//! and clears them instead of taking new ones from the system.

use std::any::Any;
use std::cell::RefCell;

use brotli::Allocator;
use brotli::enc::{BrotliAlloc, StandardAlloc};

/// From so many bytes on a table is kept.
const LARGE: usize = 32 << 10;
/// Larger ones belong to files of megabytes, which are few.
const LARGEST: usize = 2 << 20;
/// Most tables that a thread keeps.
const MOST: usize = 8;

thread_local! {
    static KEPT: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Takes tables from those that this thread has kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tables;

type AllocatedTable<T> = <StandardAlloc as Allocator<T>>::AllocatedMemory;

impl<T: Clone + Default + 'static> Allocator<T> for Tables {
    type AllocatedMemory = AllocatedTable<T>;

    fn alloc_cell(&mut self, length: usize) -> AllocatedTable<T> {
        if is_kept::<T>(length)
            && let Some(mut table) = kept::<T>(length)
        {
            table.fill(T::default());
            return table.into();
        }
        vec![T::default(); length].into()
    }

    fn free_cell(&mut self, table: AllocatedTable<T>) {
        let table: Box<[T]> = table.into();
        if is_kept::<T>(table.len()) {
            KEPT.with_borrow_mut(|all| {
                all.truncate(MOST - 1);
                all.insert(0, Box::new(table.into_vec()));
            });
        }
    }
}

impl BrotliAlloc for Tables {}

fn is_kept<T>(length: usize) -> bool {
    (LARGE..=LARGEST).contains(&length.saturating_mul(size_of::<T>()))
}

/// A table that was kept.
fn kept<T: 'static>(length: usize) -> Option<Vec<T>> {
    KEPT.with_borrow_mut(|all| {
        let fits = |table: &Box<dyn Any>| {
            table
                .downcast_ref::<Vec<T>>()
                .is_some_and(|table| table.len() == length)
        };
        let place = all.iter().position(fits)?;
        all.remove(place).downcast().ok().map(|table| *table)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_kept_and_comes_back_empty() {
        let mut tables = Tables;
        let mut first: AllocatedTable<u32> = tables.alloc_cell(LARGE);
        brotli::SliceWrapperMut::slice_mut(&mut first)[7] = 7;
        let place = brotli::SliceWrapper::slice(&first).as_ptr();
        tables.free_cell(first);
        let other: AllocatedTable<u16> = tables.alloc_cell(LARGE);
        let again: AllocatedTable<u32> = tables.alloc_cell(LARGE);
        assert_eq!(brotli::SliceWrapper::slice(&again).as_ptr(), place);
        assert!(
            brotli::SliceWrapper::slice(&again)
                .iter()
                .all(|value| *value == 0)
        );
        tables.free_cell(other);
        (0..20).for_each(|_| Allocator::<u8>::free_cell(&mut tables, vec![1_u8; LARGE].into()));
        assert_eq!(KEPT.with_borrow(Vec::len), MOST);
        Allocator::<u8>::free_cell(&mut tables, vec![1_u8; LARGEST + 1].into());
        assert!(kept::<u8>(LARGEST + 1).is_none());
    }
}
