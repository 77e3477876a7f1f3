// Azure's blob storage as Microsoft's emulator has it, with a container called `pages` that everybody may read.
//
//   node azurite.mjs AZURITE PORT KEY
//
// AZURITE is the folder of the npm package. Prints a line when the container is there.
import crypto from 'node:crypto';
import path from 'node:path';

const [azurite, port, key] = process.argv.slice(2);
const main = path.join(azurite, 'dist/src/blob/main.js');
const options = ['--blobHost', '127.0.0.1', '--blobPort', port, '--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry', '--silent'];
process.argv = [process.argv[0], main, ...options];
await import(main);

const account = 'devstoreaccount1';
const headers = { 'x-ms-blob-public-access': 'container', 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-08-06' };
const named = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`).join('');
const signed = `PUT${'\n'.repeat(12)}${named}/${account}/${account}/pages\nrestype:container`;
const signature = crypto.createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest('base64');
for (;;) {
    const authorization = `SharedKey ${account}:${signature}`;
    const url = `http://127.0.0.1:${port}/${account}/pages?restype=container`;
    const answer = await fetch(url, { method: 'PUT', headers: { ...headers, authorization } }).catch(() => null);
    if (answer && !answer.ok) throw new Error(await answer.text());
    if (answer) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
}
console.log('ready');
