//! Analysis of texts: language, scripts, sentences, numbers, hidden characters, and parts that nobody may change. Pure.

mod capitals;
mod code_names;
mod elsewhere;
mod excerpt;
mod facts;
mod foreign_script;
mod han;
mod headings;
mod identify;
mod lexicon;
mod names;
mod numbering;
mod numbers;
mod placeholders;
mod quantities;
mod refusals;
mod runs;
mod script;
mod sentences;
mod values;
mod visible;

pub(crate) use capitals::Capitals;
pub(crate) use elsewhere::{
    MOST as MOST_ELSEWHERE, is_mistake, language_in_folder, language_of_page,
};
pub(crate) use excerpt::excerpt;
pub(crate) use facts::{LostFact, changed};
pub(crate) use foreign_script::foreign_script;
pub(crate) use han::{Han, han_in};
pub(crate) use headings::{PlainWords, with_heading_words};
pub(crate) use identify::{is_in, is_in_source, is_long_enough};
pub(crate) use names::{KeptName, clues as name_clues, decide as decide_names, heading_level};
pub(crate) use numbering::numbering;
pub(crate) use numbers::same_numbers;
pub(crate) use placeholders::{addresses, marker_prefix, markers, variables, volatile, without};
pub(crate) use refusals::{ASSISTANTS, INABILITIES, REFUSALS, declines, refuses};
pub(crate) use runs::runs;
pub(crate) use script::{has_letter_of, is_dense, is_dense_letter, is_mark, is_word_letter};
pub(crate) use sentences::sentences;
pub(crate) use values::{ValueReplacement, told, values, with_amounts, written};
pub use visible::visible;
