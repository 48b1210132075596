import { expect } from 'vitest';
import { pino } from 'pino';
import { toUuid } from '../../../src/ids.ts';
import { startStubModel, STUB_KEY, type StubModel } from '../../models/stub-model.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { openSse, type SseReader } from './sse.ts';

/** What a client has read of the answer to one message. */
export type Heard = {
  status: number;
  /** All tokens, or the text of the reply. */
  text: string;
  /** `error.code` of the reply, wherever it stands; undefined: there is none. */
  code: string | undefined;
  /** Everything, as it came. */
  raw: string;
};

/** The ways by which a message comes in. */
export const WAYS = ['JSON', 'SSE', 'OpenAI', 'OpenAI stream'] as const;
export type Way = (typeof WAYS)[number];

/** These ways; all of them at night. */
export function waysOf(...ways: Way[]): readonly Way[] {
  return IS_NIGHTLY ? WAYS : ways;
}

/** Each case by one of the ways in turn, and the cases of `byAll` by every way; at night all of them by every way. */
export function byWays(cases: readonly string[], byAll: readonly string[]): [Way, string][] {
  const isPlayed = (name: string, at: number, way: number): boolean =>
    IS_NIGHTLY || byAll.includes(name) || at % WAYS.length === way;
  return WAYS.flatMap((way, index) =>
    cases.flatMap((name, at): [Way, string][] => (isPlayed(name, at, index) ? [[way, name]] : [])),
  );
}

/** One client's talk with an agent of its own. */
export type Talk = {
  agent: string;
  say: (text: string) => Promise<Heard>;
  /** Of its conversation, the only one that the agent has. */
  id: () => Promise<string>;
};

/** An API with a model, a shop that its agents call, and everything that must never be told. */
export type ModelFixture = ConversationFixture & {
  stub: StubModel;
  shop: Receiver;
  /** The tool `order {id: integer}`: the shop, with a bearer and signed. */
  order: (fields?: Record<string, unknown>) => Record<string, unknown>;
  /** With an agent by its id, or a new one of these fields. */
  talk: (way: Way, agent?: string | Record<string, unknown>) => Promise<Talk>;
  /** Before each test: the model answers plainly, and the shop too. */
  reset: () => void;
  /** Lines of the log since the beginning. */
  log: string[];
  /** Nothing is under way, no secret stands in the transcript, the events, the log, or in `texts`. */
  checkWhole: (conversation: string, texts?: readonly string[]) => Promise<void>;
};

/** Time-outs of the provider `quick`. */
export const QUICK = { first_token_ms: 1_000, between_tokens_ms: 500, total_ms: 10_000 };
const BEARER = 'shop-token-never-to-be-told';
const SIGNING = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const HIDDEN = [STUB_KEY, BEARER, SIGNING, Buffer.alloc(32, 9).toString('base64')];

let shared: Promise<ModelFixture> | undefined;

/** One for all test files of this worker. A test file calls `reset` before each test. Nothing stops it. */
export function shareModelFixture(): Promise<ModelFixture> {
  return (shared ??= startModelFixture());
}

export async function startModelFixture(
  options: Parameters<typeof startConversationFixture>[0] = {},
): Promise<ModelFixture> {
  const stub = await startStubModel();
  const shop = await startReceiver();
  const lines: string[] = [];
  let checkedLines = 0;
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const modelSettings = { url: stub.url, key: STUB_KEY, model: 'stub-1' };
  const api = await startConversationFixture({ modelSettings, log, ...options });
  await declareSecret(api, 'shop', { token: BEARER, signing: SIGNING });
  await declareSecret(api, 'model', { key: STUB_KEY });
  const provider = await api.call('POST', '/v1/model_providers', {
    json: {
      name: 'quick',
      base_url: stub.url,
      api_key_secret_ref: { name: 'model', key: 'key' },
      chat: { default_model: 'stub-1', timeouts: QUICK },
    },
  });
  expect(provider).toMatchObject({ status: 201 });
  const order: ModelFixture['order'] = (fields) => ({
    type: 'webhook',
    name: 'order',
    url: shop.url,
    secret_ref: { name: 'shop', key: 'token' },
    signing_secret_ref: { name: 'shop', key: 'signing' },
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    ...fields,
  });
  const onlyOf = async (agent: string): Promise<string> => {
    const { body } = await api.call('GET', `/v1/conversations?agent_id=${agent}`);
    expect(body.data).toHaveLength(1);
    return String(body.data[0].id);
  };
  return {
    ...api,
    stub,
    shop,
    order,
    reset: () => {
      stub.reset();
      shop.received.length = 0;
      shop.answer((_, response) => void response.writeHead(200).end('ok'));
    },
    log: lines,
    talk: async (way, given) => {
      const agent = typeof given === 'string' ? given : await api.newAgent(given);
      const say = await speakerOf(api, way, agent);
      return { agent, say, id: () => onlyOf(agent) };
    },
    checkWhole: async (id, texts = []) => {
      const { rowCount } = await api.engine.pool.query(
        'select 1 from live_turns where conversation_id = $1',
        [toUuid('conv', id)],
      );
      expect(rowCount).toBe(0);
      const told = [...texts, JSON.stringify([await api.turns(id), await api.events(id)])];
      const all = [...told, ...lines.slice(checkedLines)].join('\n');
      checkedLines = lines.length;
      for (const hidden of HIDDEN) expect(all).not.toContain(hidden);
    },
    stop: async () => {
      await api.stop();
      await shop.close();
      await stub.stop();
    },
  };
}

async function declareSecret(
  { engine }: ConversationFixture,
  name: string,
  data: Record<string, string>,
): Promise<void> {
  const labels = { 'parley.dev/allow': 'true' };
  const secret = { kind: 'Secret', namespace: 'default', name, labels, spec: { data } };
  await engine.store.apply(secret, { fieldManager: 'kubectl' });
}

async function speakerOf(api: ConversationFixture, way: Way, agent: string): Promise<Talk['say']> {
  if (way.startsWith('OpenAI')) return completionsOf(api, agent, way === 'OpenAI stream');
  const id = await api.start({ agent_id: agent });
  return async (text) => {
    if (way === 'JSON') {
      const { status, body, text: raw } = await api.say(id, text);
      const reply = body.turns?.at(-1);
      return { status, raw, text: reply?.text ?? '', code: reply?.error?.code ?? body.code };
    }
    const url = `${api.url}/v1/conversations/${id}/messages`;
    const reader = await openSse(url, { key: api.key, json: { text } });
    return heardIn(reader.status, await reader.rest());
  };
}

type Events = Awaited<ReturnType<SseReader['rest']>>;

function heardIn(status: number, events: Events): Heard {
  const text = events.flatMap(({ event, data }) => (event === 'token' ? [data.text] : [])).join('');
  const done = events.at(-1);
  const reply = done?.data.turns?.findLast(({ role }: { role: string }) => role === 'agent');
  // What was streamed is what was stored.
  if (done?.event === 'done') expect(reply?.text ?? '').toBe(text);
  const code = done?.event === 'done' ? reply?.error?.code : done?.data.code;
  return { status, text, code, raw: JSON.stringify(events) };
}

/** As a client of OpenAI's protocol: all that was said each time, and a reply that failed is none. */
function completionsOf(api: ConversationFixture, agent: string, stream: boolean): Talk['say'] {
  const messages: { role: string; content: string }[] = [];
  return async (content) => {
    messages.push({ role: 'user', content });
    const response = await fetch(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: agent, messages, stream }),
    });
    const raw = await response.text();
    const parts = raw.startsWith('{') ? [JSON.parse(raw)] : chunksIn(raw);
    const said = parts.map(({ choices: [one] = [] }) => (one?.delta ?? one?.message)?.content);
    const text = said.join('');
    const code = parts.find(({ error }) => error)?.error.code;
    if (code === undefined) messages.push({ role: 'assistant', content: text });
    return { status: response.status, text, code, raw };
  };
}

// oxlint-disable-next-line typescript/no-explicit-any
function chunksIn(raw: string): any[] {
  const lines = raw.split('\n').filter((line) => line.startsWith('data: '));
  return lines
    .map((line) => line.slice(6))
    .flatMap((one) => (one === '[DONE]' ? [] : [JSON.parse(one)]));
}

/** Resolves once the conversation has no turn under way. */
export async function settled({ engine }: ConversationFixture, id: string): Promise<void> {
  await until(`the turn of ${id} is settled`, async () => {
    const { rowCount } = await engine.pool.query(
      'select 1 from live_turns where conversation_id = $1',
      [toUuid('conv', id)],
    );
    return rowCount === 0;
  });
}
