import { setInterval as ticks } from 'node:timers/promises';
import { Pool } from 'undici';

/** User actions other than test events while versions change, with their failures. */
export type Load = {
  /** Returns the requests without a response or with an undocumented response. */
  failures: () => readonly string[];
  /** Returns the number of requests with a response, and the duration of the slowest in ms. */
  answered: () => { count: number; slowestMs: number };
  /** Returns the ended conversations, with their users' messages. */
  conversations: () => readonly Conversation[];
  /** Sends a request from the test and counts it like the others. Resolves to undefined if it fails. */
  ask: (request: Request) => Promise<Reply | undefined>;
  /** Returns the last acknowledged prompt. */
  prompt: () => string;
  /** Stops the load. Resolves when the pending actions are done. */
  stop: () => Promise<void>;
};

export type Conversation = { id: string; said: readonly string[] };
export type Request = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Response statuses that the contract allows for the request (contract/errors.md#statuses). */
  expected: readonly number[];
  json?: object;
  headers?: Record<string, string>;
  /** Replaces the load's own key. */
  apiKey?: string;
};
// Tests assert each field, as in parley-process.ts.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; body: any; replayed: boolean };

const USERS = 2;
const MESSAGES = 3;
const USER_PAUSE_MS = 80;
const READ_PAUSE_MS = 60;
const WRITE_PAUSE_MS = 700;
/** Client timeout in ms, after which a request counts as failed. */
const ANSWER_MS = 10_000;

export function startLoad(to: { url: string; apiKey: string; agentId: string }): Load {
  // Like a client, keeps a few connections and reuses each of them while pods are removed.
  const pool = new Pool(to.url, {
    connections: 8,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  const failures: string[] = [];
  const conversations: Conversation[] = [];
  const answered = { count: 0, slowestMs: 0 };
  const stopping = new AbortController();
  let prompt = '';

  async function ask(request: Request): Promise<Reply | undefined> {
    const startedMs = performance.now();
    const failed = (how: string): undefined => {
      const at = new Date().toISOString();
      failures.push(`${at} ${request.method} ${request.path}: ${how}`);
    };
    try {
      const reply = await send(pool, request, to.apiKey);
      answered.count += 1;
      answered.slowestMs = Math.max(answered.slowestMs, performance.now() - startedMs);
      if (request.expected.includes(reply.status)) return reply;
      return failed(`${reply.status} ${JSON.stringify(reply.body)}`);
    } catch (error) {
      return failed(String(error));
    }
  }

  /** Repeats an action until the load stops, at most once per `paceMs`. */
  async function repeat(paceMs: number, act: (turn: number) => Promise<unknown>): Promise<void> {
    let turn = 0;
    for await (const _ of ticks(paceMs)) {
      if (stopping.signal.aborted) return;
      await act(turn);
      turn += 1;
    }
  }

  async function converse(): Promise<void> {
    const json = { agent_id: to.agentId };
    const path = '/v1/conversations';
    const begun = await ask({ method: 'POST', path, expected: [201], json });
    if (begun === undefined) return;
    const id = String(begun.body.id);
    const said: string[] = [];
    for (let i = 0; i < MESSAGES; i += 1) {
      const text = `Hello${'!'.repeat(i)}`;
      const at = `${path}/${id}/messages`;
      if (await ask({ method: 'POST', path: at, expected: [200], json: { text } })) said.push(text);
    }
    const end = { method: 'POST', path: `${path}/${id}/end`, expected: [200], json: {} } as const;
    if (await ask(end)) conversations.push({ id, said });
  }

  async function publish(turn: number): Promise<void> {
    const wanted = `Help in way ${turn}.`;
    const path = `/v1/agents/${to.agentId}`;
    const json = { prompt: wanted };
    // 202 occurs if no operator leads for a moment, because the API then stops waiting.
    if (await ask({ method: 'PATCH', path, expected: [200, 202], json })) prompt = wanted;
  }

  const READS = ['/v1/webhooks', '/v1/events?limit=20', '/v1/conversations?limit=20', '/v1/agents'];
  const running = [
    ...Array.from({ length: USERS }, () => repeat(USER_PAUSE_MS, converse)),
    repeat(READ_PAUSE_MS, (turn) =>
      ask({ method: 'GET', path: READS[turn % READS.length]!, expected: [200] }),
    ),
    repeat(WRITE_PAUSE_MS, publish),
  ];
  let stopped: Promise<void> | undefined;
  return {
    failures: () => failures,
    answered: () => answered,
    conversations: () => conversations,
    ask,
    prompt: () => prompt,
    stop: () =>
      (stopped ??= (async () => {
        stopping.abort();
        await Promise.all(running);
      })()),
  };
}

async function send(pool: Pool, request: Request, apiKey: string): Promise<Reply> {
  const { method, path, json } = request;
  const { statusCode, headers, body } = await pool.request({
    method,
    path,
    headers: {
      authorization: `Bearer ${request.apiKey ?? apiKey}`,
      ...(json && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await body.text();
  return {
    status: statusCode,
    body: text === '' ? undefined : JSON.parse(text),
    replayed: headers['idempotency-replayed'] === 'true',
  };
}
