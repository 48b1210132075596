import { createParleyClient, ParleyError } from '@parley/client';
import type { paths } from '../../../client/src/api.ts';

/**
 * Client of the public API, authenticated by the session cookie. All requests of the dashboard use it. Queries and
 * mutations wrap a call in `ok(parley.GET(…))`, so that a failure becomes a ParleyError.
 */
export const parley = createParleyClient({ baseUrl: window.location.origin });

export { ok, ParleyError } from '@parley/client';
export type { Agent, ItemOf, ListPath, Problem, Schemas } from '@parley/client';

/** Request body of a write operation: `BodyOf<'/v1/agents/{id}', 'patch'>`. */
export type BodyOf<Path extends keyof paths, Method extends 'post' | 'patch'> =
  paths[Path] extends Record<
    Method,
    { requestBody: { content: { 'application/json': infer Body } } }
  >
    ? Body
    : never;

/** An error as pages show it. If Parley responded, the title and the detail come from its response. */
export type Trouble = {
  title: string;
  detail: string;
  /** Request ID for support; null if there was no response. */
  requestId: string | null;
  /** Error code from the response; null if there was no response. */
  code: string | null;
};

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ParleyError) {
    const { problem, status } = error;
    return {
      title: problem?.title ?? `The server returned ${status}`,
      detail:
        problem?.detail ?? 'The response did not come from Parley but from a proxy in front of it.',
      requestId: problem?.request_id ?? null,
      code: problem?.code ?? null,
    };
  }
  const isNetwork = error instanceof TypeError;
  return {
    title: isNetwork ? 'Parley cannot be reached' : 'Something went wrong on this page',
    detail: isNetwork
      ? 'The connection failed. Check your network, then try again.'
      : String(error instanceof Error ? error.message : error),
    requestId: null,
    code: null,
  };
}

/** Returns the error for one field of the request, such as `/prompt`, or undefined if there is none. */
export function fieldError(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  return error.problem?.errors?.find((one) => one.pointer === pointer)?.detail;
}

/** Returns the per-field errors that the API reported for a request. */
export function problemsIn(error: unknown): readonly { pointer: string; detail: string }[] {
  return (error instanceof ParleyError && error.problem?.errors) || [];
}

/** Returns all errors at a pointer and below it (`/tools` includes `/tools/0/url`), or undefined if there are none. */
export function fieldErrors(error: unknown, pointer: string): string | undefined {
  return problemsAt(problemsIn(error), pointer);
}

export function problemsAt(
  problems: readonly { pointer: string; detail: string }[],
  pointer: string,
): string | undefined {
  const texts = problems
    .filter((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
    .map((one) => [one.pointer.slice(pointer.length + 1), one.detail].filter(Boolean).join(': '));
  return texts.length === 0 ? undefined : texts.join('; ');
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ParleyError && error.problem?.code === code;
}
