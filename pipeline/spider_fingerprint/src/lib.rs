//! The few names that spider takes from `spider_fingerprint`, and nothing else.
//!
//! The published crate imitates browsers, and its build script downloads version lists while it is
//! compiled. Latimer does all fetching itself, under its own name, so none of that is wanted. This crate
//! is put in its place by `[patch.crates-io]` in the workspace manifest; every function is inert.

/// Settings that spider keeps in its configuration.
pub mod configs {
    /// How strongly a browser would be imitated; Latimer never does.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub enum Tier {
        /// Not at all.
        #[default]
        None,
        /// Kept for spider's parser of settings.
        Basic,
        /// Kept for spider's parser of settings.
        Low,
        /// Kept for spider's parser of settings.
        Mid,
        /// Kept for spider's parser of settings.
        Full,
    }
}

/// The size of an imitated browser window.
pub mod spoof_viewport {
    /// The size of an imitated browser window, in CSS pixels.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Viewport {
        /// Width in CSS pixels.
        pub width: u32,
        /// Height in CSS pixels.
        pub height: u32,
        /// Device pixels per CSS pixel.
        pub device_scale_factor: Option<f64>,
        /// Whether a phone is imitated.
        pub emulating_mobile: bool,
        /// Whether width and height are swapped.
        pub is_landscape: bool,
        /// Whether touch events are imitated.
        pub has_touch: bool,
    }
}

/// Header spelling, which Latimer leaves as it is.
pub mod spoof_headers {
    /// Says that no header needs a browser's spelling.
    pub fn is_title_case_browser_header(_name: &str) -> bool {
        false
    }

    /// Leaves the headers as they are.
    pub fn rewrite_headers_to_title_case<T>(_headers: &mut T) {}
}
