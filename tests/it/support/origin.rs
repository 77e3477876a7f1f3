//! A website on the loopback interface that answers as a test tells it, and can be told anew at any time. To whoever has what a
//! validator names (`ETag`, `Last-Modified`) it says that nothing changed.

use std::sync::{Arc, Mutex};

use super::Site;
use super::web::{Loopback, Reply, Request, header};

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

    /// The answer to a request; 304 if the request names a validator of this answer.
    fn reply_to(self, request: &Request) -> Reply {
        let is_known = |validator: &str, condition: &str| {
            let known = request.header(condition);
            known.is_some() && known == header(&self.header, validator)
        };
        if is_known("ETag", "If-None-Match") || is_known("Last-Modified", "If-Modified-Since") {
            return Reply::status(304).with(&self.header);
        }
        Reply::new(self.status, self.body).with(&self.header)
    }
}

impl Origin {
    /// Answers each path as `manner` says.
    pub fn start(manner: impl Fn(&str) -> Said + Send + 'static) -> Self {
        Self::start_with(|_| manner)
    }

    /// The same for one that names its own address.
    pub fn start_with<M: Fn(&str) -> Said + Send + 'static>(made: impl FnOnce(&str) -> M) -> Self {
        // Nobody knows the address before `made`, so this one answers no request.
        let manner: Arc<Mutex<Manner>> =
            Arc::new(Mutex::new(Box::new(|_: &str| Said::status(404))));
        let log = Arc::<Mutex<Vec<(String, u16)>>>::default();
        let current = Arc::clone(&manner);
        let noted = Arc::clone(&log);
        let server = Loopback::start(move |request| {
            let said = current.lock().unwrap()(&request.path);
            let reply = said.reply_to(request);
            let entry = (request.path.clone(), reply.status);
            noted.lock().unwrap().push(entry);
            reply
        });
        let origin = Self {
            address: format!("{}/", server.address),
            manner,
            log,
        };
        origin.answer(made(&origin.address));
        origin
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
