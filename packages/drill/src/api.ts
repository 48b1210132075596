import { delay, monotonicMs } from '../../../src/clock.ts';
/** Client for Parley's REST API. The drill uses the API like any external program. */
export type Api = {
  /** Returns the parsed body of the response. @throws Error with status and body if the status is not 2xx */
  call: (method: string, path: string, body?: object) => Promise<Json>;
};
// oxlint-disable-next-line typescript/no-explicit-any -- responses are read field by field
export type Json = any;

const CALL_MS = 15_000;
const TRIES = 5;
const RETRY_MS = 500;

/** Creates a client. The client retries failed GET requests, because pods may be replaced during a drill. */
export function createApi({ url, apiKey }: { url: string; apiKey: string }): Api {
  async function once(method: string, path: string, body?: object): Promise<Json> {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  return {
    call: async (method, path, body) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(method, path, body);
        } catch (error) {
          if (method !== 'GET' || tries === TRIES) throw error;
          await delay(RETRY_MS);
        }
      }
    },
  };
}

/**
 * Repeats `ask` until it returns a value. `what` describes the expected result. After the timeout, calls `why`, which
 * returns the likely cause.
 * @throws Error with the expected result and the likely cause, after `timeoutMs`
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  {
    timeoutMs = 60_000,
    everyMs = 250,
    why,
  }: { timeoutMs?: number; everyMs?: number; why?: () => Promise<string | undefined> } = {},
): Promise<T> {
  const endMs = monotonicMs() + timeoutMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (monotonicMs() > endMs) {
      const reason = await why?.().catch(String);
      const cause = reason === undefined ? '' : `: ${reason}`;
      throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}${cause}`);
    }
    await delay(everyMs);
  }
}

/** Returns the `status_message` of the object at an API path, or undefined if there is none. */
export async function statusMessageOf(api: Api, path: string): Promise<string | undefined> {
  const { status_message: message } = await api.call('GET', path);
  return message ?? undefined;
}
