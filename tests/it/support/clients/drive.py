"""Four calls by a client that openapi-python-client made: address and token are the arguments."""

import json
import sys

from latimer_client import AuthenticatedClient
from latimer_client.api.locales import sites_locales_serve
from latimer_client.api.runs import sites_crawl_translate_trigger
from latimer_client.api.sites import sites_get, sites_list
from latimer_client.models import CrawlTranslateRequest, ServeRequest

with AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2]) as client:
    sites = sites_list.sync(client=client, limit=5)
    site = sites_get.sync("site", client=client)
    order = CrawlTranslateRequest(target_langs=["es"])
    run = sites_crawl_translate_trigger.sync("site", client=client, body=order)
    served = sites_locales_serve.sync("site", "es", client=client, body=ServeRequest(enabled=True))
    print(json.dumps([sites.total, site.source_locale, len(run.crawl_id), served.serving_status], separators=(",", ":")))
