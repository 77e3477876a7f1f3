// Written by `latimer publish`: a CloudFront function for viewer requests (cloudfront-js-2.0). Its data is in the file
// beside it, for the key-value store that the function is associated with: an address with what it answers, or the name
// of a file, without a slash before it.
import cf from 'cloudfront';

const kvs = cf.kvs();
const site = {{ site }};

async function handler(event) {
    const request = event.request;
    if (request.uri.startsWith('//')) return answer(400, {});
    const uri = normal(request.uri);
    const spot = spotOf(uri);
    if (!spot) return answer(404, {});
    // The store holds no longer keys; beside an address, that of its index.html is looked for.
    if (uri.length > 500) return failed(request, 404, spot);
    const language = wanted(request, uri);
    if (language) return moved(request, 302, language);
    if (await kvs.exists(uri)) {
        const told = await kvs.get(uri);
        const status = Number(told.slice(0, 3));
        const to = told.slice(4);
        if (status === 200) return file(request, to);
        return to ? moved(request, status, to) : failed(request, status, spot);
    }
    return look(request, spot, uri.slice(spot.prefix.length));
}

// What a path of a language answers that is not told by itself.
async function look(request, spot, path) {
    const own = spot.prefix + path;
    const isPageName = path.endsWith('/index.html') || (site.clean && path.endsWith('.html'));
    if (path.endsWith('/')) {
        if (await has(own + 'index.html')) return file(request, own + 'index.html');
    } else if (!isPageName) {
        if (await has(own)) return file(request, own);
        if (site.clean && (await has(own + '.html'))) return file(request, own + '.html');
        if (await isShared(spot, path)) return file(request, spot.shared + path);
    }
    const stem = path.replace(/(\/index\.html|\/|\.html)$/, '');
    const page = spot.prefix + stem;
    if (await has(page + '/index.html')) return moved(request, 308, page + '/');
    if (stem) {
        const isThere = (await has(page)) || (site.clean && (await has(page + '.html')));
        if (isThere || (await isShared(spot, stem))) return moved(request, 308, page);
        if (await has(page + '.html')) return moved(request, 308, page + '.html');
    }
    return failed(request, 404, spot);
}

function has(uri) {
    return kvs.exists(uri.slice(1));
}

// Files that all languages share are found below the folder of each, too.
async function isShared(spot, path) {
    const uri = spot.shared + path;
    const isOfLanguage = (other) => other.prefix !== other.shared && uri.startsWith(other.prefix + '/');
    return !site.spots.some(isOfLanguage) && (await has(uri));
}

// The language to whose addresses a path belongs; those with the longest prefix stand first.
function spotOf(uri) {
    return site.spots.find((spot) => uri === spot.prefix || uri.startsWith(spot.prefix + '/'));
}

// An address in the one spelling in which addresses are compared.
function normal(uri) {
    const spell = (part) => encodeURIComponent(decodeURIComponent(part));
    const plain = (text) => text.replace(/%(24|26|2B|2C|3A|3B|3D|40)/g, (code) => decodeURIComponent(code));
    try {
        return uri.split('/').map((part) => plain(spell(part))).join('/');
    } catch (error) {
        return uri;
    }
}

// The address of the language that a reader of the home page wants, if it is another.
function wanted(request, uri) {
    const home = site.home;
    if (!home || uri !== home.uri || request.querystring.lang) return '';
    const said = (name) => (request.headers[name] ? request.headers[name].value : '');
    const from = said('referer').toLowerCase().split('/')[2];
    if (new RegExp(home.crawlers, 'i').test(said('user-agent')) || (from && from === said('host').toLowerCase())) return '';
    const ranges = said('accept-language').toLowerCase().split(',').map((range) => {
        const parts = range.split(';').map((part) => part.trim());
        const weight = parts.find((part) => part.startsWith('q='));
        return { tag: parts[0], weight: weight ? Number(weight.slice(2)) || 0 : 1 };
    });
    ranges.sort((one, other) => other.weight - one.weight);
    const isRefused = (tag) => ranges.some((range) => range.weight === 0 && (tag + '-').startsWith(range.tag + '-'));
    const open = home.languages.filter((language) => !isRefused(language.tag));
    for (let at = 0; at < ranges.length && ranges[at].weight > 0; at += 1) {
        const found = ranges[at].tag === '*' ? unnamed(open, ranges) : lookedUp(open, ranges[at].tag);
        if (found) return found.uri === home.uri ? '' : found.uri;
    }
    return '';
}

function isMeant(range, language) {
    return range.split('-')[0] === language.tag.split('-')[0];
}

function lookedUp(languages, range) {
    const same = languages.filter((language) => isMeant(range, language));
    for (let tag = range; tag; tag = tag.slice(0, Math.max(tag.lastIndexOf('-'), 0))) {
        const found = same.find((language) => language.tag === tag);
        if (found) return found;
    }
    return same[0];
}

function unnamed(languages, ranges) {
    const isNamed = (language) => ranges.some((range) => range.weight > 0 && isMeant(range.tag, language));
    return languages.find((language) => !isNamed(language));
}

function file(request, uri) {
    request.uri = uri;
    return request;
}

function moved(request, status, to) {
    const parts = [];
    for (const name in request.querystring) {
        const entry = request.querystring[name];
        (entry.multiValue || [entry]).forEach((one) => parts.push(one.value ? name + '=' + one.value : name));
    }
    return answer(status, { location: { value: to + (parts.length ? '?' + parts.join('&') : '') } });
}

// What is not found, or gone, in the words of its language.
async function failed(request, status, spot) {
    if (!spot.parts || request.method === 'HEAD') return answer(status, spot.parts ? { 'content-type': { value: spot.type } } : {});
    let data = '';
    for (let part = 0; part < spot.parts; part += 1) data += await kvs.get('404 ' + spot.prefix + ' ' + part);
    const response = answer(status, { 'content-type': { value: spot.type } });
    response.body = { encoding: 'text', data: data };
    return response;
}

function answer(status, headers) {
    headers['cache-control'] = { value: site.cache };
    return { statusCode: status, headers: headers };
}
