// A simulated shop that the tools in shop-assistant.yaml call.
//
//   node examples/shop.mjs        listens on http://localhost:4780
//
// `npm start` runs it too. It needs no packages. It shows everything that your own tool must do: read the arguments,
// verify the caller, perform each action only once, and respond with JSON that the model can read.
//
//   POST /orders/status  {"order": "T-1001"}
//   POST /returns        {"order": "T-1001", "reason": "too small"}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const BODY_BYTES_MAX = 64 * 1024;

const ORDERS = {
  'T-1001': { item: 'rain jacket, size M', status: 'delivered', delivered: '3 days ago' },
  'T-1002': { item: 'hiking boots, size 42', status: 'on its way', expected: 'tomorrow by 6 pm' },
  'T-1003': { item: 'tent for two', status: 'being packed', expected: 'in 3 days' },
};

/** Creates the shop as an HTTP server that does not listen yet. With a secret, it accepts only signed requests. */
export function createShop({ secret = '', log = () => undefined } = {}) {
  const returns = new Map();
  return createServer((request, response) => {
    const answer = (status, body) => {
      log(`${request.method} ${request.url} ${status}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    readBody(request).then(
      (body) => {
        if (secret !== '' && !isGenuine(secret, body, request.headers['parley-signature'])) {
          return answer(401, { error: 'the signature is missing or invalid' });
        }
        const route = request.method === 'POST' ? ROUTES[request.url] : undefined;
        if (!route) return answer(404, { error: `${request.url} does not exist` });
        const given = parse(body);
        if (!given) return answer(400, { error: 'the body is not a JSON object' });
        const callId = request.headers['parley-tool-call-id'];
        return answer(...route(given, { returns, callId }));
      },
      () => answer(413, { error: 'the body is too large' }),
    );
  });
}

const ROUTES = { '/orders/status': orderStatus, '/returns': startReturn };

function orderStatus({ order }) {
  const found = findOrder(order);
  return found ? [200, found] : [404, { error: `there is no order ${order}` }];
}

/** Starts a return. This has an effect, so it happens only once per tool call: a repeated call gets the same return. */
function startReturn({ order, reason }, { returns, callId }) {
  const found = findOrder(order);
  if (!found) return [404, { error: `there is no order ${order}` }];
  if (found.status !== 'delivered') {
    return [
      409,
      { error: `${found.order} is ${found.status}: it can be sent back once it is there` },
    ];
  }
  const key = `${callId} ${found.order}`;
  const known = returns.get(key);
  if (known) return [200, known];
  const number = `R-${5001 + returns.size}`;
  const made = { return: number, order: found.order, reason, label: 'sent by e-mail', days: 30 };
  returns.set(key, made);
  return [201, made];
}

function findOrder(order) {
  const number = String(order).toUpperCase();
  return Object.hasOwn(ORDERS, number) ? { order: number, ...ORDERS[number] } : undefined;
}

/** Checks the signature. Like the signature of an event, it is the lower-case hex HMAC-SHA256 of the raw body. */
function isGenuine(secret, body, signature = '') {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body) {
  try {
    const value = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.PORT ?? 4780);
  const host = process.env.HOST ?? 'localhost'; // In a pod: 0.0.0.0
  const log = (line) => console.log(line);
  createShop({ secret: process.env.SECRET, log }).listen(port, host, () =>
    console.log(`the shop listens on http://${host}:${port}`),
  );
}
