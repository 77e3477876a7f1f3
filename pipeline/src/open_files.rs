//! The limit of open files of this process. Connections count as files.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit as far as the system lets this process, and gives it; `None` is no limit.
///
/// Shells start programs with 1,024, a number for programs that cannot do with more (`select`). Where the system refuses the
/// greater number, the limit stays as it was.
pub fn raise() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    self::limit()
}

/// The limit as it is now; `None` is no limit.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_to_the_hard_one() {
        assert_eq!(raise(), getrlimit(Resource::Nofile).maximum);
        assert_eq!(limit(), getrlimit(Resource::Nofile).maximum);
    }
}
