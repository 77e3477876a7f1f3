//! Server-sent events: whoever follows something gets it whole, at once and whenever it changed, until it is over.
//!
//! A reader that is slower than the changes gets the newest only, so nothing piles up. Ids grow with time and across
//! connections; because every event has the whole, going on after one (`Last-Event-ID`) is getting the newest with a
//! greater id. A stream ends with what it follows, and as soon as the server wants to end.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use hyper::HeaderMap;
use hyper::body::Frame;
use pipeline::run::now;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// How often something is sent, so that nobody on the way takes the connection for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How things stand.
pub(crate) struct Update {
    /// What is followed, as callers see it.
    pub(crate) value: Value,
    /// The event that says that it is over, if it is.
    pub(crate) end: Option<&'static str>,
}

/// The frames of a stream's body.
pub(crate) type Frames = BoxStream<'static, std::io::Result<Frame<Bytes>>>;

/// What a stream needs of the server.
pub(crate) struct Seat {
    /// Becomes true when the server wants to end.
    pub(crate) closing: watch::Receiver<bool>,
    /// One of the places for streams.
    #[expect(dead_code, reason = "it is given back when the stream is dropped")]
    pub(crate) place: Box<dyn Send>,
}

struct Following<T> {
    changes: watch::Receiver<T>,
    describe: fn(&T) -> Update,
    seat: Seat,
    heartbeat: Interval,
    id: u64,
    next: NextEvent,
}

/// What a stream sends next.
enum NextEvent {
    /// How things stand.
    Status,
    /// That it is over.
    End,
    /// Whatever happens.
    Change,
    Nothing,
}

/// The events of a thing, from now on.
pub(crate) fn follow<T: Send + Sync + 'static>(
    changes: watch::Receiver<T>,
    describe: fn(&T) -> Update,
    headers: &HeaderMap,
    seat: Seat,
) -> Frames {
    let sent = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok()?.parse().ok());
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let following = Following {
        changes,
        describe,
        seat,
        heartbeat,
        id: sent.unwrap_or(0),
        next: NextEvent::Status,
    };
    let events = futures::stream::unfold(following, |mut following| async move {
        let event = following.event().await?;
        Some((Ok(Frame::data(Bytes::from(event))), following))
    });
    events.boxed()
}

impl<T> Following<T> {
    async fn event(&mut self) -> Option<String> {
        match self.next {
            NextEvent::Nothing => None,
            NextEvent::Status => {
                let moment = (self.describe)(&self.changes.borrow_and_update());
                self.next = if moment.end.is_some() {
                    NextEvent::End
                } else {
                    NextEvent::Change
                };
                Some(self.written("status", &moment.value))
            }
            NextEvent::End => Some(self.change()),
            NextEvent::Change => {
                tokio::select! {
                    biased;
                    _ = self.seat.closing.wait_for(|closing| *closing) => return None,
                    // Without an end, whoever knew of changes is gone.
                    changed = self.changes.changed() => changed.ok()?,
                    _ = self.heartbeat.tick() => return Some("event: heartbeat\ndata: {}\n\n".to_owned()),
                }
                Some(self.change())
            }
        }
    }

    fn change(&mut self) -> String {
        let moment = (self.describe)(&self.changes.borrow_and_update());
        if moment.end.is_some() {
            self.next = NextEvent::Nothing;
        }
        self.written(moment.end.unwrap_or("progress"), &moment.value)
    }

    fn written(&mut self, event: &str, value: &Value) -> String {
        self.heartbeat.reset();
        self.id = self.id.saturating_add(1).max(now().millis());
        format!("id: {}\nevent: {event}\ndata: {value}\n\n", self.id)
    }
}

/// What the interface's document says about a stream: the form of each event.
pub(crate) fn schema() -> schemars::Schema {
    schemars::json_schema!({
        "title": "Event",
        "type": "object",
        "description": "An event. A heartbeat has no id.",
        "additionalProperties": false,
        "required": ["event", "data"],
        "properties": {
            "id": { "type": "string" },
            "event": { "type": "string", "enum": ["status", "progress", "heartbeat", "complete", "error"] },
            "data": { "type": "string", "description": "The whole object in JSON; that of a heartbeat is empty." },
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn describe(number: &u64) -> Update {
        Update {
            value: json!(number),
            end: (*number >= 9).then_some("complete"),
        }
    }

    fn seat(closing: &watch::Sender<bool>) -> Seat {
        Seat {
            closing: closing.subscribe(),
            place: Box::new(()),
        }
    }

    async fn next(events: &mut Frames) -> Option<(u64, String)> {
        let frame = events.next().await?.unwrap().into_data().unwrap();
        let text = String::from_utf8(frame.to_vec()).unwrap();
        let id = text
            .strip_prefix("id: ")
            .and_then(|rest| rest.split('\n').next()?.parse().ok());
        let lines: Vec<_> = text
            .lines()
            .filter(|line| !line.starts_with("id: "))
            .collect();
        Some((id.unwrap_or(0), lines.join(" ").trim().to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn slow_readers_get_the_newest_and_the_end() {
        let changes = watch::Sender::new(0_u64);
        let closing = watch::Sender::new(false);
        let mut events = follow(
            changes.subscribe(),
            describe,
            &HeaderMap::new(),
            seat(&closing),
        );
        let (first, text) = next(&mut events).await.unwrap();
        assert_eq!(text, "event: status data: 0");
        (1..5).for_each(|number| changes.send(number).unwrap());
        let (second, text) = next(&mut events).await.unwrap();
        assert_eq!(
            (text.as_str(), second > first),
            ("event: progress data: 4", true)
        );
        let started = Instant::now();
        assert_eq!(
            next(&mut events).await.unwrap().1,
            "event: heartbeat data: {}"
        );
        assert_eq!(started.elapsed(), HEARTBEAT);
        changes.send(9).unwrap();
        drop(changes);
        assert_eq!(
            next(&mut events).await.unwrap().1,
            "event: complete data: 9"
        );
        assert_eq!(next(&mut events).await, None);
    }

    #[tokio::test]
    async fn ids_go_on_where_the_last_connection_stopped() {
        let closing = watch::Sender::new(false);
        let changes = watch::channel(9).1;
        let last = now().millis() + 1_000_000;
        let mut headers = HeaderMap::new();
        headers.insert("last-event-id", last.into());
        let mut events = follow(changes, describe, &headers, seat(&closing));
        assert_eq!(
            next(&mut events).await.unwrap(),
            (last + 1, "event: status data: 9".to_owned())
        );
        assert_eq!(
            next(&mut events).await.unwrap(),
            (last + 2, "event: complete data: 9".to_owned())
        );
        assert_eq!(next(&mut events).await, None);
    }

    #[tokio::test]
    async fn streams_end_with_the_server_and_with_their_source() {
        let changes = watch::Sender::new(0);
        let closing = watch::Sender::new(false);
        let mut events = follow(
            changes.subscribe(),
            describe,
            &HeaderMap::new(),
            seat(&closing),
        );
        let mut other = follow(
            changes.subscribe(),
            describe,
            &HeaderMap::new(),
            seat(&closing),
        );
        assert!(next(&mut events).await.is_some() && next(&mut other).await.is_some());
        closing.send(true).unwrap();
        assert_eq!(next(&mut events).await, None);
        drop(changes);
        assert_eq!(next(&mut other).await, None);
    }
}
