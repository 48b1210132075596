import { randomBytes } from 'node:crypto';
import { monotonicMs } from '../../../src/clock.ts';
import { createApi, eventually, statusMessageOf, type Api } from './api.ts';
import { createCaller, SILENT_WITHIN_MS } from './calls/caller.ts';
import { compare } from './calls/compare.ts';
import { cut, interruptions, keys, listening, questions, type Script } from './calls/scripts.ts';
import { createCarrier, type Carrier } from './carrier.ts';
import { declare } from './declare.ts';
import { createHooks, type Hooks } from './hooks.ts';
import { callUp } from './phone/phone.ts';
import { isRight, lineOf, split, tableOf, withCut, type CallReport } from './report.ts';
import { serveCarrier, serveHooks, startServer, type Serve } from './server.ts';
import type { Voice } from './voice.ts';

export type DrillOptions = {
  /** URL at which the drill reaches Parley (`url`), and Parley's public base URL (`baseUrl`, `PARLEY_BASE_URL`). */
  url: string;
  baseUrl: string;
  apiKey: string;
  /** Name and key of the secret that contains the carrier's token (`tokenFrom`), and the token itself. */
  tokenFrom: { name: string; key: string };
  token: string;
  /** Creates the voice, given the base URL of the drill's server (`here`). */
  voiceAt: (here: string) => Voice;
  /** Additional request handlers for the drill's server, for example for the stand-in voice. */
  serves: readonly Serve[];
  /** Address on which the drill's server listens. `name` is the host name at which Parley reaches it. */
  listen: { host: string; port: number; name: string };
  /**
   * `interruptions` is the total number of interruptions, of which each call has at most ten. `atOnce` is the number of
   * concurrent calls.
   */
  interruptions: number;
  atOnce: number;
  /**
   * Whether the transcriber also transcribes the agent's interrupted sentences, to find the last word that was played.
   */
  retranscribes: boolean;
  /** Writes a line of the report. */
  write: (line: string) => void;
};

/**
 * Minimum share of interruptions that must be handled correctly (`isRight`). If Parley only estimates which words were
 * played, the estimate is off by more than one word in about 2 of 100 interruptions (docs/evaluation.md).
 */
const SHARE = { retranscribed: 1, estimated: 0.98 };
const PER_CALL = 10;
const EVENTS_MS = 60_000;
const EVENTS = ['conversation.started', 'conversation.ended', 'conversation.transcript.ready'];

type Stage = {
  api: Api;
  carrier: Carrier;
  hooks: Hooks;
  voice: Voice;
  options: DrillOptions;
  account: string;
  /** API path of the webhook endpoint that receives the events. */
  webhookPath: string;
};

/**
 * Declares the objects, makes the calls, checks the results and deletes the objects. Resolves to true if all checks
 * passed.
 */
export async function runDrill(options: DrillOptions): Promise<boolean> {
  const { url, baseUrl, listen, write, tokenFrom, token } = options;
  const api = createApi(options);
  const hooks = createHooks();
  const account = `AC${randomBytes(16).toString('hex')}`;
  const number = `+4420718${String(randomBytes(4).readUInt32BE() % 100_000).padStart(5, '0')}`;
  const from = '+447700900123';
  const carrier = createCarrier({ url, baseUrl, account, token, number, from });
  const server = await startServer(
    [serveHooks(hooks), serveCarrier(carrier.statusOf), ...options.serves],
    listen,
  );
  try {
    const here = `http://${listen.name}:${server.port}`;
    const voice = options.voiceAt(here);
    const name = `voice-drill-${randomBytes(3).toString('hex')}`;
    const { retranscribes } = options;
    const objects = { name, here, voiceUrl: voice.baseUrl, tokenFrom, account, number };
    const declared = await declare(api, { ...objects, retranscribes });
    try {
      hooks.expect(declared.webhookSecret);
      const { webhookPath } = declared;
      const stage = { api, carrier, hooks, voice, options, account, webhookPath };
      const calls = await callAll(stage);
      return conclude(calls, { hooks, carrier, write, retranscribes });
    } finally {
      await declared.remove();
    }
  } finally {
    await server.stop();
  }
}

/** Runs all scripts, at most `atOnce` at the same time. */
async function callAll(stage: Stage): Promise<CallReport[]> {
  const { options } = stage;
  const scripts = scriptsFor(options.interruptions);
  const reports: CallReport[] = [];
  const waiting = [...scripts.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, script] = next;
      const report = await oneCall(stage, script);
      reports.push(report);
      options.write(lineOf(at + 1, report));
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  return reports;
}

function scriptsFor(count: number): Script[] {
  const calls = Math.ceil(count / PER_CALL);
  const breaking = Array.from({ length: calls }, (_, at) =>
    interruptions(at * (PER_CALL + 1), Math.min(PER_CALL, count - at * PER_CALL)),
  );
  return [questions(0), listening, keys, cut, ...breaking];
}

async function oneCall(stage: Stage, script: Script): Promise<CallReport> {
  const { voice, carrier, options, account } = stage;
  const startMs = monotonicMs();
  const none = { kind: script.kind, reconnects: 0, breaks: [], waits: [] };
  const since = (): number => (monotonicMs() - startMs) / 1_000;
  try {
    const phone = await callUp({ ...options, carrier, account });
    const caller = createCaller(phone, voice);
    const problems: string[] = [];
    await script.play(caller, voice).catch((error: unknown) => void problems.push(String(error)));
    await phone.hangUp().catch((error: unknown) => void problems.push(String(error)));
    const sec = since();
    const settled = await settle(stage, phone.sid);
    const compared = await compare(voice, caller.talk, settled.transcript);
    const dropped = phone.dropped();
    const waits = caller.waits.map((wait) => split(wait, voice.asked(), compared));
    return {
      kind: script.kind,
      sec,
      reconnects: phone.reconnects(),
      breaks: withCut(caller.breaks, compared),
      waits,
      problems: [
        ...(dropped === undefined ? [] : [`dropped: ${dropped}`]),
        ...problems,
        ...caller.problems,
        ...compared.problems,
        ...settled.problems,
      ],
    };
  } catch (error) {
    return { ...none, sec: since(), problems: [String(error)] };
  }
}

/** Waits until the call has ended and its events have been delivered. Returns the transcript and the problems found. */
async function settle(
  { api, hooks, webhookPath }: Stage,
  sid: string,
): Promise<{ transcript: { turns: unknown[] }; problems: string[] }> {
  const call = await eventually(`the end of call ${sid}`, async () => {
    const { data } = await api.call('GET', '/v1/calls?limit=100');
    return data.find(
      (one: { provider_call_id: string; ended_at: unknown }) =>
        one.provider_call_id === sid && one.ended_at !== null,
    );
  });
  const problems: string[] = [];
  if (call.status !== 'completed' || call.ended_reason !== 'user_hangup') {
    problems.push(`the call has status ${call.status} and ended with reason ${call.ended_reason}`);
  }
  const conversation = String(call.conversation_id);
  const of = (): readonly string[] => hooks.of(conversation);
  await eventually(
    `the events of call ${sid}`,
    () => EVENTS.every((type) => of().includes(type)) || undefined,
    {
      timeoutMs: EVENTS_MS,
      why: () => statusMessageOf(api, webhookPath),
    },
  ).catch((error: unknown) => void problems.push(String(error)));
  // Questions that the agent's knowledge does not answer cause an additional event, which is ignored here.
  const told = of().filter((type) => type !== 'knowledge.gap.detected');
  if (told.join() !== EVENTS.join())
    problems.push(`the events of the call were ${told.join(', ')}`);
  const transcript = await api.call('GET', `/v1/conversations/${conversation}/transcript`);
  return { transcript, problems };
}

type Conclusion = Pick<Stage, 'hooks' | 'carrier'> & Pick<DrillOptions, 'write' | 'retranscribes'>;

function conclude(
  calls: readonly CallReport[],
  { hooks, carrier, write, retranscribes }: Conclusion,
): boolean {
  const breaks = calls.flatMap((call) => call.breaks);
  const right = breaks.filter((one) => isRight(one, SILENT_WITHIN_MS)).length;
  const failed = calls.filter(({ problems }) => problems.length > 0).length;
  write('');
  write(tableOf(calls));
  write('');
  write(
    `${calls.length} calls, ${failed} failed; ${right} of ${breaks.length} interruptions were handled correctly`,
  );
  write(
    `webhooks: ${hooks.doubled()} arrived twice, ${hooks.forged()} had an invalid signature; the carrier repeated ${carrier.repeats()} requests`,
  );
  return (
    failed === 0 &&
    right >= rightAtLeast(breaks.length, retranscribes) &&
    hooks.forged() === 0 &&
    hooks.doubled() === 0
  );
}

/** Returns how many of `count` interruptions must be handled correctly (`isRight`) for the drill to pass. */
export const rightAtLeast = (count: number, retranscribes: boolean): number =>
  Math.ceil(count * (retranscribes ? SHARE.retranscribed : SHARE.estimated));
