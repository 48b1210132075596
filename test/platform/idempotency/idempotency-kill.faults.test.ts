import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from 'pg';
import { freePort } from '../../free-port.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { createTestDatabase } from '../postgres/postgres.ts';
import { roundsOf } from '../../nightly.ts';
import { createSeeded } from '../../random/seeded.ts';

/**
 * In each round clients send POSTs, each with its own `Idempotency-Key`. The API process is killed at some moment, and
 * the clients repeat the same requests to the next process until they get an answer. Every change must have been made
 * exactly once, and repeating a request must return the same answer.
 *
 * Runs FAULT_ROUNDS rounds. FAULT_SEED decides the moment of the kill, but not the progress of the requests. In the
 * first round the process dies with a pending answer, so that at least one request is cut.
 */
const ROUNDS = roundsOf(1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
/** Clients of each kind, except the last two kinds, whose requests are sequential. */
const CLIENTS = 3;
const KINDS_OF_CLIENTS = 4;
/** Answers before the requests of the first round. */
const ANSWERS_BEFORE = 3 + ROUNDS;

type Answered = { status: number; text: string; replayed: boolean };
type Request = { kind: string; path: string; key: string; json: unknown };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: Client;
let operator: Parley;
let api: Parley;
let url: string;

beforeEach(async () => {
  database = await createTestDatabase();
  admin = new Client(database.url);
  await admin.connect();
  operator = await startRole('operator', { databaseUrl: database.url, env: {} });
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const nth = 1 + createSeeded(SEED).below(CLIENTS * KINDS_OF_CLIENTS);
  api = await startApi(`api.answering=kill@${ANSWERS_BEFORE + nth}`);
}, 60_000);

afterEach(async () => {
  await api.stop();
  await operator.stop();
  await admin.end();
  await database.drop();
});

function startApi(failpoints = ''): Promise<Parley> {
  const env = {
    PARLEY_PORT: new URL(url).port,
    PARLEY_RATE_LIMIT: '0',
    PARLEY_FAILPOINTS: failpoints,
  };
  return startRole('api', { databaseUrl: database.url, env });
}

test(
  'F-06 F-31: whenever the API dies, what was asked for is done once and answered the same ever after',
  async () => {
    const seeded = createSeeded(SEED);
    const done: { request: Request; answer: Answered }[] = [];
    const subjects = await makeSubjects();
    let cut = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      let back = (): void => undefined;
      const isBack = new Promise<void>((resolve) => {
        back = resolve;
      });
      const requests = requestsOf(round, subjects);
      let answered = 0;
      const killed = Promise.withResolvers<void>();
      // The kill comes after this number of answers, while the others are in progress.
      const killAt = 1 + seeded.below(requests.length - 4);
      const answering = requests.map(async (request) => {
        const answer = await untilAnswered(request, isBack);
        if ((answered += 1) === killAt) killed.resolve();
        return answer;
      });
      if (round === 0) expect(await api.exited).toEqual([null]);
      else {
        await killed.promise;
        await api.kill();
      }
      api = await startApi();
      await passMinute();
      back();
      const answers = await Promise.all(answering);
      answers.forEach(({ tries, ...answer }, i) => {
        if (tries > 1) cut += 1;
        done.push({ request: requests[i]!, answer });
      });
    }
    console.info(`seed ${SEED}: ${done.length} requests, ${cut} repeated, over ${ROUNDS} kills`);
    expect(cut).toBeGreaterThan(0); // Otherwise the test has tried nothing.

    for (const { request, answer } of done) {
      if (answer.status >= 300) throw new Error(`${request.kind}: ${answer.text}`);
      const again = await send(request);
      expect(again).toEqual({ ...answer, replayed: true });
    }
    const of = (kind: string): { body: Record<string, never>; request: Request }[] =>
      done
        .filter(({ request }) => request.kind === kind)
        .map(({ request, answer }) => ({ request, body: JSON.parse(answer.text) }));
    const ids = (kind: string, field = 'id'): string[] =>
      of(kind)
        .map(({ body }) => String(body[field]))
        .sort();
    const { agent, endpoint, versions, conversation } = subjects;
    expect(ids('agent')).toEqual(await everyId('/v1/agents', [agent]));
    expect(ids('endpoint')).toEqual(await everyId('/v1/webhooks', [endpoint]));
    expect(ids('key')).toEqual(await everyId('/v1/api_keys', await firstKeys()));
    const tests = await everyId(`/v1/webhooks/${endpoint}/deliveries`, []);
    expect(ids('test', 'delivery_id')).toEqual(tests);
    for (const { body } of of('key')) {
      const { status } = await call('GET', '/v1/agents', { key: String(body['key']) });
      expect(status).toBe(200);
    }
    const created = (await everyItem('/v1/audit_log?action=api_key.created')).map((l) => l.target);
    expect(created.filter((target) => ids('key').includes(target)).sort()).toEqual(ids('key'));
    // One step back for each rollback, in order.
    expect(of('rollback').map(({ body }) => body['active_version'])).toEqual(
      Array.from({ length: ROUNDS }, (_, i) => versions - 1 - i),
    );
    const transcript = await call('GET', `/v1/conversations/${conversation}/transcript`);
    const said = transcript.body.turns.filter((turn: { role: string }) => turn.role === 'user');
    expect(said.map((turn: { text: string }) => turn.text)).toEqual(
      of('message').map(({ request }) => (request.json as { text: string }).text),
    );
    const { rows } = await admin.query('select 1 from idempotency_marks where answer is null');
    expect(rows).toEqual([]);
  },
  60_000 + ROUNDS * 20_000,
);

type Subjects = { agent: string; endpoint: string; conversation: string; versions: number };

/** Creates the objects of the requests. The agent has a version to roll back for each round. */
async function makeSubjects(): Promise<Subjects> {
  const versions = ROUNDS + 1;
  const agent = await call('POST', '/v1/agents', { json: { prompt: 'v1', name: 'veteran' } });
  for (let version = 2; version <= versions; version += 1) {
    const json = { prompt: `v${version}` };
    await call('PATCH', `/v1/agents/${agent.body.id}`, { json });
  }
  // The subscribed event does not occur here, so the endpoint gets test events only.
  const json = { url: 'https://example.com/', event_types: ['knowledge.source.synced'] };
  const endpoint = await call('POST', '/v1/webhooks', { json });
  const conversation = await call('POST', '/v1/conversations', {
    json: { agent_id: agent.body.id },
  });
  expect([agent.status, endpoint.status, conversation.status]).toEqual([201, 201, 201]);
  return {
    agent: agent.body.id,
    endpoint: endpoint.body.id,
    conversation: conversation.body.id,
    versions,
  };
}

function requestsOf(round: number, subjects: Subjects): Request[] {
  const url = `https://example.com/${round}`;
  const each = Array.from({ length: CLIENTS }, (_, i): Request[] => {
    const key = `${round}/${i}`;
    return [
      // All requests want the same name, so most get a suffix.
      { kind: 'agent', path: '/v1/agents', key, json: { prompt: 'x', display_name: 'Twin' } },
      { kind: 'endpoint', path: '/v1/webhooks', key, json: { url, enabled: false } },
      { kind: 'test', path: `/v1/webhooks/${subjects.endpoint}/test`, key, json: {} },
      { kind: 'key', path: '/v1/api_keys', key, json: { name: key, scopes: ['read'] } },
    ];
  });
  const key = `${round}`;
  return [
    ...each.flat(),
    { kind: 'rollback', path: `/v1/agents/${subjects.agent}/rollback`, key, json: {} },
    {
      kind: 'message',
      path: `/v1/conversations/${subjects.conversation}/messages`,
      key,
      json: { text: `message ${round}` },
    },
  ];
}

/** Repeats a request until there is an answer, as a careful client does. */
async function untilAnswered(
  request: Request,
  isBack: Promise<void>,
): Promise<Answered & { tries: number }> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(request).catch(() => undefined);
    if (answer && answer.status < 500 && !isInProgress(answer)) return { ...answer, tries };
    await isBack;
    if (tries > 50) throw new Error(`${request.kind} ${request.key}: ${JSON.stringify(answer)}`);
    // The last statements of the dead process may have reached PostgreSQL after the test checked.
    if (answer) await passMinute();
  }
}

function isInProgress({ status, text }: Answered): boolean {
  return status === 409 && text.includes('idempotency_in_progress');
}

/** Expires the marks of the process that died. */
async function passMinute(): Promise<void> {
  await admin.query(
    `update idempotency_marks set claimed_at = claimed_at - interval '1 minute' where answer is null`,
  );
}

async function send({ path, key, json }: Request): Promise<Answered> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(json),
  });
  return {
    status: response.status,
    text: await response.text(),
    replayed: response.headers.has('idempotency-replayed'),
  };
}

// Tests assert each field of the answer that they need.
// oxlint-disable-next-line typescript/no-explicit-any
type Reply = { status: number; body: any };

async function call(
  method: string,
  path: string,
  { key = api.apiKey, json }: { key?: string; json?: unknown } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: await response.json() };
}

async function everyItem(path: string): Promise<{ id: string; target: string }[]> {
  const items: { id: string; target: string }[] = [];
  let cursor = '';
  do {
    const separator = path.includes('?') ? '&' : '?';
    const page = await call('GET', `${path}${separator}limit=100${cursor}`);
    items.push(...page.body.data);
    cursor = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`;
  } while (cursor !== '');
  return items;
}

/** Returns the sorted ids, without the earlier ones. */
async function everyId(path: string, before: readonly string[]): Promise<string[]> {
  const ids = (await everyItem(path)).map(({ id }) => id);
  return ids.filter((id) => !before.includes(id)).sort();
}

/** Returns the key of PARLEY_API_KEY, which is the oldest. */
async function firstKeys(): Promise<string[]> {
  return (await everyItem('/v1/api_keys')).slice(-1).map(({ id }) => id);
}
