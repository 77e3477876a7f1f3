//! Addresses to listen on, and the programs that have taken them.

use std::fs;
use std::net::{SocketAddr, TcpListener};

/// State of a socket that listens, in /proc/net/tcp.
const LISTENS: &str = "0A";
/// Number of ports that are tried to find a free one.
const TRIED: u16 = 50;

/// Reads an address and a port from the command line.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(address) = text.parse() {
        return Err(format!("add a port: {}", SocketAddr::new(address, 8080)));
    }
    let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
    let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
    match port.parse::<u16>() {
        Ok(port) if is_here => Err(format!(
            "write 127.0.0.1:{port}, or 0.0.0.0:{port} for every network"
        )),
        Ok(port) => Err(format!(
            "{host:?} is no IP address; write one, such as 127.0.0.1:{port}"
        )),
        Err(_) => Err("write an IP address and a port, such as 127.0.0.1:8080".to_owned()),
    }
}

/// The message for a port that another program has: which one, and the next free port.
pub(crate) fn taken(address: SocketAddr, otherwise: &str) -> String {
    let by = owner(address.port())
        .map(|owner| format!(" by {owner}"))
        .unwrap_or_default();
    let free = next_free(address)
        .map(|free| format!("; {free} is free"))
        .unwrap_or_default();
    format!("cannot listen on {address}: the port is taken{by}{free}; {otherwise}")
}

/// The next free port of the same address.
fn next_free(address: SocketAddr) -> Option<SocketAddr> {
    let ports = (1..=TRIED).filter_map(|more| address.port().checked_add(more));
    let mut addresses = ports.map(|port| SocketAddr::new(address.ip(), port));
    addresses.find(|address| TcpListener::bind(address).is_ok())
}

/// Name and id of the process that listens on a port. Only Linux tells it; without root, only for processes of the same user.
fn owner(port: u16) -> Option<String> {
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|table| inodes(table, port))
        .collect();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name();
        let Some(process) = name
            .to_str()
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        let Ok(files) = fs::read_dir(entry.path().join("fd")) else {
            continue;
        };
        let targets = files
            .flatten()
            .filter_map(|file| fs::read_link(file.path()).ok());
        if targets
            .filter_map(|target| Some(target.to_str()?.to_owned()))
            .any(|target| sockets.contains(&target))
        {
            let command = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            return Some(format!("{} (process {process})", command.trim()));
        }
    }
    None
}

/// The sockets that listen on a port, as links of open files name them.
fn inodes(table: &str, port: u16) -> Vec<String> {
    let table = fs::read_to_string(table).unwrap_or_default();
    let mut found = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, local, _, state, _, _, _, _, _, inode, ..] = fields[..] else {
            continue;
        };
        let own = local
            .rsplit_once(':')
            .and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
        if state == LISTENS && own == Some(port) {
            found.push(format!("socket:[{inode}]"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lack_a_part_are_completed() {
        assert_eq!(parse("127.0.0.1:8080").unwrap().port(), 8080);
        for (text, said) in [
            (
                "8080",
                "write 127.0.0.1:8080, or 0.0.0.0:8080 for every network",
            ),
            (
                ":8080",
                "write 127.0.0.1:8080, or 0.0.0.0:8080 for every network",
            ),
            (
                "localhost:80",
                "write 127.0.0.1:80, or 0.0.0.0:80 for every network",
            ),
            (
                "example.com:80",
                "\"example.com\" is no IP address; write one, such as 127.0.0.1:80",
            ),
            ("127.0.0.1", "add a port: 127.0.0.1:8080"),
            ("::1", "add a port: [::1]:8080"),
            (
                "99999",
                "write an IP address and a port, such as 127.0.0.1:8080",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), said, "{text}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_taken_port_names_its_process_and_the_next_free_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let said = taken(address, "choose another one");
        let own = "the port is taken by ";
        assert!(
            said.contains(own) && said.contains(&format!("(process {})", std::process::id())),
            "{said}"
        );
        let free = next_free(address).unwrap();
        assert!(
            free.port() > address.port() && said.contains(" is free; choose another one"),
            "{said}"
        );
    }
}
