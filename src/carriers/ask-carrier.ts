import type { EgressClient } from '../platform/egress/client.ts';

/** Request to a carrier's REST API. */
export type CarrierQuestion = {
  url: string;
  /** Value of the `Authorization` header. */
  authorization: string;
  /** HTTP method. If absent, requests with a body use POST, and others use GET. */
  method?: 'DELETE';
  body?: { type: string; text: string };
  timeoutMs?: number;
};

/** A carrier's response. `body` is the parsed JSON, or undefined if the response is not JSON. */
export type CarrierAnswer = { status: number; body: unknown };

const TIMEOUT_MS = 10_000;
/** Timeout in ms for a request whose result a client of Parley is waiting for. */
export const SHORT_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Sends a request to a carrier.
 * @throws Error if the carrier does not respond
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
    // Requests with a body are never retried, because a repeated request to place a call would place a second call.
    ...(body && { once: true }),
  });
  if (outcome.kind === 'error')
    throw new Error(`the request to the carrier failed: ${outcome.message}`);
  return { status: outcome.statusCode, body: parsed(await outcome.body) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Error for a call that the carrier refuses to place. Retrying cannot help. `message` is safe to log. */
export class DialRefused extends Error {
  override readonly name = 'DialRefused';
}

/** Returns the error for a refused request to place a call. `why` is the reason in the carrier's own words. */
export function refusalOf(status: number, why: string): Error {
  const reason = `the carrier responded with ${status}${why}`;
  // Status 429 and server errors may be temporary.
  const isFinal = status >= 400 && status < 500 && status !== 429;
  return isFinal ? new DialRefused(reason) : new Error(reason);
}
