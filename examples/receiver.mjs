// A minimal, safe webhook receiver. It reads the raw body, verifies the signature and then responds with 2xx.
//
//   SECRET=whsec_… node examples/receiver.mjs        listens on http://localhost:3000
//
// Needs no packages. With the npm package `standardwebhooks`, the check is one line:
//   new Webhook(process.env.SECRET).verify(body, request.headers)

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);
const host = process.env.HOST ?? 'localhost'; // In a pod: 0.0.0.0
const seen = new Set(); // In your code, use a table with the event's ID as its key.

if (!secret) throw new Error('SECRET is not set. With an empty secret, anybody could sign.');

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks); // The original bytes, because parsing would change them.
    if (!isGenuine(body, request.headers)) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(204).end(); // Responds before any slow work, because the limit is 10 s.
    const event = JSON.parse(body.toString());
    if (seen.has(event.id)) return; // Delivery is at least once, so an event can arrive twice.
    seen.add(event.id);
    console.log(event.type, event.id, event.data);
  });
}).listen(port, host, () => console.log(`listening on http://${host}:${port}`));

/**
 * Checks `parley-signature`, the lower-case hex HMAC-SHA256 of the raw body, keyed with the secret exactly as Parley
 * shows it. While a secret is being replaced, `parley-signature-next` is the signature with the new secret. A receiver
 * accepts either signature, so you can change its secret at any time during the overlap.
 */
function isGenuine(body, headers) {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  return ['parley-signature', 'parley-signature-next'].some((name) => {
    const given = Buffer.from(headers[name] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
