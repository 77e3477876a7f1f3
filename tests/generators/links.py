"""Follows every link of a published site in every language: `links.py SOURCE PUBLISHED ADDRESS LANGUAGE…`.

SOURCE and PUBLISHED are the addresses of two servers, of the source's files as they are and of what was published; ADDRESS is the
public address of the site. A link is broken where it does not lead to a page or file (200, after redirects), or to a part of the
page that is there. Broken links that lead nowhere in the source either are counted and let pass. Exits with 1 where others are.
"""

import http.client
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

LINKS = {"href", "src", "poster", "data-src", "action"}
TRIES = 6


class Page(HTMLParser):
    """Links and places of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.base, self.refresh = [], set(), None, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "base" and named.get("href"):
            self.base = named["href"]
            return
        for name, value in attrs:
            if value is None:
                continue
            if name in LINKS and not (tag == "form" and named.get("method", "get").lower() != "get"):
                self.links.append((f"{tag} {name}", value.strip()))
            elif name in ("srcset", "imagesrcset"):
                for candidate in value.split(","):
                    self.links += [(f"{tag} {name}", word) for word in candidate.split()[:1]]
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)
        if tag == "meta" and named.get("http-equiv", "").lower() == "refresh":
            self.links.append(("meta refresh", named.get("content", "").partition("url=")[2].strip("'\" ")))


class Site:
    """What a server answers for the public address of a site."""

    def __init__(self, server, address):
        self.server, self.address = urlsplit(server), urlsplit(address)
        self.known = {}

    def is_own(self, url):
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.netloc == self.address.netloc

    def get(self, url):
        """Status, final address, type and text, after redirects."""
        url = urldefrag(url).url
        if url not in self.known:
            self.known[url] = self.ask(url)
        return self.known[url]

    def ask(self, url):
        for _ in range(TRIES):
            parts = urlsplit(url)
            connection = http.client.HTTPConnection(self.server.netloc, timeout=20)
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            path = "".join(c if c.isascii() and c > " " else "".join(f"%{byte:02X}" for byte in c.encode()) for c in path)
            connection.request("GET", path, headers={"Host": parts.netloc, "Connection": "close"})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            if answer.status in (301, 302, 307, 308):
                url = urljoin(url, answer.getheader("Location"))
                parts = urlsplit(url)
                if parts.netloc == self.server.netloc:
                    url = parts._replace(scheme=self.address.scheme, netloc=self.address.netloc).geturl()
                if not self.is_own(url):
                    return answer.status, url, "", ""
                continue
            return answer.status, url, answer.getheader("Content-Type") or "", body.decode("utf-8", "replace")
        return 310, url, "", ""

    def page(self, url):
        status, url, kind, text = self.get(url)
        return (url, Page(text)) if status == 200 and kind.startswith("text/html") else None

    def works(self, url):
        """Whether a link leads to something, and its fragment to a part of it."""
        status = self.get(url)[0]
        place = unquote(urldefrag(url).fragment)
        if status != 200 or not place or place in ("top", "main-content") or place.startswith((":~:", "/", "!")):
            return status == 200
        page = self.page(url)
        return page is None or place in page[1].places


def links(site, url, page):
    """The own addresses that a page leads to, each with what leads there."""
    base = urljoin(url, page.base) if page.base else url
    for how, link in page.links:
        if not link.startswith(("data:", "javascript:", "mailto:", "tel:", "blob:", "#!")):
            try:
                found = urljoin(base, link)
            except ValueError:
                continue
            if site.is_own(found):
                yield how, found


def walk(site, homes):
    """Every page that links lead to from these."""
    waiting, pages = list(homes), {}
    while waiting:
        found = site.page(waiting.pop())
        if found is None or found[0] in pages:
            continue
        url, page = found
        pages[url] = [(how, link) for how, link in links(site, url, page)]
        waiting += [urldefrag(link).url for _, link in pages[url] if urldefrag(link).url not in pages]
    return pages


def main(source, published, address, *languages):
    home = address.rstrip("/")
    source, published = Site(source, home), Site(published, home)
    prefixes = {language: f"{urlsplit(home).path}/{language}/" for language in languages}

    def of_source(url):
        path = urlsplit(url).path
        for prefix in prefixes.values():
            if (path + "/").startswith(prefix):
                path = urlsplit(home).path + "/" + path[len(prefix):]
        return urlsplit(url)._replace(path=path).geturl()

    before = walk(source, [home + "/"])
    homes = [home + "/"] + [home + "/" + language + "/" for language in languages]
    after = walk(published, homes)
    broken, old, followed = set(), set(), 0
    for url, all_links in after.items():
        for how, link in all_links:
            followed += 1
            if not published.works(link):
                (broken if source.works(of_source(link)) else old).add((how, link, url))
    # Every page of the source in every language, and what sitemaps name.
    for url in before:
        for prefix in prefixes.values():
            path = urlsplit(url).path
            local = prefix + path[len(urlsplit(home).path) + 1:]
            followed += 1
            if published.get(urlsplit(url)._replace(path=local).geturl())[0] != 200:
                broken.add(("page of the source", local, url))
    sitemaps, named = [home + "/sitemap.xml"], 0
    for sitemap in sitemaps:
        status, _, _, text = published.get(sitemap)
        if status != 200:
            continue
        for element in ElementTree.fromstring(text.encode()).iter():
            link = element.get("href") or (element.text or "").strip() if element.tag.endswith(("}loc", "}link")) else None
            if link and published.is_own(link):
                named += 1
                if element.tag.endswith("}loc") and link.endswith(".xml"):
                    sitemaps.append(link)
                if published.get(link)[0] != 200:
                    broken.add(("sitemap", link, sitemap))
    for how, link, url in sorted(broken)[:40]:
        print(f"broken: {how} {link} on {url}")
    print(
        f"{len(before)} pages of the source, {len(after)} published; {followed} links followed, {named} addresses of sitemaps; "
        f"{len(old)} lead nowhere in the source either; broken: {len(broken)}"
    )
    return 1 if broken or len(after) < len(before) * (1 + len(languages)) or not before else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
