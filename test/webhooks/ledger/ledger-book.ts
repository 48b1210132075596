import { openTail, type Tail } from './ledger-file.ts';
import type { Recorder } from './ledger-recorder.ts';

/** The two sides of the ledger in memory: what was promised, and what the receivers' files tell. */
export type Book = {
  promise: (promised: Promised) => void;
  /** An act with this mark may have happened. */
  unknown: (mark: string) => void;
  isUnknown: (mark: string) => boolean;
  /** All secrets the endpoint had so far. */
  addSecret: (endpoint: LedgerEndpoint, secret: string) => string[];
  secretsOf: (place: string) => readonly string[];
  recorders: () => Recorder[];
  promises: () => IterableIterator<Promised>;
  promiseOf: (eventId: string) => Promised | undefined;
  /** Of one event, all that arrived anywhere. */
  arrivals: () => IterableIterator<[eventId: string, Arrival[]]>;
  arrivalsOf: (eventId: string) => readonly Arrival[];
  /** Promised and not answered 2xx yet. */
  missing: () => { promised: Promised; place: string }[];
  close: () => void;
};

export type LedgerEndpoint = { id: string; path: string; recorder: Recorder };

/** `mark`: `-` when the event carries none; begins with ONCE when its act had an `Idempotency-Key`. */
export type Promised = {
  eventId: string;
  deliveryId: string;
  mark: string;
  places: readonly string[];
};

export type Arrival = {
  place: string;
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

/** Names an endpoint across receivers: its URL. */
export function placeOf({ recorder, path }: LedgerEndpoint): string {
  return recorder.url + path;
}

export function createBook(): Book {
  const promised = new Map<string, Promised>();
  const arrived = new Map<string, Arrival[]>();
  const unknownMarks = new Set<string>();
  const secrets = new Map<string, string[]>();
  const tails = new Map<Recorder, Tail>();
  let waitingFor = new Set<Promised>();
  /** One string per place however many arrive there. */
  const places = new Map<string, string>();

  function take({ url }: Recorder, fields: string[]): void {
    const [atMs, path, eventId = '', attempt, body = '', right, mark = '-', answer, unproven] =
      fields;
    const text = `${url}${path}`;
    const place = places.get(text) ?? text;
    places.set(text, place);
    const list = arrived.get(eventId) ?? [];
    list.push({
      place,
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
  const missingPlaces = ({ eventId, places }: Promised): string[] =>
    places.filter(
      (place) => !arrivalsOf(eventId).some((one) => one.acknowledged && one.place === place),
    );

  return {
    promise: (one) => {
      const before = promised.get(one.eventId);
      // The same event promised again, for other endpoints too.
      const places = [...new Set([...(before?.places ?? []), ...one.places])];
      if (before) waitingFor.delete(before);
      const all = { ...one, places };
      promised.set(one.eventId, all);
      waitingFor.add(all);
    },
    unknown: (mark) => unknownMarks.add(mark),
    isUnknown: (mark) => unknownMarks.has(mark),
    addSecret: (endpoint, secret) => {
      const { recorder } = endpoint;
      if (!tails.has(recorder)) tails.set(recorder, openTail(recorder.file));
      const all = [...(secrets.get(placeOf(endpoint)) ?? []), secret];
      secrets.set(placeOf(endpoint), all);
      return all;
    },
    secretsOf: (place) => secrets.get(place) ?? [],
    recorders: () => [...tails.keys()],
    promises: () => promised.values(),
    promiseOf: (eventId) => promised.get(eventId),
    arrivals: () => arrived.entries(),
    arrivalsOf,
    missing: () => {
      read();
      waitingFor = new Set([...waitingFor].filter((one) => missingPlaces(one).length > 0));
      return [...waitingFor].flatMap((one) =>
        missingPlaces(one).map((place) => ({ promised: one, place })),
      );
    },
    close: () => {
      for (const tail of tails.values()) tail.close();
    },
  };
}
