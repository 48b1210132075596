import { openTail, type Tail } from './ledger-file.ts';
import type { Recorder } from './ledger-recorder.ts';

/** The two sides of the ledger in memory: what was promised, and what the receivers' files say. */
export type LedgerEntries = {
  promise: (promised: Promised) => void;
  /** An act with this mark may have happened. */
  unknown: (mark: string) => void;
  isUnknown: (mark: string) => boolean;
  /** All secrets the endpoint had so far. */
  addSecret: (endpoint: LedgerEndpoint, secret: string) => string[];
  secretsOf: (url: string) => readonly string[];
  recorders: () => Recorder[];
  promises: () => IterableIterator<Promised>;
  promiseOf: (eventId: string) => Promised | undefined;
  /** Of one event, all that arrived anywhere. */
  arrivals: () => IterableIterator<[eventId: string, Arrival[]]>;
  arrivalsOf: (eventId: string) => readonly Arrival[];
  /** Promised and not answered 2xx yet. */
  missing: () => { promised: Promised; url: string }[];
  close: () => void;
};

export type LedgerEndpoint = { id: string; path: string; recorder: Recorder };

/** `mark`: `-` when the event carries none; begins with ONCE when its act had an `Idempotency-Key`. */
export type Promised = {
  eventId: string;
  deliveryId: string;
  mark: string;
  /** Endpoints that must be sent it. */
  urls: readonly string[];
};

export type Arrival = {
  /** The endpoint's. */
  url: string;
  atMs: number;
  attempt: number;
  /** SHA-256, base64url. */
  body: string;
  mark: string;
  /** Answered 2xx. */
  acknowledged: boolean;
  /** What was signed, when the receiver found the signature wrong. */
  unproven?: string;
};

export const ONCE = 'once-';

/** Names an endpoint across receivers. */
export function urlOf({ recorder, path }: LedgerEndpoint): string {
  return recorder.url + path;
}

export function createLedgerEntries(): LedgerEntries {
  const promised = new Map<string, Promised>();
  const arrived = new Map<string, Arrival[]>();
  const unknownMarks = new Set<string>();
  const secrets = new Map<string, string[]>();
  const tails = new Map<Recorder, Tail>();
  let waitingFor = new Set<Promised>();
  /** One string per endpoint, however many events arrive there. */
  const urls = new Map<string, string>();

  function take(recorder: Recorder, fields: string[]): void {
    const [atMs, path, eventId = '', attempt, body = '', right, mark = '-', answer, unproven] =
      fields;
    const text = `${recorder.url}${path}`;
    const url = urls.get(text) ?? text;
    urls.set(text, url);
    const list = arrived.get(eventId) ?? [];
    list.push({
      url,
      atMs: Number(atMs),
      attempt: Number(attempt),
      body: list.find((known) => known.body === body)?.body ?? body,
      mark,
      acknowledged: /^2\d\d$/.test(answer ?? ''),
      ...(right === '0' && { unproven: unproven ?? '' }),
    });
    if (list.length === 1) arrived.set(eventId, list);
  }
  function read(): void {
    for (const [recorder, tail] of tails) tail.read((fields) => take(recorder, fields));
  }
  const arrivalsOf = (eventId: string): readonly Arrival[] => arrived.get(eventId) ?? [];
  const missingUrls = ({ eventId, urls }: Promised): string[] =>
    urls.filter((url) => !arrivalsOf(eventId).some((one) => one.acknowledged && one.url === url));

  return {
    promise: (one) => {
      const before = promised.get(one.eventId);
      // The same event promised again, for other endpoints too.
      const urls = [...new Set([...(before?.urls ?? []), ...one.urls])];
      if (before) waitingFor.delete(before);
      const all = { ...one, urls };
      promised.set(one.eventId, all);
      waitingFor.add(all);
    },
    unknown: (mark) => unknownMarks.add(mark),
    isUnknown: (mark) => unknownMarks.has(mark),
    addSecret: (endpoint, secret) => {
      const { recorder } = endpoint;
      if (!tails.has(recorder)) tails.set(recorder, openTail(recorder.file));
      const all = [...(secrets.get(urlOf(endpoint)) ?? []), secret];
      secrets.set(urlOf(endpoint), all);
      return all;
    },
    secretsOf: (url) => secrets.get(url) ?? [],
    recorders: () => [...tails.keys()],
    promises: () => promised.values(),
    promiseOf: (eventId) => promised.get(eventId),
    arrivals: () => arrived.entries(),
    arrivalsOf,
    missing: () => {
      read();
      waitingFor = new Set([...waitingFor].filter((one) => missingUrls(one).length > 0));
      return [...waitingFor].flatMap((one) =>
        missingUrls(one).map((url) => ({ promised: one, url })),
      );
    },
    close: () => {
      for (const tail of tails.values()) tail.close();
    },
  };
}
