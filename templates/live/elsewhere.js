    // Below the prefix of the language on a local server, the page needs the script that knows addresses, too.
    if (page.whole && location.pathname.startsWith(page.local)) return document.write(page.whole);
