//! How many endpoints and deliveries are kept.

use super::*;

#[test]
fn what_is_kept_is_bounded() {
    let mut world = WebhooksFixture::new(&[&[], &[]]);
    world
        .state
        .tell(&site(), &vec![event(); 1_200], world.now)
        .unwrap();
    let kept = world.deliveries(0);
    assert_eq!(
        (kept.len(), kept[0].sequence, kept[999].sequence),
        (1_000, 1_200, 201)
    );
    assert_eq!(world.due().0.len(), 2_000);
    world.now += 31 * DAY;
    world.tell();
    world.state.sweep_webhooks(&site(), world.now).unwrap();
    assert_eq!((world.deliveries(0).len(), world.due().0.len()), (1, 2));
    // One that is removed leaves nothing.
    assert!(world.state.remove_webhook(&site(), world.ids[0]).unwrap());
    assert_eq!((world.deliveries(0).len(), world.due().0.len()), (0, 1));
    world.state.remove_site(&site(), world.now).unwrap();
    assert_eq!(
        (world.due(), world.state.webhooks(&site()).unwrap()),
        ((Vec::new(), None), Vec::new())
    );
}

#[test]
fn a_site_has_ten_endpoints_and_without_any_nothing_is_kept() {
    let world = WebhooksFixture::new(&[[].as_slice(); 10]);
    assert_eq!(
        world
            .state
            .add_webhook(&site(), settings(&[]), BEGIN)
            .unwrap(),
        None
    );
    for id in &world.ids {
        world.state.remove_webhook(&site(), *id).unwrap();
    }
    world.tell();
    let id = world
        .state
        .add_webhook(&site(), settings(&[]), BEGIN)
        .unwrap()
        .unwrap()
        .0;
    world.tell();
    let told = world.state.deliveries(&site(), id).unwrap();
    assert_eq!(
        told.iter().map(|(one, _)| one.sequence).collect::<Vec<_>>(),
        [1]
    );
}
