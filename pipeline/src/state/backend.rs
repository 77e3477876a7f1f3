//! The database under the state: ordered tables of typed rows, read and written in transactions.
//!
//! The files that keep rows use the verbs of tables alone: `get`, `range`, `iter`, `last`, `insert`, `take`, `remove`,
//! `retain`, `retain_in`. `database.rs` opens, checks and compacts. So a second database needs one file beside `redb.rs` with
//! these items, and no change in the tables. A read sees one snapshot; a write is on the disk when it returns.

mod redb;
mod trouble;

pub use self::redb::BackendError;
pub(super) use self::redb::{
    Database, ReadTransaction, ReadableTable, RowKey, RowValue, SmallDisk, TableDefinition,
    WriteTable, WriteTransaction,
};
pub use trouble::DiskTrouble;
