// The smallest receiver that is safe: it reads the raw body, verifies, then answers 2xx.
//
//   SECRET=whsec_… node examples/receiver.mjs        listens on http://localhost:3000
//
// No packages needed. With the npm package `standardwebhooks` the check is one line:
//   new Webhook(process.env.SECRET).verify(body, request.headers)

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);
const host = process.env.HOST ?? 'localhost'; // In a pod: 0.0.0.0
const seen = new Set(); // In your code: a table whose key is the event's id.

if (!secret) throw new Error('SECRET is not set: whoever knows an empty one could sign');

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks); // The bytes as they came: parsing first would change them.
    if (!isGenuine(body, request.headers)) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(204).end(); // Within 10 s, so before any slow work.
    const event = JSON.parse(body.toString());
    if (seen.has(event.id)) return; // At least once means: sometimes twice.
    seen.add(event.id);
    console.log(event.type, event.id, event.data);
  });
}).listen(port, host, () => console.log(`listening on http://${host}:${port}`));

/**
 * parley-signature: lower-case hex HMAC-SHA256 of the raw body, keyed with the secret as shown.
 * While a secret is being replaced, parley-signature-next is made with the new one: a receiver
 * that has either of the two accepts, so that it can be changed at any time of the overlap.
 */
function isGenuine(body, headers) {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  return ['parley-signature', 'parley-signature-next'].some((name) => {
    const given = Buffer.from(headers[name] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
