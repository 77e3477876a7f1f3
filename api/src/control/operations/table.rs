//! The table of the API: what each operation is called, who may do it and how often, what it takes and gives, and what does it.
//!
//! The router, the gate, the document and its tests read this table.
//!
//! One file: one array with a row for each operation.

use std::future::ready;

use futures::FutureExt as _;
use pipeline::state::RunKind;

use super::line::{ADMIN_READ, Key, Line, READ, Rate, Version, WRITE};
use super::{
    Schemas, accept, account, audit, crawl, deliveries, deployments, digest, doctor, document,
    engines, explanation, export, languages, mail, next_digest, ordered, pages, plan, previews,
    publish, reload, reports, runs, segments, serve, site, sites, snippets, summary, usage,
    webhooks,
};

/// The scope that opens webhooks: what they tell is for the owner.
const WEBHOOKS: &str = "webhooks:write";

/// The scope that shows texts and their translations.
const TRANSLATIONS: &str = "translations:read";

/// The operations.
pub(crate) static OPERATIONS: [Line; 64] = [
    Line {
        run: |call| ready(document::get(call, &OPERATIONS)).boxed(),
        schemas: document::schemas,
        tag: "meta",
        id: "openapi.get",
        path: "/api/openapi.json",
        is_public: true,
        scope: None,
        summary: "Get this document.",
        ..READ
    },
    Line {
        run: |call| ready(languages::list(call)).boxed(),
        schemas: languages::schemas,
        tag: "meta",
        id: "meta.languages.list",
        path: "/api/meta/languages",
        is_public: true,
        scope: None,
        summary: "List languages with their names.",
        ..READ
    },
    Line {
        run: |call| sites::list(call).boxed(),
        schemas: sites::schemas_of_list,
        tag: "sites",
        id: "sites.list",
        path: "/api/sites",
        summary: "List the sites that the token may see.",
        ..READ
    },
    Line {
        run: |call| sites::get(call).boxed(),
        schemas: sites::schemas_of_one,
        tag: "sites",
        id: "sites.get",
        path: "/api/sites/{siteId}",
        summary: "Get a site.",
        ..READ
    },
    Line {
        run: |call| site::put(call).boxed(),
        schemas: site::schemas_of_put,
        tag: "sites",
        id: "sites.put",
        method: "PUT",
        path: "/api/sites/{siteId}",
        scope: Some("sites:write"),
        conflict: Some("The configuration manages the site, or another site has the same `url`."),
        makes_site: true,
        summary: "Add a site, or replace the settings of one that was added.",
        ..WRITE
    },
    Line {
        run: |call| site::delete(call).boxed(),
        schemas: site::schemas_of_delete,
        tag: "sites",
        id: "sites.delete",
        method: "DELETE",
        path: "/api/sites/{siteId}",
        scope: Some("sites:write"),
        status: 204,
        conflict: Some("The configuration manages the site."),
        summary: "Remove a site that was added.",
        ..WRITE
    },
    Line {
        run: |call| pages::list(call).boxed(),
        schemas: pages::schemas,
        tag: "sites",
        id: "sites.pages.list",
        path: "/api/sites/{siteId}/pages",
        summary: "List the pages of a site.",
        ..READ
    },
    Line {
        run: |call| deployments::list(call).boxed(),
        schemas: deployments::schemas,
        tag: "deployments",
        id: "sites.deployments.list",
        path: "/api/sites/{siteId}/deployments",
        summary: "List the deployments of a site, newest first.",
        ..READ
    },
    Line {
        run: |call| deployments::activate(call).boxed(),
        schemas: deployments::schemas_of_one,
        tag: "deployments",
        id: "sites.deployments.activate",
        method: "POST",
        path: "/api/sites/{siteId}/deployments/{deploymentId}/activate",
        scope: Some("deploy:write"),
        largest_body: 0,
        summary: "Make an earlier deployment the one that readers get.",
        ..WRITE
    },
    Line {
        run: |call| publish::trigger(call).boxed(),
        schemas: publish::schemas,
        tag: "deployments",
        id: "sites.publish.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/publish/{target}",
        scope: Some("publish:write"),
        takes_key: true,
        status: 202,
        gives_location: true,
        conflict: Some("The idempotency key stands for another request."),
        largest_body: 0,
        takes_query: true,
        summary: "Start a run that brings a deployment to a host, the newest one if none is named.",
        ..WRITE
    },
    Line {
        run: |call| ready(publish::list(call)).boxed(),
        schemas: publish::schemas_of_list,
        tag: "deployments",
        id: "sites.publish.list",
        path: "/api/sites/{siteId}/publish",
        summary: "List the hosts that a site is brought to.",
        ..READ
    },
    Line {
        run: |call| publish::difference(call).boxed(),
        schemas: publish::schemas_of_difference,
        tag: "deployments",
        id: "sites.publish.get",
        path: "/api/sites/{siteId}/publish/{target}",
        scope: Some("publish:write"),
        summary: "Get what publishing would change at a host; nothing is sent.",
        ..READ
    },
    Line {
        run: |call| audit::get(call).boxed(),
        schemas: audit::schemas,
        tag: "sites",
        id: "sites.audit.get",
        path: "/api/sites/{siteId}/audit",
        scope: Some(ADMIN_READ),
        may_be_absent: true,
        summary: "Get what the last audit found, and what of it is new.",
        ..READ
    },
    Line {
        run: |call| ordered::on_published(call, RunKind::Audit).boxed(),
        schemas: ordered::schemas,
        tag: "sites",
        id: "sites.audit.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/audit",
        scope: Some("crawl:write"),
        takes_key: true,
        status: 202,
        gives_location: true,
        conflict: Some("The idempotency key stands for another request."),
        largest_body: 0,
        summary: "Start a run that looks for what is wrong with the published pages.",
        ..WRITE
    },
    Line {
        run: |call| ordered::on_published(call, RunKind::Render).boxed(),
        schemas: ordered::schemas,
        tag: "translations",
        id: "sites.render.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/render",
        scope: Some(segments::REVIEW),
        or_scope: Some("crawl:write"),
        takes_key: true,
        status: 202,
        gives_location: true,
        conflict: Some("The idempotency key stands for another request."),
        largest_body: 0,
        summary: "Start a run that publishes edits of people, without a crawl and without engines.",
        ..WRITE
    },
    Line {
        run: |call| usage::get(call).boxed(),
        schemas: usage::schemas,
        tag: "cost",
        id: "sites.usage.get",
        path: "/api/sites/{siteId}/usage",
        summary: "Get the characters sent to engines for a site by month, and the budget left.",
        ..READ
    },
    Line {
        run: |call| explanation::get(call).boxed(),
        schemas: explanation::schemas,
        tag: "sites",
        id: "sites.explanation.get",
        path: "/api/sites/{siteId}/explanation",
        summary: "Get where the texts of a page come from, and why some are in the source language.",
        ..READ
    },
    Line {
        run: |call| export::get(call).boxed(),
        schemas: export::schemas,
        tag: "locales",
        id: "locales.translations.export",
        path: "/api/sites/{siteId}/locales/{targetLang}/translations",
        summary: "Get a PO file for translators, with the translations that are there.",
        ..READ
    },
    Line {
        run: |call| segments::list(call).boxed(),
        schemas: segments::schemas_of_list,
        tag: "translations",
        id: "segments.list",
        path: "/api/sites/{siteId}/locales/{targetLang}/segments",
        scope: Some(TRANSLATIONS),
        summary: "List and search the texts of a site with their translations in a language.",
        ..READ
    },
    Line {
        run: |call| segments::get(call).boxed(),
        schemas: segments::schemas_of_one,
        tag: "translations",
        id: "segments.get",
        path: "/api/sites/{siteId}/locales/{targetLang}/segments/{segmentId}",
        scope: Some(TRANSLATIONS),
        summary: "Get a text with its translation, its codes and the texts around it.",
        ..READ
    },
    Line {
        run: |call| segments::put(call).boxed(),
        schemas: segments::schemas_of_put,
        tag: "translations",
        id: "segments.put",
        method: "PUT",
        path: "/api/sites/{siteId}/locales/{targetLang}/segments/{segmentId}",
        scope: Some("translations:write"),
        version: Version::Header,
        rate: Rate::Edit,
        conflict: Some("The words are locked."),
        summary: "Write the translation of a text, if it has not changed since you read it.",
        ..WRITE
    },
    Line {
        run: |call| segments::act(call).boxed(),
        schemas: segments::schemas_of_act,
        tag: "translations",
        id: "segments.act",
        method: "POST",
        path: "/api/sites/{siteId}/locales/{targetLang}/segments/actions",
        scope: Some(segments::REVIEW),
        version: Version::Field,
        summary: "Approve, reject, lock or unlock several texts, or replace words in them.",
        ..WRITE
    },
    Line {
        run: |call| segments::undo(call).boxed(),
        schemas: segments::schemas_of_undo,
        tag: "translations",
        id: "segments.undo",
        method: "POST",
        path: "/api/sites/{siteId}/locales/{targetLang}/segments/undo",
        scope: Some(segments::REVIEW),
        summary: "Bring back the words before a batch of edits, or before the edits of a person.",
        ..WRITE
    },
    Line {
        run: |call| segments::list_of_site(call).boxed(),
        schemas: segments::schemas_of_site,
        tag: "translations",
        id: "sites.segments.list",
        path: "/api/sites/{siteId}/segments",
        scope: Some(TRANSLATIONS),
        summary: "List and search the texts of a site with their translations in all languages.",
        ..READ
    },
    Line {
        run: |call| plan::trigger(call).boxed(),
        schemas: plan::schemas,
        tag: "cost",
        id: "sites.plan.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/plan",
        scope: Some("crawl:write"),
        takes_key: true,
        status: 202,
        gives_location: true,
        conflict: Some("The idempotency key stands for another request."),
        crawls: true,
        summary: "Start a run that estimates the cost of crawling and translating, without calling an engine.",
        ..WRITE
    },
    Line {
        run: |call| crawl::trigger(call).boxed(),
        schemas: crawl::schemas,
        tag: "runs",
        id: "sites.crawl_translate.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/crawl-translate",
        scope: Some("crawl:write"),
        rate: Rate::Crawl,
        takes_key: true,
        status: 202,
        gives_location: true,
        conflict: Some("The idempotency key stands for another request."),
        crawls: true,
        summary: "Start crawling and translating a site.",
        ..READ
    },
    Line {
        run: |call| serve::switch(call).boxed(),
        schemas: serve::schemas,
        tag: "locales",
        id: "sites.locales.serve",
        method: "POST",
        path: "/api/sites/{siteId}/locales/{targetLang}/serve",
        scope: Some("serve:write"),
        gives_location: true,
        summary: "Enable or disable serving of a locale.",
        ..WRITE
    },
    Line {
        run: |call| runs::list(call).boxed(),
        schemas: runs::schemas_of_list,
        tag: "runs",
        id: "sites.runs.list",
        path: "/api/sites/{siteId}/runs",
        summary: "List the runs of a site, newest first.",
        ..READ
    },
    Line {
        run: |call| runs::get(call).boxed(),
        schemas: runs::schemas_of_one,
        tag: "runs",
        id: "sites.runs.get",
        path: "/api/sites/{siteId}/runs/{runId}",
        summary: "Get a run.",
        ..READ
    },
    Line {
        run: |call| runs::stream(call).boxed(),
        schemas: runs::schemas_of_stream,
        tag: "runs",
        id: "sites.runs.stream",
        path: "/api/sites/{siteId}/runs/{runId}/stream",
        rate: Rate::Stream,
        streams: true,
        summary: "Follow a run until it is over.",
        ..READ
    },
    Line {
        run: |call| runs::cancel(call).boxed(),
        schemas: runs::schemas_of_one,
        tag: "runs",
        id: "sites.runs.cancel",
        method: "POST",
        path: "/api/sites/{siteId}/runs/{runId}/cancel",
        scope: Some("crawl:write"),
        largest_body: 0,
        conflict: Some("The run is over."),
        summary: "Stop a run.",
        ..WRITE
    },
    Line {
        run: |call| accept::order(call).boxed(),
        schemas: accept::schemas,
        tag: "runs",
        id: "sites.runs.accept",
        method: "POST",
        path: "/api/sites/{siteId}/runs/{runId}/accept",
        scope: Some("crawl:write"),
        takes_key: true,
        status: 202,
        gives_location: true,
        largest_body: 0,
        conflict: Some(
            "The run did not find its source suspect, or that was accepted already, or the idempotency key stands for another request.",
        ),
        summary: "Start a run that takes the source as this run saw it.",
        ..WRITE
    },
    Line {
        run: |call| summary::list(call).boxed(),
        schemas: summary::schemas_of_list,
        tag: "summaries",
        id: "sites.translationSummaries.list",
        path: "/api/sites/{siteId}/translation-summaries",
        summary: "List translation summaries of a site.",
        ..READ
    },
    Line {
        run: |call| summary::put(call).boxed(),
        schemas: summary::schemas_of_put,
        tag: "summaries",
        id: "sites.locales.translationSummary.put",
        method: "PUT",
        path: "/api/sites/{siteId}/locales/{targetLang}/translation-summary",
        scope: Some("summary:write"),
        summary: "Store the translation summary of a locale.",
        ..WRITE
    },
    Line {
        run: |call| snippets::get(call).boxed(),
        schemas: snippets::schemas,
        tag: "locales",
        id: "sites.switcherSnippets.get",
        path: "/api/sites/{siteId}/switcher-snippets",
        summary: "Get the switcher snippets of a site.",
        ..READ
    },
    Line {
        run: |call| reports::list(call).boxed(),
        schemas: reports::schemas_of_list,
        tag: "reports",
        id: "sites.reports.list",
        path: "/api/sites/{siteId}/reports",
        summary: "List the texts that readers' browsers told of because no dictionary knows them.",
        ..READ
    },
    Line {
        run: |call| reports::take(call).boxed(),
        schemas: reports::schemas,
        tag: "reports",
        id: "sites.reports.take",
        method: "POST",
        path: "/api/sites/{siteId}/reports/take",
        scope: Some("crawl:write"),
        summary: "Have texts of readers' reports translated from the next build on.",
        ..WRITE
    },
    Line {
        run: |call| reports::drop(call).boxed(),
        schemas: reports::schemas,
        tag: "reports",
        id: "sites.reports.drop",
        method: "POST",
        path: "/api/sites/{siteId}/reports/drop",
        scope: Some("crawl:write"),
        summary: "Drop texts of readers' reports.",
        ..WRITE
    },
    Line {
        run: |call| digest::subscribe(call).boxed(),
        schemas: digest::schemas,
        tag: "digests",
        id: "digests.subscription.upsert",
        method: "PUT",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        summary: "Create or replace the digest subscription.",
        ..WRITE
    },
    Line {
        run: |call| next_digest::get(call).boxed(),
        schemas: next_digest::schemas,
        tag: "digests",
        id: "digests.next.get",
        path: "/api/digests/next",
        scope: Some("digest:write"),
        summary: "Get the next digest of the token's subject.",
        ..READ
    },
    Line {
        run: |call| mail::settings(call).boxed(),
        schemas: mail::schemas_of_settings,
        tag: "digests",
        id: "digests.settings.get",
        path: "/api/digests/settings",
        scope: Some("digest:write"),
        summary: "Get when and where the token's subject gets digests.",
        ..READ
    },
    Line {
        run: |call| mail::update(call).boxed(),
        schemas: mail::schemas_of_update,
        tag: "digests",
        id: "digests.settings.update",
        method: "PUT",
        path: "/api/digests/settings",
        scope: Some("digest:write"),
        summary: "Set the time zone and the language of the token subject's digests.",
        ..WRITE
    },
    Line {
        run: |call| mail::mails(call).boxed(),
        schemas: mail::schemas_of_list,
        tag: "digests",
        id: "digests.mails.list",
        path: "/api/digests/mails",
        scope: Some("digest:write"),
        summary: "List the mails that were sent to the token's subject.",
        ..READ
    },
    Line {
        run: |call| digest::get(call).boxed(),
        schemas: digest::schemas_of_one,
        tag: "digests",
        id: "digests.subscription.get",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        may_be_absent: true,
        summary: "Get the digest subscription of the token's subject.",
        ..READ
    },
    Line {
        run: |call| digest::unsubscribe(call).boxed(),
        schemas: digest::schemas_of_delete,
        tag: "digests",
        id: "digests.subscription.delete",
        method: "DELETE",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        status: 204,
        may_be_absent: true,
        summary: "Remove the digest subscription of the token's subject.",
        ..WRITE
    },
    Line {
        run: |call| previews::order(call).boxed(),
        schemas: previews::schemas_of_order,
        tag: "previews",
        id: "previews.create",
        method: "POST",
        path: "/api/previews",
        scope: Some("preview:write"),
        key: Key::Preview,
        rate: Rate::Preview,
        status: 202,
        gives_location: true,
        largest_body: 16 << 10,
        summary: "Create a preview of a page.",
        ..READ
    },
    Line {
        run: |call| previews::list(call).boxed(),
        schemas: previews::schemas_of_list,
        tag: "previews",
        id: "previews.list",
        path: "/api/previews",
        scope: Some("preview:write"),
        or_scope: Some("sites:read"),
        summary: "List the previews that the token's subject ordered, newest first.",
        ..READ
    },
    Line {
        run: |call| previews::delete(call).boxed(),
        schemas: previews::schemas_of_delete,
        tag: "previews",
        id: "previews.delete",
        method: "DELETE",
        path: "/api/previews/{previewId}",
        scope: Some("preview:write"),
        status: 204,
        summary: "Remove a preview and its page.",
        ..WRITE
    },
    Line {
        run: |call| previews::get(call).boxed(),
        schemas: previews::schemas_of_one,
        tag: "previews",
        id: "previews.get",
        path: "/api/previews/{previewId}",
        or_scope: Some("preview:write"),
        key: Key::PreviewStatus,
        rate: Rate::PreviewStatus,
        summary: "Get the status of a preview.",
        ..READ
    },
    Line {
        run: |call| previews::stream(call).boxed(),
        schemas: previews::schemas_of_stream,
        tag: "previews",
        id: "previews.stream",
        path: "/api/previews/{previewId}/stream",
        or_scope: Some("preview:write"),
        key: Key::PreviewStatus,
        rate: Rate::Stream,
        streams: true,
        summary: "Follow a preview until it is over.",
        ..READ
    },
    Line {
        run: |call| webhooks::list(call).boxed(),
        schemas: webhooks::schemas_of_list,
        tag: "webhooks",
        id: "sites.webhooks.list",
        path: "/api/sites/{siteId}/webhooks",
        scope: Some(WEBHOOKS),
        summary: "List the endpoints that are told of what happens to a site.",
        ..READ
    },
    Line {
        run: |call| webhooks::create(call).boxed(),
        schemas: webhooks::schemas_of_put,
        tag: "webhooks",
        id: "sites.webhooks.create",
        method: "POST",
        path: "/api/sites/{siteId}/webhooks",
        scope: Some(WEBHOOKS),
        status: 201,
        gives_location: true,
        conflict: Some("The site has ten endpoints."),
        summary: "Add an endpoint, and get its secret.",
        ..WRITE
    },
    Line {
        run: |call| webhooks::get(call).boxed(),
        schemas: webhooks::schemas_of_one,
        tag: "webhooks",
        id: "sites.webhooks.get",
        path: "/api/sites/{siteId}/webhooks/{webhookId}",
        scope: Some(WEBHOOKS),
        summary: "Get an endpoint.",
        ..READ
    },
    Line {
        run: |call| webhooks::put(call).boxed(),
        schemas: webhooks::schemas_of_put,
        tag: "webhooks",
        id: "sites.webhooks.put",
        method: "PUT",
        path: "/api/sites/{siteId}/webhooks/{webhookId}",
        scope: Some(WEBHOOKS),
        summary: "Replace the settings of an endpoint, or switch it on or off.",
        ..WRITE
    },
    Line {
        run: |call| webhooks::delete(call).boxed(),
        schemas: Schemas::default,
        tag: "webhooks",
        id: "sites.webhooks.delete",
        method: "DELETE",
        path: "/api/sites/{siteId}/webhooks/{webhookId}",
        scope: Some(WEBHOOKS),
        status: 204,
        summary: "Remove an endpoint, with all that was to be brought to it.",
        ..WRITE
    },
    Line {
        run: |call| webhooks::rotate(call).boxed(),
        schemas: webhooks::schemas_of_one,
        tag: "webhooks",
        id: "sites.webhooks.secret.rotate",
        method: "POST",
        path: "/api/sites/{siteId}/webhooks/{webhookId}/secret",
        scope: Some(WEBHOOKS),
        largest_body: 0,
        summary: "Replace the secret of an endpoint; the one before signs too for 24 hours.",
        ..WRITE
    },
    Line {
        run: |call| webhooks::test(call).boxed(),
        schemas: webhooks::schemas_of_test,
        tag: "webhooks",
        id: "sites.webhooks.test",
        method: "POST",
        path: "/api/sites/{siteId}/webhooks/{webhookId}/test",
        scope: Some(WEBHOOKS),
        largest_body: 0,
        summary: "Send a test to an endpoint at once.",
        ..WRITE
    },
    Line {
        run: |call| deliveries::list(call).boxed(),
        schemas: deliveries::schemas_of_list,
        tag: "webhooks",
        id: "sites.webhooks.deliveries.list",
        path: "/api/sites/{siteId}/webhooks/{webhookId}/deliveries",
        scope: Some(WEBHOOKS),
        summary: "List what was brought to an endpoint and what was not, newest first.",
        ..READ
    },
    Line {
        run: |call| deliveries::redeliver(call).boxed(),
        schemas: deliveries::schemas_of_one,
        tag: "webhooks",
        id: "sites.webhooks.deliveries.redeliver",
        method: "POST",
        path: "/api/sites/{siteId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
        scope: Some(WEBHOOKS),
        status: 202,
        largest_body: 0,
        conflict: Some("The endpoint is off."),
        summary: "Send a message once more.",
        ..WRITE
    },
    Line {
        run: |call| deliveries::redeliver_all(call).boxed(),
        schemas: deliveries::schemas_of_all,
        tag: "webhooks",
        id: "sites.webhooks.redeliver",
        method: "POST",
        path: "/api/sites/{siteId}/webhooks/{webhookId}/redeliver",
        scope: Some(WEBHOOKS),
        status: 202,
        conflict: Some("The endpoint is off."),
        summary: "Send again what did not arrive.",
        ..WRITE
    },
    Line {
        run: |call| doctor::run(call).boxed(),
        schemas: doctor::schemas,
        tag: "meta",
        id: "server.doctor.run",
        method: "POST",
        path: "/api/doctor",
        scope: Some(ADMIN_READ),
        all_sites: true,
        largest_body: 0,
        summary: "Look for what is wrong with the configuration, engines and stores.",
        ..WRITE
    },
    Line {
        run: |call| account::get(call).boxed(),
        schemas: account::schemas,
        tag: "cost",
        id: "me.get",
        path: "/api/me",
        scope: None,
        summary: "Get the token's permissions and the limits left.",
        ..READ
    },
    Line {
        run: |call| engines::list(call).boxed(),
        schemas: engines::schemas,
        tag: "cost",
        id: "engines.list",
        path: "/api/engines",
        or_scope: Some("admin:read"),
        summary: "List the engines that sites may name.",
        ..READ
    },
    Line {
        run: |call| reload::reload(call).boxed(),
        schemas: reload::schemas,
        tag: "meta",
        id: "server.reload",
        method: "POST",
        path: "/api/reload",
        scope: Some("admin:write"),
        all_sites: true,
        largest_body: 0,
        conflict: Some("The configuration is wrong; nothing was changed."),
        summary: "Read the server's configuration, keys, tokens and sites again.",
        ..WRITE
    },
];

/// The scopes that operations ask for, each once.
pub fn scopes() -> Vec<&'static str> {
    let mut scopes: Vec<_> = OPERATIONS
        .iter()
        .flat_map(|line| [line.scope, line.or_scope])
        .flatten()
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
