import { LRUCache } from 'lru-cache';
import type { ResourceEvent } from '../resources/resource-store.ts';

export type EventSubject = {
  kind: string;
  apiVersion: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion?: string;
};

/** An Event in the cluster with its latest count and time. Repetitions of an event share one `EventSeries`. */
export type EventSeries = {
  about: EventSubject;
  text: ResourceEvent;
  count: number;
  /** Time of the last occurrence, by the correlator's monotonic clock `nowMs`. */
  lastAtMs: number;
  /** Name of the Event, once it has been created. */
  name?: string;
};

/**
 * Decides how to report an event, with the rules and limits of client-go's EventCorrelator. A repeated event increases
 * the count of its series. If more than 10 events differ only in their notes and follow each other within 10 minutes,
 * the eleventh and all later events share one Event object. After 25 events, an object may get only one more event
 * every 5 minutes.
 */
export type EventCorrelator = {
  /**
   * Counts an event. Returns the series of the event, which the caller must send. Returns undefined if the limits do
   * not allow sending now; the event is then included in the next count that is sent.
   */
  correlate: (about: EventSubject, text: ResourceEvent) => EventSeries | undefined;
};

const CACHE_ENTRIES = 4_096;
const SIMILAR_MAX = 10;
const SIMILAR_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
const COMBINED_PREFIX = '(combined from similar events): ';

export function createEventCorrelator({ nowMs }: { nowMs: () => number }): EventCorrelator {
  const bounds = { max: CACHE_ENTRIES };
  const series = new LRUCache<string, EventSeries>(bounds);
  const similar = new LRUCache<string, { notes: Set<string>; lastAtMs: number }>(bounds);
  const buckets = new LRUCache<string, { tokens: number; atMs: number }>(bounds);

  /**
   * Returns true if so many events differ only in their notes that this event must share an Event with others. This
   * happens, for example, if each note contains a time or an id.
   */
  function isOneOfMany(key: string, note: string): boolean {
    const found = similar.get(key);
    const isRecent = found && nowMs() - found.lastAtMs <= SIMILAR_WITHIN_MS;
    const record = isRecent ? found : { notes: new Set<string>(), lastAtMs: 0 };
    record.lastAtMs = nowMs();
    const isMany = record.notes.size >= SIMILAR_MAX && !record.notes.has(note);
    if (!isMany) record.notes.add(note);
    similar.set(key, record);
    return isMany;
  }

  function takeToken(key: string): boolean {
    const bucket = buckets.get(key) ?? { tokens: BURST, atMs: nowMs() };
    const refilled = (nowMs() - bucket.atMs) / REFILL_MS;
    const tokens = Math.min(BURST, bucket.tokens + refilled);
    const isAllowed = tokens >= 1;
    buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs() });
    return isAllowed;
  }

  return {
    correlate: (subjectAndMore, text) => {
      const about = pick(subjectAndMore);
      const { kind, apiVersion, namespace, name, uid } = about;
      const subject = JSON.stringify([kind, apiVersion, namespace, name, uid]);
      const sameButNote = JSON.stringify([subject, text.type, text.reason, text.action]);
      const isCombined = isOneOfMany(sameButNote, text.note);
      const key = isCombined ? sameButNote : JSON.stringify([sameButNote, text.note]);
      const found = series.get(key);
      const note = isCombined ? COMBINED_PREFIX + text.note : text.note;
      const entry = found ?? { about, text: { ...text, note }, count: 0, lastAtMs: 0 };
      entry.count += 1;
      entry.lastAtMs = nowMs();
      series.set(key, entry);
      return takeToken(subject) ? entry : undefined;
    },
  };
}

/**
 * Copies only the fields that are sent. The copy is kept for a long time, and the original may be part of a large
 * object.
 */
function pick(about: EventSubject): EventSubject {
  const { kind, apiVersion, namespace, name, uid, resourceVersion } = about;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return { kind, apiVersion, namespace, name, uid, ...version };
}
