import type { EgressClient } from '../platform/egress/client.ts';

/** One request to the API of a carrier. */
export type CarrierQuestion = {
  url: string;
  /** The header. */
  authorization: string;
  /** Default: POST with a body, else GET. */
  method?: 'DELETE';
  body?: { type: string; text: string };
  timeoutMs?: number;
};

/** `body` undefined: it is no JSON. */
export type CarrierAnswer = { status: number; body: unknown };

const TIMEOUT_MS = 10_000;
/** Of questions that somebody waits for. */
export const SHORT_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;

/** @throws Error when it gives no answer */
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
    // A call that is placed twice rings twice.
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

/** The carrier will not place the call, now or later; `message` is safe to show in a log. */
export class DialRefused extends Error {
  override readonly name = 'DialRefused';
}

/** Of an answer to "dial" that is no call; `why` as the carrier says it. */
export function refusalOf(status: number, why: string): Error {
  const reason = `the carrier answers ${status}${why}`;
  // 429 and what is wrong on its side may go by.
  const isFinal = status >= 400 && status < 500 && status !== 429;
  return isFinal ? new DialRefused(reason) : new Error(reason);
}
