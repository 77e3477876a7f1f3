//! `digests.subscription.upsert`: one subscription for each token subject.

use serde_json::{Value, json};

use super::{Call, FREQUENCIES, word, written};
use crate::error::ApiError;
use crate::form::Form;

/// The longest address that mail carries (RFC 5321 section 4.5.3.1.3).
const LONGEST: usize = 254;

pub(super) async fn subscribe(call: &Call<'_>) -> Result<Value, ApiError> {
    let mut form = Form::parse(&call.body)?;
    let email = form.text("email", LONGEST);
    form.require("email", email.is_some());
    let frequency = form.word("frequency", &FREQUENCIES);
    form.require("frequency", frequency.is_some());
    if email.as_deref().is_some_and(|email| !is_address(email)) {
        form.wrong::<()>("email", "invalid_email", "must be an address such as ana@example.com");
    }
    form.finish().map_err(ApiError::Invalid)?;
    let (Some(email), Some(frequency)) = (email, frequency) else { return Err(ApiError::Invalid(Vec::new())) };
    let (account, now) = (call.caller.subject.clone(), call.now());
    let kept = call.state(move |state| state.subscribe(&account, &email, frequency, now)).await?;
    Ok(json!({ "subscription": {
        // There is one for each account, so the account names it.
        "id": format!("digest:{}", call.caller.subject),
        "accountId": call.caller.subject,
        "email": kept.email,
        "frequency": word(kept.frequency),
        "createdAt": written(kept.created),
        "updatedAt": written(kept.updated),
    }}))
}

/// Whether mail could go there: one `@`, a host with a dot, and nothing that would end a header or a list.
fn is_address(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>()[],;:\\\"@".contains(c);
    let dotted = |text: &str| !text.starts_with('.') && !text.ends_with('.') && !text.contains("..");
    let local_fits = !local.is_empty() && local.len() <= 64 && !local.contains(odd) && dotted(local);
    local_fits && host.contains('.') && host.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let edges = label.starts_with('-') || label.ends_with('-');
    !label.is_empty() && label.len() <= 63 && !edges && label.chars().all(|c| c.is_alphanumeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_other_texts() {
        let long = format!("{}@example.com", "x".repeat(65));
        for (text, expected) in [
            ("ana@example.com", true),
            ("ana.b+digest@mail.example.co", true),
            ("jürgen@bücher.example", true),
            ("ana@localhost", false),
            ("ana", false),
            ("@example.com", false),
            ("ana@", false),
            ("ana@example..com", false),
            ("ana@-example.com", false),
            (".ana@example.com", false),
            ("a b@example.com", false),
            ("ana@example.com\r\nBcc: x@y.zz", false),
            ("Ana <ana@example.com>", false),
            ("a@b@example.com", false),
            (long.as_str(), false),
        ] {
            assert_eq!(is_address(text), expected, "{text:?}");
        }
    }
}
