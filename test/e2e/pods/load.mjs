// Load on the API from inside the cluster, by the clock whatever the answers take: RATE times a
// second for SECONDS, one event each and a read now and then. With ENDPOINT_ID they are test events to it,
// which no metric counts; with AGENT_ID conversations of it, each started by an event like any other. Prints
// what became of it as one line of JSON; `accepted` are the ids of the test events, or of the conversations.
import { Agent, request as http } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { PARLEY_URL: base, PARLEY_API_KEY: key, ENDPOINT_ID: endpoint } = process.env;
const { AGENT_ID: agentId } = process.env;
const [rate, seconds] = [Number(process.env.RATE), Number(process.env.SECONDS)];
const accepted = [];
const failures = [];

// A pool of kept connections, as services have one.
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

function request(method, path, json) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(json && { 'content-type': 'application/json' }),
  };
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
    outgoing.end(json && JSON.stringify(json));
  });
}

async function call(method, path, { expected, json }) {
  try {
    const { status, text } = await request(method, path, json);
    if (status === expected) return JSON.parse(text);
    failures.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
  } catch (error) {
    failures.push(`${method} ${path}: ${error.message}`);
  }
  return undefined;
}

async function makeEvent() {
  if (agentId) {
    const json = { agent_id: agentId };
    return (await call('POST', '/v1/conversations', { expected: 201, json }))?.id;
  }
  return (await call('POST', `/v1/webhooks/${endpoint}/test`, { expected: 202 }))?.event_id;
}

const running = [];
const startedMs = performance.now();
for (let i = 0; i < rate * seconds; i += 1) {
  while (performance.now() < startedMs + (i * 1000) / rate) await delay(1);
  running.push(makeEvent().then((id) => id && accepted.push(id)));
  if (i % 10 === 0) running.push(call('GET', '/v1/agents', { expected: 200 }));
}
await Promise.all(running);
const elapsedSec = (performance.now() - startedMs) / 1000;
console.log(JSON.stringify({ accepted, failures, elapsedSec }));
