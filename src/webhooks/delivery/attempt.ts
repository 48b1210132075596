import { fromUuid } from '../../ids.ts';
import {
  contextOf,
  inSpan,
  isTracing,
  SpanKind,
  traceHeaders,
} from '../../platform/observability/trace-context.ts';
import { failpoint } from '../../failpoints.ts';
import type { EgressOutcome, EgressRequest } from '../../platform/egress/client.ts';
import { retryAfterMs } from '../../platform/egress/retry-after.ts';
import type { RequestOutcome } from '../../platform/observability/metrics.ts';
import type { AttemptResult, ClaimedDelivery } from '../queue/dispatch-queue.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { openHeaders, type Headers } from '../endpoints/endpoint-headers.ts';
import { endpointSecretPlace } from '../endpoints/endpoint-secrets.sql.ts';
import { signedHeaders } from '../endpoints/signed-headers.ts';
import { nextAttemptOffsetMs } from './retry-schedule.ts';

/**
 * Timeout of an attempt in ms. A delivery is acknowledged by a 2xx status whose headers arrive within this time
 * (contract/deliveries.md#acknowledgement). Every other outcome is a failure, including a redirect.
 */

export const ATTEMPT_TIMEOUT_MS = 10_000;
const RESPONSE_BODY_BYTES_MAX = 4_096;

/** A claimed delivery that has a body to send. If the event was deleted or erased, its deliveries have no body. */
export type SendableDelivery = ClaimedDelivery & { body: Buffer };

export type AttemptDeps = {
  send: (request: EgressRequest) => Promise<EgressOutcome>;
  secrets: Pick<Sealer, 'open'>;
  userAgent: string;
  /** Monotonic clock. */
  nowMs: () => number;
  /** Wall clock, for the signed timestamp. */
  wallMs: () => number;
};

export type Attempt = {
  result: AttemptResult;
  request: RequestOutcome;
};

/**
 * Attempts a delivery: signs and sends the request, and classifies the response. A failure of the receiver is part of
 * the result and is never thrown.
 * @throws if the signing secret cannot be decrypted
 */
export async function attempt(deps: AttemptDeps, delivery: SendableDelivery): Promise<Attempt> {
  const startedMs = deps.nowMs();
  await failpoint('delivery.sending');
  const outcome = await sendTraced(deps, delivery);
  await failpoint('delivery.answered');
  const verdict = await judge(outcome, deps.wallMs());
  const ageMs = delivery.ageMs + deps.nowMs() - startedMs;
  return {
    request: verdict.request,
    result: {
      deliveryId: delivery.id,
      leaseToken: delivery.leaseToken,
      ...whatNext({ delivery, verdict, ageMs }),
      durationMs: outcome.durationMs,
      ...verdict.record,
    },
  };
}

/** Sends the request in its own span of the event's trace. The span omits the URL, which may contain a key. */
function sendTraced(deps: AttemptDeps, delivery: SendableDelivery): Promise<EgressOutcome> {
  const span = {
    name: 'parley.delivery',
    kind: SpanKind.CLIENT,
    parent: contextOf(delivery.traceparent),
    attributes: isTracing() ? aboutAttempt(delivery) : {},
  };
  return inSpan(span, async ({ set, fail }) => {
    const outcome = await deps.send(buildRequest(deps, delivery));
    if (outcome.kind === 'error') fail(outcome.errorClass);
    else {
      set({ 'http.response.status_code': outcome.statusCode });
      if (outcome.statusCode < 200 || outcome.statusCode > 299) fail(String(outcome.statusCode));
    }
    return outcome;
  });
}

function aboutAttempt({ id, eventId, endpointId, eventType, attempt: number }: SendableDelivery) {
  return {
    'http.request.method': 'POST',
    'parley.event.id': fromUuid('evt', eventId),
    'parley.event.type': eventType,
    'parley.endpoint.id': fromUuid('we', endpointId),
    'parley.delivery.id': fromUuid('dlv', id),
    'parley.delivery.attempt': number,
  };
}

/**
 * Builds the request described in contract/deliveries.md#headers. The headers configured for the endpoint are set
 * first, so that they never replace Parley's headers.
 */
function buildRequest(deps: AttemptDeps, delivery: SendableDelivery): EgressRequest {
  const { body, namespace, endpointId, otherSecret } = delivery;
  const place = endpointSecretPlace(namespace, endpointId);
  const secret = deps.secrets.open(delivery.secret, place);
  const other = otherSecret === null ? undefined : deps.secrets.open(otherSecret, place);
  const opened = (sealed: Buffer | null) =>
    openHeaders(deps.secrets, { namespace, id: endpointId }, sealed);
  const event = {
    id: fromUuid('evt', delivery.eventId),
    type: delivery.eventType,
    body,
    attempt: delivery.attempt,
    isTest: delivery.isTest,
    timestampSec: Math.floor(deps.wallMs() / 1_000),
  };
  return {
    url: delivery.url,
    method: 'POST',
    headers: {
      ...lowerCaseKeys(delivery.plainHeaders),
      ...lowerCaseKeys(opened(delivery.declaredHeaders)),
      ...lowerCaseKeys(opened(delivery.restHeaders)),
      ...signedHeaders({ userAgent: deps.userAgent, secret, other }, event),
      ...traceHeaders(),
    },
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    maxResponseBytes: RESPONSE_BODY_BYTES_MAX,
  };
}

type Verdict = {
  acknowledged: boolean;
  request: RequestOutcome;
  retryAfterMs: number;
  record: Pick<AttemptResult, 'statusCode' | 'errorClass' | 'errorMessage' | 'responseBody'>;
};

async function judge(outcome: EgressOutcome, wallMs: number): Promise<Verdict> {
  if (outcome.kind === 'error') {
    const { errorClass, message } = outcome;
    const request =
      errorClass === 'timeout' || errorClass === 'blocked' ? errorClass : 'connect_error';
    const record = { statusCode: null, errorClass, errorMessage: message, responseBody: null };
    return { acknowledged: false, request, retryAfterMs: 0, record };
  }
  const { statusCode } = outcome;
  const acknowledged = statusCode >= 200 && statusCode < 300;
  const redirect = statusCode >= 300 && statusCode < 400;
  const errorClass = acknowledged ? null : redirect ? 'redirect' : 'http_status';
  const responseBody = printable(await outcome.body);
  return {
    acknowledged,
    request: acknowledged ? 'acknowledged' : 'rejected',
    retryAfterMs: acknowledged ? 0 : (retryAfterMs(outcome.headers, wallMs) ?? 0),
    record: { statusCode, errorClass, errorMessage: null, responseBody },
  };
}

function whatNext(input: {
  delivery: ClaimedDelivery;
  verdict: Verdict;
  ageMs: number;
}): Pick<AttemptResult, 'outcome' | 'nextOffsetMs'> {
  const { delivery, verdict, ageMs } = input;
  if (verdict.acknowledged) return { outcome: 'delivered', nextOffsetMs: null };
  const nextOffsetMs = nextAttemptOffsetMs({
    deliveryId: delivery.id,
    startedMs: delivery.ageMs,
    ageMs,
    retryAfterMs: verdict.retryAfterMs,
    nextMs: delivery.ageMs - delivery.overdueMs,
  });
  return { outcome: nextOffsetMs === null ? 'failed' : 'retry', nextOffsetMs };
}

/** Returns the first 4 KiB of a response body as text. Replaces NUL characters, which PostgreSQL cannot store. */
function printable(body: Buffer): string {
  const text = body.toString('utf8').replaceAll('\0', '\uFFFD');
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(RESPONSE_BODY_BYTES_MAX));
  return text.slice(0, read);
}

function lowerCaseKeys(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
