"""Writes a site as exports of WordPress look: `wordpress.py FOLDER`. It is written by hand, no export of a real site.

Links name scheme and host throughout; pictures have `srcset` of uploads with sizes in their names; there are lists with pages,
categories, an author, comments and their anchors, feeds, short links with a query, oEmbed and an address with percent signs.
"""

import pathlib
import sys

HOME = "https://www.wordpress.test"
POSTS = [
    ("2026/03/hello-world", "Hello world", "Welcome to our small bakery by the harbour."),
    ("2026/04/rye-and-water", "Rye and water", "A dough of rye needs more water than you think."),
    ("2026/05/caf%C3%A9-notes", "Café notes", "What our guests say about the new coffee."),
    ("2026/06/summer-hours", "Summer hours", "In summer we open at six in the morning."),
]
PAGES = [("about", "About us", "We bake bread since 1987."), ("contact", "Contact", "Write to us or come by.")]


def page(path, title, body, kind="page"):
    menu = "".join(
        f'<li id="menu-item-{at}" class="menu-item"><a href="{HOME}/{to}">{name}</a></li>'
        for at, (to, name) in enumerate([("", "Home"), ("about/", "About us"), ("contact/", "Contact"), ("category/news/", "News")])
    )
    return f"""<!DOCTYPE html>
<html lang="en-US">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>{title} &#8211; Harbour Bakery</title>
<link rel="profile" href="https://gmpg.org/xfn/11" />
<link rel='dns-prefetch' href='//stats.wp.com' />
<link rel="alternate" type="application/rss+xml" title="Harbour Bakery &raquo; Feed" href="{HOME}/feed/" />
<link rel='stylesheet' id='theme-style-css' href='{HOME}/wp-content/themes/harbour/style.css?ver=1.4' media='all' />
<script src="{HOME}/wp-includes/js/jquery/jquery.min.js?ver=3.7.1" id="jquery-core-js"></script>
<link rel="https://api.w.org/" href="{HOME}/wp-json/" />
<link rel="canonical" href="{HOME}/{path}" />
<link rel='shortlink' href='{HOME}/?p=12' />
<meta property="og:url" content="{HOME}/{path}" />
<meta property="og:image" content="{HOME}/wp-content/uploads/2026/03/bread.jpg" />
<link rel="icon" href="{HOME}/wp-content/uploads/2026/03/icon-32x32.png" sizes="32x32" />
</head>
<body class="{kind} wp-embed-responsive">
<a class="skip-link screen-reader-text" href="#content">Skip to content</a>
<header><a href="{HOME}/" rel="home">Harbour Bakery</a><nav><ul id="primary-menu">{menu}</ul></nav></header>
<main id="content">
<h1 class="entry-title">{title}</h1>
{body}
</main>
<aside><h2>Recent posts</h2><ul>{"".join(f'<li><a href="{HOME}/{to}/">{name}</a></li>' for to, name, _ in POSTS)}</ul>
<form role="search" method="get" action="{HOME}/"><input type="search" name="s" placeholder="Search the site" /></form></aside>
<footer><a href="https://wordpress.org/">Proudly powered by WordPress</a></footer>
</body>
</html>
"""


def picture():
    upload = f"{HOME}/wp-content/uploads/2026/03/bread"
    return (
        f'<figure class="wp-block-image"><a href="{upload}.jpg"><img decoding="async" width="1024" height="683" src="{upload}-1024x683.jpg" '
        f'alt="A loaf of bread" srcset="{upload}-1024x683.jpg 1024w, {upload}-300x200.jpg 300w, {upload}.jpg 1600w" '
        f'sizes="(max-width: 1024px) 100vw, 1024px" /></a><figcaption class="wp-element-caption">Bread of the day</figcaption></figure>'
    )


def main(folder):
    def write(name, text):
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    for name in ["themes/harbour/style.css"] + [f"uploads/2026/03/{name}" for name in ["bread.jpg", "bread-1024x683.jpg", "bread-300x200.jpg", "icon-32x32.png"]]:
        write(f"wp-content/{name}", "body { background: url(../../uploads/2026/03/bread.jpg) }" if name.endswith("css") else "x")
    write("wp-includes/js/jquery/jquery.min.js", "/* */")
    write("wp-json/index.html", '{"name":"Harbour Bakery"}')
    for at, (path, title, words) in enumerate(POSTS):
        near = f'<nav class="post-navigation"><a href="{HOME}/{POSTS[at - 1][0]}/" rel="prev">{POSTS[at - 1][1]}</a></nav>'
        body = (
            f'<p><time datetime="2026-03-01T08:00:00+00:00">1 March 2026</time> by <a class="url fn n" href="{HOME}/author/ana/">Ana</a> in '
            f'<a href="{HOME}/category/news/" rel="category tag">News</a> &middot; <a href="{HOME}/{path}/#comments">2 comments</a></p>'
            f'<p>{words} <a href="../../../about/">More about us</a>, and <a href="/contact/">how to find us</a>.</p>{picture()}'
            f'<p><a href="#reply-2">The answer</a></p><div id="comments"><h2>2 thoughts</h2><p id="reply-1">Lovely!</p>'
            f'<p id="reply-2">See you soon. <a rel="nofollow" href="{HOME}/{path}/?replytocom=2#respond">Reply</a></p></div>'
            f'<div id="respond"></div>{near}'
        )
        # The folder of an export has the letters, and links the percent signs.
        write(f"{path.replace('%C3%A9', 'é')}/index.html", page(f"{path}/", title, body, "post"))
    for path, title, words in PAGES:
        write(f"{path}/index.html", page(f"{path}/", title, f"<p>{words}</p>{picture()}"))

    def listed(posts):
        return "".join(f'<article><h2><a href="{HOME}/{path}/">{title}</a></h2><p>{words} <a href="{HOME}/{path}/">Read on</a></p></article>' for path, title, words in posts)

    older = f'<nav class="pagination"><a class="next" href="{HOME}/page/2/">Older posts</a></nav>'
    newer = f'<nav class="pagination"><a class="prev" href="{HOME}/">Newer posts</a></nav>'
    write("index.html", page("", "Home", listed(POSTS[:2]) + older, "home blog"))
    write("page/2/index.html", page("page/2/", "Home", listed(POSTS[2:]) + newer, "blog paged"))
    write("category/news/index.html", page("category/news/", "News", listed(POSTS), "archive"))
    write("author/ana/index.html", page("author/ana/", "Ana", listed(POSTS), "archive author"))
    items = "".join(f"<item><title>{title}</title><link>{HOME}/{path}/</link><description>{words}</description></item>" for path, title, words in POSTS)
    feed = f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Harbour Bakery</title><link>{HOME}</link><description>Bread</description>{items}</channel></rss>'
    write("feed/index.xml", feed)
    urls = "".join(f"<url><loc>{HOME}/{path}</loc></url>" for path in [""] + [f"{path}/" for path, _, _ in POSTS + PAGES])
    write("sitemap.xml", f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>')
    write("404.html", page("404/", "Nothing here", "<p>That page cannot be found.</p>"))


main(sys.argv[1])
