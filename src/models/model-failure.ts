import { APIError } from 'openai/core/error';
import { epochMs } from '../clock.ts';
import { EgressFailure } from '../platform/egress/failure.ts';
import { retryAfterMs } from '../platform/egress/retry-after.ts';
import type { Ending } from './answers/finish-reason.ts';
import type { ModelErrorCode } from './model.ts';
import { DEFAULT_PROVIDER } from './model-provider.ts';

/**
 * Error for a response that is not a valid answer. `what` describes the response, such as `answered without a body`.
 */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer';
  /** Whether the same request may be sent again, as long as no part of the answer was used. */
  readonly mayRetry: boolean;
  readonly code: ModelErrorCode;

  constructor(
    what: string,
    options: ErrorOptions & { mayRetry?: boolean; code?: ModelErrorCode } = {},
  ) {
    super(what, options);
    this.mayRetry = options.mayRetry ?? false;
    this.code = options.code ?? 'model_invalid_answer';
  }
}

/** A request that failed. `message` is safe to show, because it contains none of the provider's text. */
export type Failure = {
  code: ModelErrorCode;
  message: string;
  /** Whether the same request may succeed later. */
  mayRetry: boolean;
  /** Pause in ms that the provider requests. */
  retryAfterMs: number | undefined;
  /** The provider's error in lower case. It reveals which feature is unsupported. It is never shown. */
  refusal?: string;
  cause?: unknown;
};

/**
 * Pattern for error codes that are plain words and therefore safe to show. Whole sentences are not safe, because
 * providers quote keys and prompts in them.
 */
const PLAIN_WORD = /^[a-z]{1,20}(_[a-z]{1,20}){0,4}$/;
/** Error code for an exhausted quota. A retry cannot succeed. */
const OUT_OF_QUOTA = 'insufficient_quota';

export function readFailure(error: unknown, from: { provider: string; model: string }): Failure {
  const who = `The provider "${from.provider}"`;
  const egress = causeOf(error, (cause) => cause instanceof EgressFailure);
  if (egress instanceof EgressFailure) return unreachable(who, egress);
  if (error instanceof InvalidAnswer) {
    return { ...once(error.code, `${who} ${error.message}.`), mayRetry: error.mayRetry };
  }
  if (error instanceof SyntaxError) {
    return once('model_invalid_answer', `${who} streamed invalid JSON.`);
  }
  if (error instanceof APIError) return ofError(error, { ...from, who });
  // An unexpected error is a bug in Parley, not in the provider. `cause` makes the log show the error.
  return {
    ...once(
      'model_failed',
      `The request to the provider "${from.provider}" failed because of an internal error.`,
    ),
    cause: error,
  };
}

function ofError(error: APIError, from: { provider: string; who: string; model: string }): Failure {
  const { who } = from;
  const { status } = error;
  const word = plainWordOf(error);
  const refusal = `${JSON.stringify(error.error ?? '')} ${error.message}`.toLowerCase();
  if (isFiltered(refusal, status)) {
    const told = status === undefined ? '' : ` (${status}${word === '' ? '' : `,${word}`})`;
    const message = `${who} rejected this message${told}: its content filter does not allow it.`;
    return { ...once('model_content_filter', message), refusal };
  }
  if (status !== undefined) return { ...ofStatus(error, { ...from, word }, status), refusal };
  const message = `${who} ended its answer with an error${word}.`;
  return { ...once('model_failed', message), mayRetry: true, refusal };
}

/** Pattern for content filter errors of Azure, OpenAI, DashScope, DeepSeek, Gemini and Zhipu. */
const FILTERED =
  /content_?filter|content[ _]?(management )?policy|responsibleai|data_inspection|inappropriate content|content exists risk|prohibited_content|blocked (due to|by|because)|flagged|moderation|"1301"/;

function isFiltered(refusal: string, status: number | undefined): boolean {
  const mayBe =
    status === undefined || status === 400 || status === 403 || status === 422 || status === 451;
  return mayBe && FILTERED.test(refusal);
}

function once(code: ModelErrorCode, message: string): Failure {
  return { code, message, mayRetry: false, retryAfterMs: undefined };
}

function unreachable(who: string, { errorClass, message }: EgressFailure): Failure {
  return {
    code: 'model_unreachable',
    message: `${who} cannot be reached: ${message}`,
    // An invalid certificate or a blocked address is permanent.
    mayRetry: errorClass === 'connect' || errorClass === 'dns' || errorClass === 'timeout',
    retryAfterMs: undefined,
  };
}

function ofStatus(
  error: APIError,
  from: { provider: string; who: string; word: string; model: string },
  status: number,
): Failure {
  const { who, word, model } = from;
  const isDefault = from.provider === DEFAULT_PROVIDER;
  const url = isDefault ? 'PARLEY_MODEL_URL' : "the provider's base URL";
  const key = isDefault ? 'PARLEY_MODEL_KEY' : 'the key';
  const told = `(${status}${word === '' ? '' : `,${word}`})`;
  const where = `check ${url}, which usually ends in /v1`;
  if (status < 400) {
    const message = `${who} answered with a redirect ${told}, which Parley does not follow: set ${url} to the address of the API.`;
    return once('model_refused', message);
  }
  if (status === 401 || status === 403) {
    const message = `${who} rejected the key ${told}: check ${key}, and make sure that it may use the model "${model}".`;
    return once('model_unauthorized', message);
  }
  if (status === 404 || status === 405) {
    return once(
      'model_refused',
      `${who} does not know the model "${model}" ${told}: check its name, and ${where}.`,
    );
  }
  if (status === 429) return limited(error, who, told);
  if (status >= 500 || status === 408 || status === 409) {
    return {
      code: 'model_failed',
      message: `${who} failed ${told}: try again later, or add a fallback to the agent.`,
      mayRetry: true,
      retryAfterMs: retryAfterMs(error.headers ?? {}, epochMs()),
    };
  }
  return once(
    'model_refused',
    `${who} rejected the request ${told}: check which inputs and parameters the model "${model}" accepts.`,
  );
}

function limited(error: APIError, who: string, told: string): Failure {
  const isOut = error.code === OUT_OF_QUOTA || error.type === OUT_OF_QUOTA;
  const advice = isOut
    ? 'the account has no credit left'
    : 'there are too many requests; try again later';
  return {
    code: 'model_rate_limited',
    message: `${who} limits requests with this key ${told}: ${advice}.`,
    mayRetry: !isOut,
    retryAfterMs: retryAfterMs(error.headers ?? {}, epochMs()),
  };
}

/**
 * Returns the code of an error with a leading space, such as ` context_length_exceeded`, or '' if it has no code that
 * is safe to show.
 */
function plainWordOf({ code, type }: APIError): string {
  const words = [code, type].filter((one) => typeof one === 'string');
  const word = words.find((one) => PLAIN_WORD.test(one));
  return word === undefined ? '' : ` ${word}`;
}

/**
 * Returns an error if the server ended the answer for a reason that makes it unusable, or `undefined` if the answer is
 * usable.
 */
export function badEnd(
  ending: Ending | undefined,
  about: { reason: string | undefined; hasPart: boolean },
): InvalidAnswer | undefined {
  const word = PLAIN_WORD.test(about.reason ?? '') ? ` (${about.reason})` : '';
  if (ending === 'malformed') {
    return new InvalidAnswer(`answered with a malformed tool call${word}`, {
      mayRetry: true,
    });
  }
  if (ending === 'broken') {
    return new InvalidAnswer(`stopped in the middle of its answer${word}`, {
      mayRetry: true,
      code: 'model_failed',
    });
  }
  if (ending !== 'unknown' || about.hasPart) return undefined;
  return new InvalidAnswer(`ended its answer without any content${word}`, { mayRetry: true });
}

function causeOf(error: unknown, is: (cause: unknown) => boolean): unknown {
  let at = error;
  for (let depth = 0; depth < 5 && at !== undefined; depth += 1) {
    if (is(at)) return at;
    at = at instanceof Error ? at.cause : undefined;
  }
  return undefined;
}
