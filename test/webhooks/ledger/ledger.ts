import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import {
  createLedgerEntries,
  ONCE,
  urlOf,
  type LedgerEndpoint,
  type Promised,
} from './ledger-entries.ts';
import { openAppendOnly } from './ledger-file.ts';
import { createProducer, type Outcome } from './ledger-producer.ts';
import { startRecorder, type Recorder } from './ledger-recorder.ts';
import { judge, type Verdict } from './ledger-verdict.ts';
import type { Answer } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/**
 * Who was promised what, and what came: outside of what is tested, in files that only grow. Every
 * event whose act the API answered with 2xx is a line of `accepted`; every request that arrived is
 * a line of its receiver's file. The verdict compares the two.
 *
 * An act whose answer was not seen, or was a 5xx, may have been carried out or not: such events may
 * arrive, and need not. Each act hides a mark in its event's data, by which it is known again.
 */
export type Ledger = {
  /** Makes endpoints at paths of their own and gives the receiver their secrets. */
  createEndpoints: (options: {
    recorder: Recorder;
    count: number;
    json?: Record<string, unknown>;
  }) => Promise<LedgerEndpoint[]>;
  /** Acts at fixed times, whatever the answers take: until `count` were sent, or the signal. */
  openLoop: (plan: Plan & { rate: number }) => Promise<void>;
  /** So many callers, each acting again when it was answered: until `count` were accepted. */
  closedLoop: (plan: Plan & { callers: number }) => Promise<void>;
  /** A promise from an act of the caller's own; the event is for each of these endpoints. */
  note: (eventId: string, endpoints: readonly LedgerEndpoint[]) => void;
  /** Secrets that an endpoint's signatures may be by from now on, beside those before. */
  addSecret: (endpoint: LedgerEndpoint, secret: string) => Promise<void>;
  counts: () => Counts;
  /** Resolves when so many events were accepted in all. */
  reached: (accepted: number) => Promise<void>;
  /** Resolves when every accepted event was answered 2xx by its receiver; false: not in time. */
  settled: (timeoutMs: number) => Promise<boolean>;
  /** Of all there was so far. Call it when nothing is on its way any more. */
  verdict: () => Promise<Verdict>;
  close: () => Promise<void>;
};

export type Plan = {
  endpoints: readonly LedgerEndpoint[];
  count?: number;
  until?: AbortSignal;
  /**
   * With an `Idempotency-Key`, and again until there is an answer: then the event must be there,
   * and once.
   */
  idempotent?: boolean;
  /** Ends the callers at the first act that is not accepted: what they talked to is gone. */
  endWhenRefused?: boolean;
};

export type Counts = {
  accepted: number;
  /** Answered with a 4xx, or nobody listened: it did not happen. */
  refused: number;
  /** Whether they happened is not known. */
  unknown: number;
  /** Not sent by an open loop, for too many had no answer yet. */
  skipped: number;
  /** While somebody produced. */
  acceptedPerSecond: number;
};

export type LedgerOptions = {
  /** Where the files are. */
  folder: string;
  api: () => { url: string; apiKey: string };
  /** Fewer connections than callers make callers wait. Default 64. */
  connections?: number;
};

const RETRY_MS = 100;
const POLL_MS = 50;
/** An open loop looks what is due so often. */
const PACE_MS = 4;
/** What an open loop leaves open: an API that stands still must not be given all that was due. */
const UNANSWERED_MAX = 500;
/** A caller of a closed loop that was refused. */
const REFUSED_PAUSE_MS = 20;

/** The receivers of a ledger: files and processes of their own. */
export async function startRecorders(folder: string, count = 1): Promise<Recorder[]> {
  const numbers = Array.from({ length: count }, (_, i) => i);
  return Promise.all(numbers.map((i) => startRecorder(path.join(folder, `arrived-${i}.tsv`))));
}

export function createLedger(options: LedgerOptions): Ledger {
  const { api } = options;
  const file = openAppendOnly(path.join(options.folder, 'accepted.tsv'));
  const entries = createLedgerEntries();
  const producer = createProducer(api, options.connections ?? 64);
  const counts = { accepted: 0, refused: 0, unknown: 0, skipped: 0, odd: [] as string[] };
  const waiting = new Set<() => void>();
  const clock = createClock();
  let acts = 0;
  let paths = 0;

  function promise(promised: Promised): void {
    const { eventId, deliveryId, mark, urls } = promised;
    for (const url of urls) file.append([[Date.now(), eventId, deliveryId, url, mark]]);
    entries.promise(promised);
  }

  /** One act, to its answer. */
  async function act(plan: Plan): Promise<Outcome['kind']> {
    const number = acts++;
    const endpoint = plan.endpoints[number % plan.endpoints.length]!;
    const idempotent = plan.idempotent ?? false;
    const mark = `${idempotent ? ONCE : 'm'}${number}`;
    let mayHaveHappened = false;
    let outcome = await producer.send({ endpoint, mark, idempotent });
    const isSettled = async (): Promise<boolean> => {
      if (!mustBeAnswered(plan) || isFinal(outcome)) return true;
      mayHaveHappened ||= outcome.kind === 'unknown';
      outcome = await producer.send({ endpoint, mark, idempotent });
      return false;
    };
    await until('an answer', isSettled, { everyMs: RETRY_MS, timeoutMs: Infinity });
    const kind = outcome.kind === 'refused' && mayHaveHappened ? 'unknown' : outcome.kind;
    if (outcome.kind === 'accepted') {
      const { eventId, deliveryId } = outcome;
      promise({ eventId, deliveryId, mark, urls: [urlOf(endpoint)] });
    }
    if (outcome.kind === 'refused' && outcome.odd !== undefined) counts.odd.push(outcome.odd);
    if (kind === 'unknown') entries.unknown(mark);
    counts[kind] += 1;
    for (const check of waiting) check();
    return kind;
  }

  async function call(method: 'GET' | 'POST', route: string, json?: unknown): Promise<Answer> {
    const { url, apiKey } = api();
    const response = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  return {
    createEndpoints: async ({ recorder, count, json }) => {
      const endpoints: LedgerEndpoint[] = [];
      for (let i = 0; i < count; i += 1) {
        const at = `/endpoint/${paths++}`;
        const made = await call('POST', '/v1/webhooks', { url: recorder.url + at, ...json });
        // 202: written, and the operator has not come to it yet.
        if (![201, 202].includes(made.status))
          throw new Error(`no endpoint: ${JSON.stringify(made.body)}`);
        const endpoint = { id: String(made.body.id), path: at, recorder };
        await recorder.set(at, { secrets: entries.addSecret(endpoint, String(made.body.secret)) });
        const isShown = async (): Promise<boolean> =>
          (await call('GET', `/v1/webhooks/${endpoint.id}`)).status === 200;
        await until(`the operator to make ${endpoint.id}`, isShown, { everyMs: RETRY_MS });
        endpoints.push(endpoint);
      }
      return endpoints;
    },
    addSecret: (endpoint, secret) =>
      endpoint.recorder.set(endpoint.path, { secrets: entries.addSecret(endpoint, secret) }),
    openLoop: (plan) =>
      clock.during(async () => {
        const { rate, count = Infinity } = plan;
        const running = new Set<Promise<unknown>>();
        const startedMs = performance.now();
        let sent = 0;
        for await (const _ of setInterval(PACE_MS)) {
          if (sent >= count || isOver(plan)) break;
          const due = Math.min(count, ((performance.now() - startedMs) / 1_000) * rate);
          for (; sent < due; sent += 1) {
            if (running.size >= UNANSWERED_MAX) {
              counts.skipped += 1;
              continue;
            }
            const run: Promise<unknown> = act(plan).finally(() => running.delete(run));
            running.add(run);
          }
        }
        await Promise.all(running);
      }),
    closedLoop: (plan) =>
      clock.during(async () => {
        const { count = Infinity, endWhenRefused = false } = plan;
        let accepted = 0;
        let over = false;
        const caller = async (): Promise<void> => {
          const isEnough = (): boolean => accepted >= count || over || isOver(plan);
          const isAccepted = async (): Promise<boolean> => {
            if (isEnough()) return true;
            const kind = await act(plan);
            if (kind === 'accepted') accepted += 1;
            else if (endWhenRefused) over = true;
            return kind === 'accepted';
          };
          const pause = { everyMs: REFUSED_PAUSE_MS, timeoutMs: Infinity };
          while (!isEnough()) await until('the API to accept', isAccepted, pause);
        };
        await Promise.all(Array.from({ length: plan.callers }, caller));
      }),
    note: (eventId, endpoints) =>
      promise({ eventId, deliveryId: '-', mark: '-', urls: endpoints.map(urlOf) }),
    counts: () => {
      const { odd: _, ...numbers } = counts;
      return { ...numbers, acceptedPerSecond: counts.accepted / (clock.elapsedMs() / 1_000) };
    },
    reached: (accepted) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (counts.accepted < accepted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    settled: async (timeoutMs) => {
      const isEmpty = (): boolean => entries.missing().length === 0;
      // What arrives is written by another process.
      return until('all that was promised', isEmpty, { timeoutMs, everyMs: POLL_MS }).catch(
        () => false,
      );
    },
    verdict: async () => {
      await Promise.all(entries.recorders().map((recorder) => recorder.sync()));
      file.sync();
      const found = await judge(entries, call);
      const { odd } = counts;
      const acceptedPerSecond = Math.round(counts.accepted / (clock.elapsedMs() / 1_000));
      const { accepted: _, ...asked } = counts;
      return { ...found, ...asked, odd: odd.slice(0, 5), acceptedPerSecond };
    },
    close: async () => {
      file.close();
      entries.close();
      await producer.close();
    },
  };
}

const isOver = (plan: Plan): boolean => plan.until?.aborted === true;
const mustBeAnswered = (plan: Plan): boolean => plan.idempotent === true && !isOver(plan);

function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'accepted' || (outcome.kind === 'refused' && outcome.odd !== undefined);
}

/** Time in which something was produced, whoever else produced at the same time. */
function createClock() {
  let running = 0;
  let startedMs = 0;
  let pastMs = 0;
  return {
    elapsedMs: (): number => pastMs + (running > 0 ? performance.now() - startedMs : 0),
    during: async (run: () => Promise<void>): Promise<void> => {
      if (running++ === 0) startedMs = performance.now();
      try {
        await run();
      } finally {
        if (--running === 0) pastMs += performance.now() - startedMs;
      }
    },
  };
}
