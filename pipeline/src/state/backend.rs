//! The database under the state: ordered tables of typed rows, read and written in transactions.
//!
//! All other files of the state use only these verbs: `get`, `range`, `iter`, `last`, `insert`, `take`, `remove`, `retain`,
//! `retain_in`. So a second database needs one file beside `redb.rs` that offers them, and no change in the tables or in what
//! is kept there. A read sees one snapshot; a write is on the disk when it returns.

mod redb;
mod trouble;

pub use redb::BackendError;
pub(super) use redb::{
    Database, ReadTransaction, ReadableTable, RowKey, RowValue, SmallDisk, TableDefinition,
    WriteTable, WriteTransaction,
};
pub use trouble::DiskTrouble;
