import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { createModels } from '../../src/models/create-models.ts';
import { endpointOfSettings } from '../../src/models/model-endpoint.ts';
import type { Model } from '../../src/models/model.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { distribution, ms, print, quantile, residentMemory } from './figures.ts';

/**
 * Turns with a model: a stub in a process of its own, asked by the bare `openai` client, by our
 * `Model`, and by conversations over REST. All in one run: the differences are ours.
 *
 *   node test/bench/model-turns.ts [--quick]      about two minutes; a model of 20 tokens
 */

const isQuick = process.argv.includes('--quick');
const TURNS = isQuick ? 100 : 1000;
const AT_ONCE = [1, 10, 50];
const OPEN_STREAMS = isQuick ? 100 : 1000;
const ASK = 'Say 20 0';
const clockMs = (): number => performance.timeOrigin + performance.now();

const stub = fork(path.join(import.meta.dirname, 'model-stub.ts'));
const [{ url }] = (await once(stub, 'message')) as [{ url: string }];
const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
const egress = createEgressFetch({ guard });
const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
let parley: Parley | undefined;
try {
  await layer();
  parley = await startParley({
    dataDir: folder,
    env: {
      PARLEY_MODEL_URL: url,
      PARLEY_MODEL_KEY: 'sk-bench',
      PARLEY_MODEL: 'stub-1',
      PARLEY_EGRESS_ALLOW: '127.0.0.0/8',
    },
  });
  await overRest(parley);
} finally {
  await parley?.stop();
  await egress.stop();
  stub.disconnect();
  await rm(folder, { recursive: true, force: true });
}

type Turn = (onText?: (text: string) => void) => Promise<void>;

/** Our client of models beside the bare one, in this process. */
async function layer(): Promise<void> {
  const model = await ourModel();
  const client = new OpenAI({ baseURL: url, apiKey: 'sk-bench', maxRetries: 0 });
  const bare = bareTurn(client);
  const ours: Turn = async (onText = () => undefined) => {
    const messages = [{ role: 'user' as const, content: ASK }];
    await model({ messages, tools: [], signal: new AbortController().signal, onText });
  };
  for (const act of [bare, ours, bare, ours]) await closedLoop(10, 100, () => act());
  for (const atOnce of AT_ONCE) {
    const one = await closedLoop(atOnce, TURNS, () => bare());
    const other = await closedLoop(atOnce, TURNS, () => ours());
    print(`${atOnce} at once: bare openai client`, figuresOf(one));
    print(`${atOnce} at once: Model`, `${figuresOf(other)}  ${ratioOf(one, other)}`);
  }
  print('a token, stub to Model', distribution(await passOn(ours)));
  print('a token, stub to bare client', distribution(await passOn(bare)));
  const aborts: number[] = [];
  for (let index = 0; index < 50; index += 1) aborts.push(await abortOnce(model));
  print('abort of Model to close at the stub', distribution(aborts));
}

async function ourModel(): Promise<Model> {
  const endpoint = endpointOfSettings({ url, key: 'sk-bench', model: 'stub-1' });
  const find = createModels({ fetch: egress.fetch, findEndpoint: async () => endpoint });
  return (await find({ namespace: 'default', model: undefined }))!;
}

function bareTurn(client: OpenAI): Turn {
  return async (onText = () => undefined) => {
    const stream = await client.chat.completions.create({
      model: 'stub-1',
      messages: [{ role: 'user', content: ASK }],
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const part of stream) {
      const text = part.choices[0]?.delta.content;
      if (text) onText(text);
    }
  };
}

type Run = { times: number[]; cpuMs: number };

async function closedLoop(
  atOnce: number,
  turns: number,
  act: (index: number) => Promise<unknown>,
  cpuMs: () => number = ownCpuMs,
): Promise<Run> {
  const times: number[] = [];
  const before = cpuMs();
  let left = turns;
  const one = async (_: unknown, index: number): Promise<void> => {
    while (left-- > 0) {
      const startedMs = performance.now();
      await act(index);
      times.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { times, cpuMs: (cpuMs() - before) / times.length };
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Of a process, user and system; a tick of the kernel's clock is 10 ms. */
function cpuMsOf(pids: readonly number[]): number {
  return pids
    .map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    })
    .reduce((sum, one) => sum + one, 0);
}

function figuresOf({ times, cpuMs }: Run): string {
  return `${distribution(times)}  CPU ${cpuMs.toFixed(2)} ms`;
}

function ratioOf(one: Run, other: Run): string {
  const at = (q: number): string =>
    ms(quantile(other.times, q) - quantile(one.times, q)).padStart(6);
  const cpu = (other.cpuMs / one.cpuMs).toFixed(2);
  return `more than bare: p50 ${at(0.5)} p99 ${at(0.99)} CPU x${cpu}`;
}

/** From the stamp in each token to its arrival here. */
async function passOn(turn: Turn): Promise<number[]> {
  const delays: number[] = [];
  for (let index = 0; index < 20; index += 1) await turn((text) => delays.push(...delaysIn(text)));
  return delays;
}

function delaysIn(text: string): number[] {
  return [...text.matchAll(/\d{10,}\.\d+/g)].map(([stamp]) => clockMs() - Number(stamp));
}

async function abortOnce(model: Model): Promise<number> {
  const abort = new AbortController();
  let abortedMs = 0;
  const reply = model({
    messages: [{ role: 'user', content: 'hang' }],
    tools: [],
    signal: abort.signal,
    onText: () => {
      abortedMs = clockMs();
      abort.abort();
    },
  });
  const closed = nextAbort(stub);
  await reply;
  return (await closed) - abortedMs;
}

async function nextAbort(child: ChildProcess): Promise<number> {
  const [{ abortedAtMs }] = (await once(child, 'message')) as [{ abortedAtMs: number }];
  return abortedAtMs;
}

/** Conversations of an agent without tools and knowledge, as JSON and as a stream. */
async function overRest(api: Parley): Promise<void> {
  const agent = await api.call('POST', '/v1/agents', { prompt: 'You are brief.' });
  const start = async (): Promise<string> =>
    (await api.call('POST', '/v1/conversations', { agent_id: agent.body.id })).body.id;
  const ids = await Promise.all(Array.from({ length: 50 }, start));
  const client = new OpenAI({ baseURL: url, apiKey: 'sk-bench', maxRetries: 0 });
  const bare = bareTurn(client);
  const turn =
    (accept: string) =>
    async (index: number): Promise<void> => {
      // A conversation that goes on for ever is no turn as they are: its history grows.
      if (Math.random() < 0.1) ids[index] = await start();
      await say(api, { id: ids[index]!, text: ASK, accept });
    };
  for (const accept of ['application/json', 'text/event-stream']) {
    await closedLoop(50, TURNS, turn(accept));
    for (const atOnce of AT_ONCE) {
      const one = await closedLoop(atOnce, TURNS, () => bare());
      const other = await closedLoop(atOnce, TURNS, turn(accept), () => cpuMsOf(api.pids));
      print(`${atOnce} at once: turns, ${accept}`, `${figuresOf(other)}  ${ratioOf(one, other)}`);
    }
  }
  const delays: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    // The event of the turn has the whole text once more.
    const onText = (text: string): void =>
      text.split('\n\n').forEach((event) => {
        if (event.startsWith('event: token')) delays.push(...delaysIn(event));
      });
    await say(api, { id: ids[0]!, text: 'Say 20 5', accept: 'text/event-stream', onText });
  }
  print('a token, stub to reader of the stream', distribution(delays));
  await cancels(api, start);
  await manyStreams(api, start);
}

type Said = {
  id: string;
  text: string;
  accept: string;
  signal?: AbortSignal;
  onText?: (text: string) => void;
};

/** Resolves with the first bytes when it is to be left (`signal`), else when the answer is over. */
async function say(api: Parley, said: Said): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await fetch(`${api.url}/v1/conversations/${said.id}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.apiKey}`,
      'content-type': 'application/json',
      accept: said.accept,
    },
    body: JSON.stringify({ text: said.text }),
    ...(said.signal && { signal: said.signal }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body!.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done || said.signal) return reader;
    said.onText?.(Buffer.from(value).toString());
  }
}

/** A reader that leaves: from there to the close at the stub. */
async function cancels(api: Parley, start: () => Promise<string>): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const abort = new AbortController();
    const accept = 'text/event-stream';
    await say(api, { id: await start(), text: 'hang', accept, signal: abort.signal });
    const closed = nextAbort(stub);
    const leftMs = clockMs();
    abort.abort();
    times.push((await closed) - leftMs);
  }
  print('a reader leaves to close at the stub', distribution(times));
}

async function manyStreams(api: Parley, start: () => Promise<string>): Promise<void> {
  const abort = new AbortController();
  const accept = 'text/event-stream';
  for (let opened = 0; opened < OPEN_STREAMS; opened += 50) {
    const ids = await Promise.all(Array.from({ length: 50 }, start));
    await Promise.all(
      ids.map((id) => say(api, { id, text: 'hang', accept, signal: abort.signal })),
    );
  }
  const held = api.pids.map((pid) => residentMemory(pid)).join(', ');
  print(`${OPEN_STREAMS} open streams`, held);
  abort.abort();
}
