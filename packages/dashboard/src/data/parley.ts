import { createParleyClient, ParleyError } from '@parley/client';

/**
 * The way to the API, and the only one: the client that everybody can use, signed in by the session's
 * cookie. `ok(parley.GET(…))` in queries and mutations, so that what went wrong is a ParleyError.
 */
export const parley = createParleyClient({ baseUrl: window.location.origin });

export { ok, ParleyError } from '@parley/client';
export type { Agent, ItemOf, ListPath, Problem, Schemas } from '@parley/client';

/** What a person is told of any error: in the API's words where it answered. */
export type Trouble = {
  title: string;
  detail: string;
  /** To tell us; null where nothing was answered. */
  requestId: string | null;
  /** Of the problem; null where nothing was answered. */
  code: string | null;
};

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ParleyError) {
    const { problem, status } = error;
    return {
      title: problem?.title ?? `The server answered ${status}`,
      detail: problem?.detail ?? 'It was not Parley that answered, but something before it.',
      requestId: problem?.request_id ?? null,
      code: problem?.code ?? null,
    };
  }
  const isNetwork = error instanceof TypeError;
  return {
    title: isNetwork ? 'Parley cannot be reached' : 'Something went wrong here',
    detail: isNetwork
      ? 'The connection failed. It is tried again as soon as you ask.'
      : String(error instanceof Error ? error.message : error),
    requestId: null,
    code: null,
  };
}

/** What is wrong with one field (`/prompt`) of what was sent; undefined: nothing. */
export function fieldError(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  return error.problem?.errors?.find((one) => one.pointer === pointer)?.detail;
}

/** All that is wrong at that place and inside it (`/tools`: `/tools/0/url`); undefined: nothing. */
export function fieldErrors(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  return problemsAt(error.problem?.errors ?? [], pointer);
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
