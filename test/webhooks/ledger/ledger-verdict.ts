import { createHash } from 'node:crypto';
import { ONCE, type Arrival, type LedgerEntries, type Promised } from './ledger-entries.ts';
import { isSignedRight, unpack } from './ledger-receiver.ts';
import type { Answer } from '../../roles/parley-process.ts';

/** What is lost, wrong, foreign or doubled is to be 0; `duplicates` are what faults explain. */
export type Verdict = {
  /** Events whose act was answered 2xx. */
  accepted: number;
  acceptedPerSecond: number;
  /** Acts that did not happen, and acts of which nobody knows. */
  refused: number;
  unknown: number;
  /** Acts that were due and not sent, for too many had no answer yet. */
  skipped: number;
  /** Event and endpoint pairs: promised, never answered 2xx, and not `failed` in the API. */
  lost: number;
  /** Given up, as the API shows. */
  failed: number;
  /** Arrivals after the first one of the same event and endpoint that was answered 2xx. */
  duplicates: number;
  /**
   * Events with arrivals that differ, or with another act's data; of a sample, events whose bytes
   * are not those that the API says are stored.
   */
  wrongBody: number;
  badSignature: number;
  /** Arrivals where the event was not for. */
  foreign: number;
  /** Events that arrived though no act that could have made them was accepted or unknown. */
  neverAccepted: number;
  /** Of acts with an `Idempotency-Key`: those that made more than one event. */
  doubled: number;
  /** Answers to acts that no fault explains; the first few. */
  odd: string[];
  /** Of each kind of trouble the first few. */
  examples: Record<string, string[]>;
};

/** What the verdict says of events; how acts were answered is the ledger's to add. */
type Found = Omit<Verdict, 'acceptedPerSecond' | 'refused' | 'unknown' | 'skipped' | 'odd'>;

const SAMPLE = 50;
const EXAMPLES = 5;

type Call = (method: 'GET', route: string) => Promise<Answer>;

export async function judge(entries: LedgerEntries, call: Call): Promise<Found> {
  const examples: Record<string, string[]> = {};
  const counts = { wrongBody: 0, badSignature: 0, foreign: 0, neverAccepted: 0, doubled: 0 };
  const note = (kind: keyof typeof counts | 'lost', example: string): void => {
    if (kind !== 'lost') counts[kind] += 1;
    const list = (examples[kind] ??= []);
    if (list.length < EXAMPLES) list.push(example);
  };
  const { lost, failed } = await judgeMissing(entries, call, (example) => note('lost', example));
  let duplicates = 0;
  for (const [eventId, arrivals] of entries.arrivals()) {
    const promised = entries.promiseOf(eventId);
    duplicates += countDuplicates(arrivals);
    if (!isWhatWasAsked(arrivals, promised)) note('wrongBody', eventId);
    for (const { unproven, url } of arrivals) {
      if (unproven !== undefined && !isSignedRight(unpack(unproven), entries.secretsOf(url)))
        note('badSignature', `${eventId} at ${url}`);
    }
    if (promised !== undefined) {
      const foreign = arrivals.filter(({ url }) => !promised.urls.includes(url));
      for (const { url } of foreign) note('foreign', `${eventId} at ${url}`);
    } else if (!entries.isUnknown(arrivals[0]!.mark)) {
      note('neverAccepted', `${eventId}, mark ${arrivals[0]!.mark}`);
    }
  }
  for (const mark of doubledMarks(entries)) note('doubled', mark);
  for (const eventId of await differingFromStored(entries, call)) note('wrongBody', eventId);
  const accepted = [...entries.promises()].length;
  return { accepted, lost, failed, duplicates, ...counts, examples };
}

async function judgeMissing(
  entries: LedgerEntries,
  call: Call,
  note: (example: string) => void,
): Promise<{ lost: number; failed: number }> {
  let lost = 0;
  let failed = 0;
  for (const { promised, url } of entries.missing()) {
    const { deliveryId, eventId } = promised;
    const shown =
      deliveryId === '-' ? undefined : await call('GET', `/v1/deliveries/${deliveryId}`);
    const status = String(shown?.body.status ?? shown?.status ?? 'unseen');
    if (status === 'failed') failed += 1;
    else {
      lost += 1;
      note(`${eventId} (${deliveryId}, ${status}) for ${url}`);
    }
  }
  return { lost, failed };
}

/** Two on their way at once count too: what arrived after one that was then answered 2xx. */
function countDuplicates(arrivals: readonly Arrival[]): number {
  if (arrivals.length < 2) return 0;
  const sorted = arrivals.toSorted((a, b) => a.atMs - b.atMs);
  const done = new Set<string>();
  let duplicates = 0;
  for (const { url, acknowledged } of sorted) {
    if (done.has(url)) duplicates += 1;
    else if (acknowledged) done.add(url);
  }
  return duplicates;
}

function isWhatWasAsked(arrivals: readonly Arrival[], promised: Promised | undefined): boolean {
  const [first, ...others] = arrivals;
  if (others.some(({ body }) => body !== first!.body)) return false;
  return promised === undefined || promised.mark === first!.mark || promised.mark === '-';
}

function doubledMarks(entries: LedgerEntries): string[] {
  const eventOf = new Map<string, string>();
  const doubled = new Set<string>();
  const see = (mark: string, eventId: string): void => {
    if (!mark.startsWith(ONCE)) return;
    if ((eventOf.get(mark) ?? eventId) !== eventId) doubled.add(mark);
    eventOf.set(mark, eventId);
  };
  for (const { mark, eventId } of entries.promises()) see(mark, eventId);
  for (const [eventId, arrivals] of entries.arrivals()) see(arrivals[0]!.mark, eventId);
  return [...doubled];
}

/** Of a sample: the bytes of the stored event, in the envelope's order, beside what arrived. */
async function differingFromStored(entries: LedgerEntries, call: Call): Promise<string[]> {
  const ids = [...entries.promises()].map(({ eventId }) => eventId);
  const step = Math.max(1, Math.floor(ids.length / SAMPLE));
  const differing: string[] = [];
  for (let i = 0; i < ids.length; i += step) {
    const arrivals = entries.arrivalsOf(ids[i]!);
    if (arrivals.length === 0) continue; // Lost, and counted as that.
    const { body } = await call('GET', `/v1/events/${ids[i]}`);
    const { id, type, created, data } = body;
    const stored = JSON.stringify({ id, type, created, data });
    const hash = createHash('sha256').update(stored).digest('base64url');
    if (arrivals[0]!.body !== hash) differing.push(ids[i]!);
  }
  return differing;
}
