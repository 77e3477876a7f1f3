//! Tests of `api.rs`.

use pipeline::model::SiteId;

use super::*;

#[test]
fn what_others_published_first_passes_and_what_is_gone_does_not() {
    let site = SiteId::parse("bakery").unwrap();
    let overtaken = StoreError::Overtaken {
        site: site.clone(),
        deployment: 7,
    };
    let unknown = StoreError::Unknown {
        site,
        deployment: 7,
    };
    for (error, status) in [(overtaken, 503), (unknown, 500)] {
        let response = ApiError::from(error).response();
        assert_eq!(
            (
                response.status().as_u16(),
                response.headers().contains_key("retry-after")
            ),
            (status, status == 503)
        );
    }
}
