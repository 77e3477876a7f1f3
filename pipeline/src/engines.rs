//! The engines: the trait, one file for each that there is, and what starts them.
//!
//! [`Engine`] is the one trait of Latimer: a set that others extend. Engines stay thin: they encode, call, decode and map
//! errors. How texts are cut, asked again, checked and kept is none of their business ([`crate::translate`]).

mod apertium;
mod apertium_apy;
mod azure;
mod codes;
mod command;
mod context;
mod deepl;
mod engine;
mod error;
#[cfg(feature = "fx")]
mod fx;
mod google;
mod http;
mod identity;
mod key;
mod libretranslate;
pub(crate) mod model_files;
pub(crate) mod model_names;
pub(crate) mod model_parts;
pub(crate) mod model_pins;
mod openai;
mod pivot;
pub(crate) mod posts;
mod pseudo;
mod request;
mod request_form;
mod route;
mod service;
mod spans;
mod spec;
mod spelling;
mod tokens;

pub use context::{Context, first_words, last_words};
pub use engine::{Caps, Engine, EnginePlace, Markup, Offer, TranslationUnit, UnknownWords};
pub use error::{EngineError, EngineFault};
pub use key::{ApiKey, Secret};
pub use model_files::{ModelError, ModelFiles, Proof};
pub(crate) use request::overlap;
pub use request::{Ask, AskError, EngineAnswer, EngineRequest, TranslationExample, WordLink};
pub use request_form::{AnswerFormat, RequestForm};
pub(crate) use route::with_pivot;
pub use route::{FigureError, RouteFigure, Routes};
pub use service::{HttpService, KeyHeader, RequestSettings, ServiceKind, ServiceOption};
pub use spec::{EngineSpec, lacks_for_models, prove, services, start};
pub use tokens::{EstimateBasis, Price, TokenEstimate, TokenPrice, TokenUsage};

/// The engines behind HTTP, in the order in which messages name them.
static SERVICES: [&ServiceKind; 6] = [
    &libretranslate::KIND,
    &deepl::KIND,
    &google::KIND,
    &azure::KIND,
    &openai::KIND,
    &apertium_apy::KIND,
];
