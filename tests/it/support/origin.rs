//! A website on the loopback interface that answers as a test tells it, and can be told anew at any time. To whoever has what a
//! validator names (`ETag`, `Last-Modified`) it says that nothing changed.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::Site;

/// An answer: its status, a header line more, and its body.
#[derive(Clone, Debug)]
pub struct Said {
    status: u16,
    header: String,
    pub body: String,
}

type Manner = Box<dyn Fn(&str) -> Said + Send>;

/// The website; it ends with the process.
pub struct Origin {
    pub address: String,
    manner: Arc<Mutex<Manner>>,
    log: Arc<Mutex<Vec<(String, u16)>>>,
}

impl Said {
    pub fn page(html: impl Into<String>) -> Self {
        Self {
            status: 200,
            header: "Content-Type: text/html; charset=utf-8".to_owned(),
            body: html.into(),
        }
    }

    pub fn xml(text: impl Into<String>) -> Self {
        Self {
            header: "Content-Type: text/xml".to_owned(),
            ..Self::page(text)
        }
    }

    pub fn css(text: impl Into<String>) -> Self {
        Self {
            header: "Content-Type: text/css".to_owned(),
            ..Self::page(text)
        }
    }

    pub fn of_type(content_type: &str, text: impl Into<String>) -> Self {
        Self {
            header: format!("Content-Type: {content_type}"),
            ..Self::page(text)
        }
    }

    /// The same with another header line.
    pub fn with(self, line: &str) -> Self {
        Self {
            header: format!("{}\r\n{line}", self.header),
            ..self
        }
    }

    pub fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::page(format!("<p>status {status}</p>"))
        }
    }

    pub fn redirect(to: &str) -> Self {
        Self {
            status: 302,
            header: format!("Location: {to}"),
            body: String::new(),
        }
    }
}

impl Origin {
    /// Answers each path as `manner` says.
    pub fn start(manner: impl Fn(&str) -> Said + Send + 'static) -> Self {
        Self::start_with(|_| manner)
    }

    /// The same for one that names its own address.
    pub fn start_with<M: Fn(&str) -> Said + Send + 'static>(made: impl FnOnce(&str) -> M) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let manner = made(&address);
        let manner: Arc<Mutex<Manner>> = Arc::new(Mutex::new(Box::new(manner)));
        let log = Arc::default();
        let shared = (Arc::clone(&manner), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (manner, log) = shared.clone();
                std::thread::spawn(move || answer(stream, &manner, &log));
            }
        });
        Self {
            address,
            manner,
            log,
        }
    }

    /// The paths that were asked for since this was asked last, with the statuses of the answers, sorted.
    pub fn asked(&self) -> Vec<(String, u16)> {
        let mut asked = std::mem::take(&mut *self.log.lock().unwrap());
        asked.sort();
        asked
    }

    /// From now on it answers otherwise.
    pub fn answer(&self, manner: impl Fn(&str) -> Said + Send + 'static) {
        *self.manner.lock().unwrap() = Box::new(manner);
    }
}

fn answer(stream: TcpStream, manner: &Mutex<Manner>, log: &Mutex<Vec<(String, u16)>>) {
    let mut writer = stream.try_clone().unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    // A client that ends the connection ends the thread.
    while let Some(first) = lines.next() {
        let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
        let asked: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let Said {
            mut status,
            header,
            mut body,
        } = manner.lock().unwrap()(&path);
        let value = |lines: &mut dyn Iterator<Item = &str>, name: &str| {
            let mut named = lines.filter_map(|line| line.split_once(": "));
            named
                .find(|(found, _)| found.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.to_owned())
        };
        let is_known = |validator: &str, condition: &str| {
            let has = value(&mut asked.iter().map(String::as_str), condition);
            has.is_some() && has == value(&mut header.lines(), validator)
        };
        if is_known("ETag", "If-None-Match") || is_known("Last-Modified", "If-Modified-Since") {
            (status, body) = (304, String::new());
        }
        log.lock().unwrap().push((path, status));
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} Said\r\n{header}\r\nContent-Length: {length}\r\n\r\n");
        if writer
            .write_all(format!("{head}{body}").as_bytes())
            .is_err()
        {
            return;
        }
    }
}

/// A site that is crawled from an origin, with more of its settings of the crawl.
pub fn site(origin: &Origin, crawl: &str) -> Site {
    let site = Site::new("", &[]);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = {:?}\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = \"pseudo\"\n\
             url = \"https://bakery.example/{{lang}}\"\n[site.crawl]\nallow_private = true\n{crawl}",
            origin.address
        ),
    );
    site
}
