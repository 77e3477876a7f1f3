//! A service on the loopback interface that speaks like LibreTranslate: it writes down what it is sent, and stops
//! answering where a test says, so that the moment is exact.
//!
//! Words come back with a mark before them. A text that says it "loses" something loses what stands for code.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use super::web::{Loopback, PATIENCE, Reply};

/// Which requests are not answered until the service is told otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub enum Stops {
    #[default]
    Never,
    /// Those after so many.
    After(usize),
    /// Those with a text that has this in it.
    At(&'static str),
}

/// The running service; it ends with the process.
pub struct Rented {
    pub address: String,
    desk: Arc<(Mutex<Desk>, Condvar)>,
    stopped: Receiver<()>,
}

#[derive(Default)]
struct Desk {
    sent: Vec<String>,
    answered: Vec<String>,
    requests: usize,
    stops: Stops,
}

impl Rented {
    pub fn start() -> Self {
        let desk = Arc::new((Mutex::<Desk>::default(), Condvar::new()));
        let (sender, stopped) = channel();
        let shared = Arc::clone(&desk);
        let server = Loopback::start(move |request| {
            // A request for the languages has no body.
            let told = match serde_json::from_slice(&request.body) {
                Ok(asked) => translate(&shared, &asked, &sender),
                Err(_) => languages(),
            };
            Reply::new(200, told)
        });
        Self {
            address: server.address,
            desk,
            stopped,
        }
    }

    /// What a configuration says of it, under the name `rented`.
    pub fn engine(&self) -> String {
        format!(
            "[engine.rented]\nkind = \"libretranslate\"\nurl = {:?}\nallow_private = true\n",
            self.address
        )
    }

    /// From now on, and counted anew, it stops there; what waits goes on, if that is another place.
    pub fn stop(&self, stops: Stops) {
        let mut desk = self.desk.0.lock().unwrap();
        (desk.stops, desk.requests) = (stops, 0);
        while self.stopped.try_recv().is_ok() {}
        self.desk.1.notify_all();
    }

    /// Waits until a request came that is not answered.
    #[track_caller]
    pub fn wait_until_stopped(&self) {
        self.stopped
            .recv_timeout(PATIENCE)
            .expect("a request comes that is not answered");
    }

    /// Requests since it was last told where to stop.
    pub fn requests(&self) -> usize {
        self.desk.0.lock().unwrap().requests
    }

    /// The texts that it was sent since it was last asked this.
    pub fn sent(&self) -> Vec<String> {
        std::mem::take(&mut self.desk.0.lock().unwrap().sent)
    }

    /// The texts that it answered since it was last asked this.
    pub fn answered(&self) -> Vec<String> {
        std::mem::take(&mut self.desk.0.lock().unwrap().answered)
    }
}

fn languages() -> String {
    let language = |code: &str, targets: &[&str]| json!({ "code": code, "targets": targets });
    json!([
        language("en", &["es", "fr"]),
        language("es", &["en"]),
        language("fr", &["en"])
    ])
    .to_string()
}

fn translate(desk: &(Mutex<Desk>, Condvar), asked: &Value, stopped: &Sender<()>) -> String {
    let texts: Vec<&str> = asked["q"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    let mut state = desk.0.lock().unwrap();
    state.sent.extend(texts.iter().map(ToString::to_string));
    state.requests += 1;
    while state.stops.holds(state.requests, &texts) {
        // The test may have ended by now.
        let _ = stopped.send(());
        state = desk.1.wait(state).unwrap();
    }
    state.answered.extend(texts.iter().map(ToString::to_string));
    let answer = |text: &&str| match text.contains("loses") {
        true => String::from("¡Pierde!"),
        false => format!("¡{text}"),
    };
    json!({ "translatedText": texts.iter().map(answer).collect::<Vec<_>>() }).to_string()
}

impl Stops {
    fn holds(self, requests: usize, texts: &[&str]) -> bool {
        match self {
            Self::Never => false,
            Self::After(most) => requests > most,
            Self::At(word) => texts.iter().any(|text| text.contains(word)),
        }
    }
}
