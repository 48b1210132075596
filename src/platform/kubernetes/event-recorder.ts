import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../observability/logger.ts';
import type { ResourceEvent } from '../resources/resource-events.ts';
import type { KubeClient } from './client.ts';
import { createEventCorrelator, type EventSeries, type EventSubject } from './event-correlator.ts';
import { createEventSender, cutToBytes, NOTE_BYTES } from './event-sender.ts';

/**
 * Tells people what happened to an object, by events.k8s.io/v1 Events (`kubectl describe`,
 * `kubectl events`). Best effort, and never in anybody's way: does not throw, does not wait, and
 * drops what the server refuses or what there is too much of. Nothing may depend on an Event.
 */
export type RecordEvent = (about: EventSubject, event: ResourceEvent) => void;

export type EventRecorder = {
  record: RecordEvent;
  /** Sends what waits, for 2 s at most. May be called twice; what is recorded later is dropped. */
  stop: () => Promise<void>;
};

export type EventRecorderDeps = {
  client: Pick<KubeClient, 'request'>;
  /** `DOMAIN/NAME`, the same for all replicas */
  reportingController: string;
  /** Which replica: the pod's name */
  reportingInstance: string;
  log: Pick<Logger, 'debug'>;
  /** Monotonic */
  nowMs: () => number;
  /** Since 1970; is written into the Events. */
  wallMs?: () => number;
  /** Makes names of Events unique: hexadecimal digits, at most 16. */
  uniqueHex?: () => string;
};

const QUEUE_MAX = 1_000;
const FLUSH_MS = 2_000;

export function createEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const { log, nowMs } = deps;
  const correlator = createEventCorrelator({ nowMs });
  /** A series waits once, however often it counts up meanwhile. */
  const queue = new Set<EventSeries>();
  const cancelling = new AbortController();
  const { send } = createEventSender({ ...deps, signal: cancelling.signal });
  let sending: Promise<void> | undefined;
  let isStopped = false;

  const record: RecordEvent = (about, event) => {
    try {
      if (isStopped) return;
      const series = correlator.correlate(about, {
        ...event,
        note: cutToBytes(event.note, NOTE_BYTES),
      });
      if (!series) return;
      if (queue.size >= QUEUE_MAX && !queue.has(series)) {
        return log.debug({ reason: event.reason }, 'too many events wait; dropped one');
      }
      queue.add(series);
      sending ??= sendAll();
    } catch (error) {
      log.debug({ err: error }, 'could not record an event');
    }
  };

  /** One after the other: events are the least important thing the server is asked for. */
  async function sendAll(): Promise<void> {
    for (const series of queue) {
      queue.delete(series);
      try {
        await send(series);
      } catch (error) {
        const { kind, namespace, name } = series.about;
        log.debug({ err: error, kind, namespace, name }, 'dropped an event');
      }
    }
    sending = undefined;
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const flushed = new AbortController();
    const tooLong = setTimeout(FLUSH_MS, undefined, { signal: flushed.signal }).then(
      () => {
        queue.clear();
        cancelling.abort(new Error('the recorder stops'));
      },
      () => undefined,
    );
    await sending;
    flushed.abort();
    await tooLong;
  }

  return { record, stop };
}
