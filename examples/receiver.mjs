// The smallest receiver that is safe: it reads the raw body, verifies, then answers 2xx.
//
//   SECRET=whsec_… node examples/receiver.mjs        listens on http://localhost:3000
//
// No packages needed. With the npm package `standardwebhooks` the check is one line:
//   new Webhook(process.env.SECRET).verify(body, request.headers)

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SECRET ?? '';
const seen = new Set();

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks); // The bytes as they came: parsing first would change them.
    if (!isGenuine(body, request.headers['parley-signature'])) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(204).end(); // Within 10 s, so before any slow work.
    const event = JSON.parse(body.toString());
    if (seen.has(event.id)) return; // At least once means: sometimes twice.
    seen.add(event.id);
    console.log(event.type, event.data);
  });
}).listen(3000, () => console.log('listening on http://localhost:3000'));

/** parley-signature: lower-case hex HMAC-SHA256 of the raw body, keyed with the secret as shown. */
function isGenuine(body, signature = '') {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
