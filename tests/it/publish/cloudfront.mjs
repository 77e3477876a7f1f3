// CloudFront before a bucket, as AWS documents it: an event for the function, which gives a request or a response.
//
//   node cloudfront.mjs FUNCTION DATA BUCKET TYPES
//
// BUCKET is the folder of the files, TYPES what was said about each. Prints the port that it listens on.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const [functionFile, dataFile, bucket, typesFile] = process.argv.slice(2);
const read = (file) => fs.readFileSync(file, 'utf8');
const pairs = new Map();
for (const { key, value } of dataFile === '-' ? [] : JSON.parse(read(dataFile)).data) {
    if (pairs.has(key) || key.length > 512 || value.length > 1024 || key === '' || value === '') throw new Error(`bad pair ${key}`);
    pairs.set(key, value);
}
const kvs = {
    exists: async (key) => pairs.has(key),
    get: async (key) => {
        if (!pairs.has(key)) throw new Error(`KeyNotFound: ${key}`);
        return pairs.get(key);
    },
};
const code = read(functionFile);
if (Buffer.byteLength(code) > 10240) throw new Error('the function is too large');
const handler = new Function('cf', `${code.replace("import cf from 'cloudfront';", '')}\nreturn handler;`)({ kvs: () => kvs });
const said = Object.entries(JSON.parse(read(typesFile)));
const types = Object.fromEntries(said.map(([name, type]) => [decodeURIComponent(name), type]));

function event(request) {
    const [uri, query] = request.url.split(/\?(.*)/s);
    const querystring = {};
    for (const part of (query ?? '').split('&').filter(Boolean)) {
        const [name, value = ''] = part.split(/=(.*)/s);
        const known = querystring[name];
        if (known) (known.multiValue ??= [{ value: known.value }]).push({ value });
        else querystring[name] = { value };
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, { value }]));
    const context = { distributionDomainName: 'd1.cloudfront.net', distributionId: 'E1', eventType: 'viewer-request', requestId: '1' };
    const viewer = { ip: '192.0.2.1' };
    return { version: '1.0', context, viewer, request: { method: request.method, uri, querystring, headers, cookies: {} } };
}

function respond(response, status, headers, body) {
    response.writeHead(status, { ...headers, 'content-length': body.length });
    response.end(body);
}

http.createServer(async (request, response) => {
    const answer = await handler(event(request));
    if (answer.statusCode) {
        const headers = Object.fromEntries(Object.entries(answer.headers ?? {}).map(([name, { value }]) => [name, value]));
        if (answer.body && answer.body.encoding !== 'text') throw new Error('what encoding is this?');
        return respond(response, answer.statusCode, headers, Buffer.from(answer.body?.data ?? ''));
    }
    const name = decodeURIComponent(answer.uri).slice(1);
    const file = path.join(bucket, name);
    if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return respond(response, 403, {}, Buffer.from('AccessDenied'));
    return respond(response, 200, types[name] ? { 'content-type': types[name] } : {}, fs.readFileSync(file));
}).listen(0, '127.0.0.1', function () {
    console.log(this.address().port);
});
