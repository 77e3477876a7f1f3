//! A proxy that notes what it is asked for and answers nothing else than 502.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// The proxy; it ends with the process.
pub struct Recorder {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&heads);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let head: Vec<String> = lines
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .collect();
                noted.lock().unwrap().push(head.join("\n"));
                let _ = stream.write_all(
                    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        Self { address, heads }
    }

    /// Makes it the proxy of a command, for everything.
    pub fn give_to(&self, command: &mut Command) {
        for name in ["http_proxy", "https_proxy", "all_proxy"] {
            command
                .env(name, &self.address)
                .env(name.to_uppercase(), &self.address);
        }
        command.env_remove("no_proxy").env_remove("NO_PROXY");
    }

    /// The heads of the requests that came since this was asked last.
    pub fn heads(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }
}
