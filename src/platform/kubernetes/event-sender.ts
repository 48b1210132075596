import { randomBytes } from 'node:crypto';
import { MERGE_PATCH, type KubeClient } from './client.ts';
import type { EventSeries } from './event-correlator.ts';
import { isKubeError } from './kube-error.ts';
import { microTime } from './lease-record.ts';

export type EventSenderDeps = {
  client: Pick<KubeClient, 'request'>;
  reportingController: string;
  reportingInstance: string;
  nowMs: () => number;
  wallMs?: () => number;
  uniqueHex?: () => string;
  signal: AbortSignal;
};

const CALL_TIMEOUT_MS = 10_000;
/** Limits of the server, in bytes; a name gets 17 more. */
export const NOTE_BYTES = 1_024;
const INSTANCE_BYTES = 128;
const NAME_PREFIX_BYTES = 253 - 17;

/**
 * Makes the cluster's Event say what the series says; remembers its name there.
 * @throws KubeError the server refused it; KubeConnectionError
 */
export function createEventSender(deps: EventSenderDeps): {
  send: (series: EventSeries) => Promise<void>;
} {
  const { client, nowMs, wallMs = Date.now } = deps;
  const { uniqueHex = (): string => randomBytes(8).toString('hex') } = deps;
  const limits = { timeoutMs: CALL_TIMEOUT_MS, signal: deps.signal };
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

  return {
    send: async (series) => {
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
        // Events are deleted after an hour. It begins anew, as nobody can see the old ones.
        delete series.name;
        series.count = 1;
        await create(series);
      }
    },
  };
}

function eventsPath(namespace: string): string {
  return `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
}

/** At most so many bytes of UTF-8, without half a character at the end. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
