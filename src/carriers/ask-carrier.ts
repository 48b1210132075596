import type { EgressClient } from '../platform/egress/client.ts';

/** A request to the API of a carrier. */
export type CarrierQuestion = {
  url: string;
  /** Value of the `Authorization` header. */
  authorization: string;
  /** Defaults to POST with a body, otherwise to GET. */
  method?: 'DELETE';
  body?: { type: string; text: string };
  timeoutMs?: number;
};

/** `body` is undefined if it is not JSON. */
export type CarrierAnswer = { status: number; body: unknown };

const TIMEOUT_MS = 10_000;
/** Timeout of requests that a client waits for. */
export const SHORT_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Sends a request to a carrier.
 * @throws Error if the carrier does not answer
 */
export async function askCarrier(
  egress: Pick<EgressClient, 'send'>,
  { url, authorization, body, method, timeoutMs = TIMEOUT_MS }: CarrierQuestion,
): Promise<CarrierAnswer> {
  const outcome = await egress.send({
    url,
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      authorization,
      accept: 'application/json',
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { body: body.text }),
    timeoutMs,
    maxResponseBytes: ANSWER_BYTES_MAX,
    // Sent once only: a call that is placed twice rings twice.
    ...(body && { once: true }),
  });
  if (outcome.kind === 'error') throw new Error(`the carrier: ${outcome.message}`);
  return { status: outcome.statusCode, body: parsed(await outcome.body) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Thrown if the carrier will not place the call, now or later. `message` is safe to log. */
export class DialRefused extends Error {
  override readonly name = 'DialRefused';
}

/** Returns the error for a refused dial request. `why` is the carrier's own text. */
export function refusalOf(status: number, why: string): Error {
  const reason = `the carrier answers ${status}${why}`;
  // 429 and errors on the carrier's side may be temporary.
  const isFinal = status >= 400 && status < 500 && status !== 429;
  return isFinal ? new DialRefused(reason) : new Error(reason);
}
