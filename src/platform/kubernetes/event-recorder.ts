import { randomBytes } from 'node:crypto';
import { delay, epochMs } from '../../clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { ResourceEvent } from '../resources/resource-store.ts';
import { MERGE_PATCH, type KubeClient } from './client.ts';
import { createEventCorrelator, type EventSeries, type EventSubject } from './event-correlator.ts';
import { isKubeError } from './kube-error.ts';
import { microTime } from './lease-record.ts';

/**
 * Reports what happened to an object as events.k8s.io/v1 Events, which `kubectl describe` and `kubectl events` show.
 * The recorder works on a best-effort basis: it never throws or waits, and it drops events that the server rejects or
 * that exceed the rate limits. Nothing may depend on an Event.
 */
export type EventRecorder = {
  record: (about: EventSubject, event: ResourceEvent) => void;
  /** Sends pending events for at most 2 s, and drops events recorded later. May be called more than once. */
  stop: () => Promise<void>;
};

export type EventRecorderDeps = {
  client: Pick<KubeClient, 'request'>;
  /** Controller name in the form `DOMAIN/NAME`. It is the same for all replicas. */
  reportingController: string;
  /** Name of this replica's pod. */
  reportingInstance: string;
  log: Pick<Logger, 'debug'>;
  /** Monotonic clock. */
  nowMs: () => number;
  /** Unix time in ms for the timestamps of the Events. */
  wallMs?: () => number;
  /** Returns at most 16 hexadecimal digits that make the name of an Event unique. */
  uniqueHex?: () => string;
};

const QUEUE_MAX = 1_000;
const FLUSH_MS = 2_000;
const CALL_TIMEOUT_MS = 10_000;
/** The server's limits, in bytes. The name of an Event ends with a unique suffix of 17 bytes. */
const NOTE_BYTES = 1_024;
const INSTANCE_BYTES = 128;
const NAME_PREFIX_BYTES = 253 - 17;

export function createEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const { log, nowMs } = deps;
  const correlator = createEventCorrelator({ nowMs });
  /**
   * Series that are waiting to be sent. A series is queued at most once, however often its count increases before it is
   * sent.
   */
  const queue = new Set<EventSeries>();
  const cancelling = new AbortController();
  const send = createSend(deps, cancelling.signal);
  let sending: Promise<void> | undefined;
  let isStopped = false;

  const record: EventRecorder['record'] = (about, event) => {
    try {
      if (isStopped) return;
      const series = correlator.correlate(about, {
        ...event,
        note: cutToBytes(event.note, NOTE_BYTES),
      });
      if (!series) return;
      if (queue.size >= QUEUE_MAX && !queue.has(series)) {
        return log.debug({ reason: event.reason }, 'dropped an event: too many events are waiting');
      }
      queue.add(series);
      sending ??= sendAll();
    } catch (error) {
      log.debug({ err: error }, 'could not record an event');
    }
  };

  /** Sends one event at a time, because events are the least important requests to the API server. */
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
    const tooLong = delay(FLUSH_MS, { signal: flushed.signal }).then(
      () => {
        queue.clear();
        cancelling.abort(new Error('the event recorder is stopping'));
      },
      () => undefined,
    );
    await sending;
    flushed.abort();
    await tooLong;
  }

  return { record, stop };
}

/**
 * Returns a function that creates or updates the Event of a series in the cluster. The function stores the Event's name
 * in the series.
 * @throws KubeError if the server rejects the request; KubeConnectionError if there is no response
 */
function createSend(
  deps: EventRecorderDeps,
  signal: AbortSignal,
): (series: EventSeries) => Promise<void> {
  const { client, nowMs, wallMs = epochMs } = deps;
  const { uniqueHex = (): string => randomBytes(8).toString('hex') } = deps;
  const limits = { timeoutMs: CALL_TIMEOUT_MS, signal };
  const countOf = ({ count, lastAtMs }: EventSeries) => ({
    count,
    lastObservedTime: microTime(wallMs() - (nowMs() - lastAtMs)),
  });

  async function create(series: EventSeries): Promise<void> {
    const { about, text } = series;
    const { namespace } = about;
    const name = `${about.name.slice(0, NAME_PREFIX_BYTES).replace(/[-.]+$/, '')}.${uniqueHex()}`;
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name },
      eventTime: microTime(wallMs()),
      reportingController: deps.reportingController,
      reportingInstance: cutToBytes(deps.reportingInstance, INSTANCE_BYTES),
      regarding: about,
      type: text.type,
      reason: text.reason,
      action: text.action,
      note: cutToBytes(text.note, NOTE_BYTES),
      ...(series.count > 1 && { series: countOf(series) }),
    };
    await client.request({ method: 'POST', path: eventsPath(namespace), body, ...limits });
    series.name = name;
  }

  return async (series) => {
    if (series.name === undefined) return create(series);
    try {
      await client.request({
        method: 'PATCH',
        path: `${eventsPath(series.about.namespace)}/${series.name}`,
        body: { series: countOf(series) },
        contentType: MERGE_PATCH,
        ...limits,
      });
    } catch (error) {
      if (!isKubeError(error, 404)) throw error;
      // Kubernetes deletes Events after an hour. The count restarts at 1 in a new Event, because the old Event is no
      // longer visible.
      delete series.name;
      series.count = 1;
      await create(series);
    }
  };
}

function eventsPath(namespace: string): string {
  return `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
}

/** Truncates a string to a number of UTF-8 bytes without splitting a character. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
