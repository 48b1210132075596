import type { IncomingHttpHeaders } from 'node:http';
import { clearInterval, setInterval } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import type { Idempotency, KeptAnswer, Mark } from '../idempotency/idempotency.ts';
import { freshPlan } from '../idempotency/plan.ts';
import { noCommitHook } from '../postgres/commit-hook.ts';
import { asApiError, errorAnswer } from './answer.ts';
import { wantsEvents } from './sse.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';
import type { Caller } from './authorize.ts';
import type { Answer, Answering, ErrorShape, Repeatable, Route } from './route.ts';

/**
 * HTTP side of `Idempotency-Key` (contract/idempotency.md#keys). The code in platform/idempotency stores the responses.
 */

export type AuthenticatedRequest = {
  route: Pick<Route, 'method' | 'eventsOf' | 'errorShape' | 'asksForEvents'>;
  /** Path and query as sent. */
  url: string;
  headers: IncomingHttpHeaders;
  readBytes: () => Promise<Buffer>;
  caller: Caller;
};

/**
 * Runs a request, or returns the stored response if an earlier request had the same key. `run` is called at most once.
 * @throws ApiError malformed_request, idempotency_key_reused, idempotency_in_progress
 */
export type RunOnce = (
  request: AuthenticatedRequest,
  run: (repeatable: Repeatable) => Promise<Answer>,
) => Promise<Answer>;

export function createRunOnce(deps: { idempotency: Idempotency; nowMs: () => number }): RunOnce {
  return async (request, run) => {
    const key = keyIn(request);
    if (key === undefined) return run({ answering, plan: freshPlan(deps.nowMs()) });
    const { caller, route, url } = request;
    const [path = '', ...query] = url.split('?');
    const begun = await deps.idempotency.begin({
      apiKeyId: caller.keyId,
      method: route.method,
      path,
      key,
      content: [query.join('?'), await request.readBytes()],
    });
    if ('kept' in begun) return await replayed(request, begun.kept);
    return runMarked({ ...begun, request, pool: deps.idempotency.pool, run });
  };
}

const KEY = /^[ -~]{1,255}$/;

/**
 * Returns the idempotency key, or undefined if the request has none. Only POST requests use the key, because the other
 * methods are safe to repeat anyway.
 */
function keyIn({ route, headers }: AuthenticatedRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (route.method !== 'post' || key === undefined) return undefined;
  const text = String(key);
  if (KEY.test(text)) return text;
  const detail = 'Idempotency-Key must have 1 to 255 printable ASCII characters.';
  throw new ApiError('malformed_request', detail);
}

/** Runs an action without storing its response. */
export const answering: Answering = async (act, view) => view(await act(noCommitHook));

async function runMarked({
  mark,
  request,
  pool,
  run,
}: {
  mark: Mark;
  request: AuthenticatedRequest;
  pool: Idempotency['pool'];
  run: (repeatable: Repeatable) => Promise<Answer>;
}): Promise<Answer> {
  const { requestId } = request.caller;
  let isKept = false;
  const keeping: Answering = async (act, view) => {
    let kept: Answer | undefined;
    type Result = Parameters<typeof view>[0];
    const result = await act(async (db, value) => {
      kept = view(value as Result); // The cast is safe: `act` passes its own return value to the hook (commit-hook.ts).
      if (kept.status < 500) await mark.keep(db, keptOf(kept, requestId));
    });
    isKept = kept !== undefined && kept.status < 500;
    return kept ?? view(result);
  };
  const failed = async (error: unknown): Promise<void> => {
    if (!isKept) await keepFailure(mark, { error, requestId, pool, shape: shapeOf(request) });
  };
  try {
    const answer = await renewing(mark, () => run({ answering: keeping, plan: mark.plan }));
    const { stream } = answer;
    if (!stream) {
      // Bytes, such as audio, are not stored, so a repeated request runs again.
      if (answer.status >= 500 || answer.bytes) await mark.abandon();
      else if (!isKept) await mark.keep(pool, keptOf(answer, requestId));
      return answer;
    }
    return {
      ...answer,
      stream: async (send, signal) => {
        try {
          await renewing(mark, () => stream(send, signal));
          // No response was stored, because the client disconnected before any work was done or because the result is a
          // failure.
          if (!isKept) await mark.abandon();
        } catch (error) {
          await failed(error);
          throw error;
        }
      },
    };
  } catch (error) {
    await failed(error);
    throw error;
  }
}

/**
 * Interval in ms at which the idempotency record is renewed: a third of the 60 s after which a repeated request may
 * take it over. Without renewals, a repeated request would run the action again while a slow model is still responding
 * to the first one.
 */
const RENEW_MS = 20_000;

async function renewing<T>(mark: Mark, work: () => Promise<T>): Promise<T> {
  // If renewing fails, the idempotency record expires, just as it does when the process is killed.
  const timer = setInterval(() => void mark.renew().catch(() => undefined), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Stores an error response like any other response, unless a retry may help (for example after an internal error or an
 * outage). In that case, stores nothing, and the next request with the same key runs the action again. That request
 * uses the same plan (plan.ts), so it does not redo steps that are already done.
 */
async function keepFailure(
  mark: Mark,
  {
    error,
    requestId,
    pool,
    shape,
  }: { error: unknown; requestId: string; pool: Idempotency['pool']; shape: ErrorShape },
): Promise<void> {
  const shown = asApiError(error);
  try {
    const kept = keptOf(errorAnswer(shown, requestId, shape), requestId);
    if (isLasting(shown)) await mark.keep(pool, kept);
    else await mark.abandon();
  } catch {
    // The database is unavailable, so the idempotency record stays until it expires. The caller still gets the original
    // error.
  }
}

function isLasting({ status, code }: ApiError): boolean {
  // This error is not stored: another request has taken over the idempotency record, and the response to that request
  // will be stored.
  if (code === 'idempotency_in_progress') return false;
  return status < 500 && status !== 429 && status !== 401;
}

function keptOf({ status, headers = {}, body }: Answer, requestId: string): KeptAnswer {
  return { status, headers, ...(body !== undefined && { body }), requestId };
}

/**
 * Returns the stored response unchanged. The response keeps its original `Request-Id`, because a problem document also
 * contains that id.
 */
async function replayed(request: AuthenticatedRequest, kept: KeptAnswer): Promise<Answer> {
  const { route, headers: sent } = request;
  const { status, body } = kept;
  const headers = {
    ...kept.headers,
    'Idempotency-Replayed': 'true',
    'Request-Id': kept.requestId,
  };
  const asks = route.asksForEvents
    ? route.asksForEvents(await request.readBytes())
    : wantsEvents(sent.accept);
  if (status < 400 && route.eventsOf && asks) {
    return { status, headers, stream: route.eventsOf(body) };
  }
  const isProblem = status >= 400 && shapeOf(request) === 'problem';
  const mediaType = isProblem ? { mediaType: PROBLEM_MEDIA_TYPE } : {};
  return { status, headers, body, ...mediaType };
}

function shapeOf({ route }: AuthenticatedRequest): ErrorShape {
  return route.errorShape ?? 'problem';
}
