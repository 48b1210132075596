import { createModels } from '../../src/models/create-models.ts';
import { endpointOfSettings } from '../../src/models/model-endpoint.ts';
import type { Model } from '../../src/models/model.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
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
  type StubProcess,
  type Turn,
} from './model-load.ts';

/** Our client of models beside the bare one, both in this process. Of model-turns.ts. */

export async function benchLayer(stub: StubProcess, turns: number, bounds: Bounds): Promise<void> {
  const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
  const egress = createEgressFetch({ guard });
  try {
    const endpoint = endpointOfSettings({ url: stub.url, key: 'sk-bench', model: 'stub-1' });
    const find = createModels({ fetch: egress.fetch, findEndpoint: async () => endpoint });
    const model = (await find({ namespace: 'default', model: undefined }))!;
    await compare(stub, model, turns);
    await benchAborts(stub, model, bounds);
  } finally {
    await egress.stop();
  }
}

async function compare(stub: StubProcess, model: Model, turns: number): Promise<void> {
  const askBare = bareClient(stub.url);
  const askOurs: typeof askBare = async (content, onText = () => undefined) => {
    const messages = [
      { role: 'system' as const, content: 'You are brief.' },
      { role: 'user' as const, content },
    ];
    const { signal } = new AbortController();
    return (await model({ messages, tools: [], signal, onText })).text;
  };
  const turnOf =
    (ask: (text: string) => Promise<string>): Turn =>
    async () => {
      const startedMs = clockMs();
      return addedMs(startedMs, await ask(asking(20)));
    };
  const [bare, ours] = [turnOf(askBare), turnOf(askOurs)];
  for (const turn of [bare, ours, bare, ours]) {
    await closedLoop({ atOnce: 10, turns: 100 }, turn, ownCpu);
  }
  for (const atOnce of [1, 10, 50]) {
    const one = await closedLoop({ atOnce, turns }, bare, ownCpu);
    const other = await closedLoop({ atOnce, turns }, ours, ownCpu);
    print(`${atOnce} at once: bare openai client`, figuresOf(one));
    print(`${atOnce} at once: Model`, `${figuresOf(other)}; ${beside(one, other)}`);
  }
  const passOn = async (ask: typeof askOurs): Promise<string> => {
    const delays: number[] = [];
    const heard = (text: string): void => {
      delays.push(...stampsIn(text).map((stamp) => clockMs() - stamp));
    };
    for (let index = 0; index < 20; index += 1) await ask(asking(20, 2), heard);
    return distribution(delays);
  };
  print('a token, stub to bare client', await passOn(askBare));
  print('a token, stub to Model', await passOn(askOurs));
}

async function benchAborts(stub: StubProcess, model: Model, bounds: Bounds): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < 50; index += 1) times.push(await abortOnce(stub, model));
  bounds.check({ what: 'abort of Model → close at the stub', times, worstMs: CANCEL_MS });
}

async function abortOnce(stub: StubProcess, model: Model): Promise<number> {
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
