import { Agent, type Dispatcher } from 'undici';
import type { Answer, Parley } from '../roles/parley-process.ts';
import { readCpu, readMemory } from './delivery/cpu.ts';
import type { Bounds } from './bounds.ts';
import { distribution, print } from './figures.ts';
import {
  CANCEL_MS,
  addedMs,
  asking,
  bareClient,
  beside,
  clockMs,
  closedLoop,
  figuresOf,
  nextAbort,
  ownCpu,
  stampsIn,
  type ReadCpu,
  type StubProcess,
  type Turn,
} from './model-load.ts';

/**
 * Conversations over REST as users hold them: begun, ten turns, ended. Of model-turns.ts. The agent has no
 * tools and no knowledge: what those take is measured elsewhere.
 */

const TURNS_OF_ONE = 10;

export type Bench = {
  parley: Parley;
  /** The pid of the API role, and that of PostgreSQL's postmaster. */
  api: number;
  postmaster: number;
  stub: StubProcess;
  turns: number;
};

export type Conversations = Awaited<ReturnType<typeof createConversations>>;

export async function createConversations({ parley }: Pick<Bench, 'parley'>) {
  const http = new Agent({
    connections: 2_000,
    pipelining: 1,
    headersTimeout: 60_000,
    bodyTimeout: 0,
  });
  const headers = { authorization: `Bearer ${parley.apiKey}`, 'content-type': 'application/json' };
  const send = async (
    route: string,
    body: unknown,
    { accept = 'application/json', signal }: { accept?: string; signal?: AbortSignal } = {},
  ): Promise<Dispatcher.ResponseData['body']> => {
    const answer = await http.request({
      origin: parley.url,
      path: route,
      method: 'POST',
      headers: { ...headers, accept },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    if (answer.statusCode < 300) return answer.body;
    throw new Error(`${route}: ${answer.statusCode} ${await answer.body.text()}`);
  };
  const call = async (route: string, body: unknown): Promise<Answer['body']> =>
    (await send(route, body)).json();
  const agent = await call('/v1/agents', { prompt: 'You are brief.' });
  return {
    begin: async (): Promise<string> =>
      (await call('/v1/conversations', { agent_id: agent.id })).id as string,
    end: async (id: string): Promise<void> => {
      await call(`/v1/conversations/${id}/end`, {});
    },
    /** The text of the reply. */
    say: async (id: string, text: string): Promise<string> => {
      const { turns } = await call(`/v1/conversations/${id}/messages`, { text });
      const { error, text: said } = turns.at(-1);
      if (error) throw new Error(JSON.stringify(error));
      return said as string;
    },
    /** The stream of the reply, begun; to be read to its end, or left. */
    stream: (id: string, text: string, signal?: AbortSignal) =>
      send(
        `/v1/conversations/${id}/messages`,
        { text },
        {
          accept: 'text/event-stream',
          ...(signal && { signal }),
        },
      ),
    close: () => http.destroy(),
  };
}

/** The tokens of a stream, put together; `onToken` hears each when it comes. */
async function readTokens(
  body: Dispatcher.ResponseData['body'],
  onToken?: (text: string) => void,
): Promise<string> {
  let unread = '';
  let said = '';
  for await (const chunk of body) {
    const events = (unread + String(chunk)).split('\n\n');
    unread = events.pop()!;
    for (const event of events) {
      if (event.startsWith('event: error')) throw new Error(event);
      if (!event.startsWith('event: token')) continue;
      said += event;
      onToken?.(event);
    }
  }
  return said;
}

function cpuOf({ api, postmaster }: Bench): ReadCpu {
  return () => {
    const { groups } = readCpu({
      API: { pids: [api] },
      PostgreSQL: { pids: [postmaster], withChildren: true },
    });
    return Object.fromEntries(Object.entries(groups).map(([name, sec]) => [name, sec * 1_000]));
  };
}

type Asked = { text: string; firstTokenMs?: number };

/** Turns as fast as they are answered, then 50 conversations at once with a model that takes its time. */
export async function benchTurns(
  bench: Bench,
  talk: Conversations,
  as: 'json' | 'sse',
): Promise<void> {
  const { turns, stub } = bench;
  const ask = bareClient(stub.url);
  const say = async (id: string, text: string): Promise<string> =>
    as === 'json' ? talk.say(id, text) : readTokens(await talk.stream(id, text));
  const held = new Map<number, { id: string; turns: number }>();
  const turnOf =
    ({ text, firstTokenMs = 0 }: Asked): Turn =>
    async (index) => {
      const { id, turns: said } = held.get(index) ?? { id: await talk.begin(), turns: 0 };
      const startedMs = clockMs();
      const added = addedMs(startedMs, await say(id, text), firstTokenMs);
      if (said + 1 < TURNS_OF_ONE) held.set(index, { id, turns: said + 1 });
      else {
        held.delete(index);
        await talk.end(id);
      }
      return added;
    };
  const bareOf =
    ({ text, firstTokenMs = 0 }: Asked): Turn =>
    async () => {
      const startedMs = clockMs();
      return addedMs(startedMs, await ask(text), firstTokenMs);
    };
  const quick = { text: asking(20) };
  const paced = { text: asking(20, 100), firstTokenMs: 100, spreadMs: 2_000 };
  await closedLoop({ atOnce: 20, turns: Math.min(turns, 500) }, turnOf(quick), ownCpu);
  for (const { atOnce, name, ...asked } of [
    { ...quick, atOnce: 1, name: '1 at once' },
    { ...quick, atOnce: 10, name: '10 at once' },
    { ...paced, atOnce: 50, name: '50 at once, a model of 2 s' },
  ]) {
    const load = { ...asked, atOnce, turns };
    const one = await closedLoop(load, bareOf(asked), ownCpu);
    const other = await closedLoop(load, turnOf(asked), cpuOf(bench));
    print(`${as}, ${name}: bare openai client`, figuresOf(one));
    print(`${as}, ${name}: turns`, `${figuresOf(other)}; ${beside(one, other)}`);
  }
}

/** From the stub's write of a token to the reader of the stream. */
export async function benchTokens({ stub }: Bench, talk: Conversations): Promise<void> {
  const ask = bareClient(stub.url);
  const delays = { bare: [] as number[], ours: [] as number[] };
  const into = (list: number[]) => (text: string) => {
    list.push(...stampsIn(text).map((stamp) => clockMs() - stamp));
  };
  for (let index = 0; index < 40; index += 1) {
    await ask(asking(20, 5), into(delays.bare));
    await readTokens(await talk.stream(await talk.begin(), asking(20, 5)), into(delays.ours));
  }
  print('a token, stub to bare client', distribution(delays.bare));
  print('a token, stub to reader of the stream', distribution(delays.ours));
}

/** A reader that leaves: from there to the close at the stub. */
export async function benchCancels(
  { stub, turns }: Bench,
  talk: Conversations,
  bounds: Bounds,
): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < turns / 10; index += 1) {
    const abort = new AbortController();
    const body = await talk.stream(await talk.begin(), 'hang', abort.signal);
    body.on('error', () => undefined);
    await new Promise((resolve) => body.once('data', resolve));
    const closed = nextAbort(stub);
    const leftMs = clockMs();
    abort.abort();
    times.push((await closed) - leftMs);
  }
  bounds.check({ what: 'a reader leaves → close at the stub', times, worstMs: CANCEL_MS });
}

/** What the API process holds with so many streams open, each after its first token. */
export async function benchStreams({ api }: Bench, talk: Conversations): Promise<void> {
  const memory = (): string => `${Math.round(readMemory(api).rss)} MB`;
  print('resident memory of the API, no stream open', memory());
  const abort = new AbortController();
  for (let open = 0; open < 1_000;) {
    const bodies = await Promise.all(
      Array.from({ length: 50 }, async () => talk.stream(await talk.begin(), 'hang', abort.signal)),
    );
    for (const body of bodies) body.on('error', () => undefined).resume();
    open += bodies.length;
    if ([100, 500, 1_000].includes(open)) print(`${open} open streams`, memory());
  }
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  print('1000 open streams, 20 s later', memory());
  abort.abort();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  print('none any more', memory());
}
