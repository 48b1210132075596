// Load on the API from inside the cluster, by the clock whatever the answers take: RATE times a
// second for SECONDS, a test event and a read each. Prints what became of it as one line of JSON.
import { Agent, request as http } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { PARLEY_URL: base, PARLEY_API_KEY: key, ENDPOINT_ID: endpoint } = process.env;
const [rate, seconds] = [Number(process.env.RATE), Number(process.env.SECONDS)];
const headers = { authorization: `Bearer ${key}` };
const accepted = [];
const failures = [];

// A pool of kept connections, as services have one.
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

function request(method, path) {
  return new Promise((resolve, reject) => {
    const outgoing = http(new URL(path, base), { method, headers, agent, timeout: 30_000 });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in 30 s')));
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    outgoing.end();
  });
}

async function call(method, path, expected) {
  try {
    const { status, text } = await request(method, path);
    if (status === expected) return JSON.parse(text);
    failures.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
  } catch (error) {
    failures.push(`${method} ${path}: ${error.message}`);
  }
  return undefined;
}

const running = [];
const startedMs = performance.now();
for (let i = 0; i < rate * seconds; i += 1) {
  while (performance.now() < startedMs + (i * 1000) / rate) await delay(1);
  running.push(
    call('POST', `/v1/webhooks/${endpoint}/test`, 202).then(
      (answer) => answer && accepted.push(answer.event_id),
    ),
  );
  if (i % 10 === 0) running.push(call('GET', '/v1/agents', 200));
}
await Promise.all(running);
const elapsedSec = (performance.now() - startedMs) / 1000;
console.log(JSON.stringify({ accepted, failures, elapsedSec }));
