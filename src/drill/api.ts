import { delay, monotonicMs } from '../clock.ts';
/** The REST API as a program outside calls it. */
export type Api = {
  /** @throws Error with what was answered, unless that is 2xx */
  call: (method: string, path: string, body?: object) => Promise<Json>;
};
// oxlint-disable-next-line typescript/no-explicit-any -- what comes back is looked at field by field
export type Json = any;

const CALL_MS = 15_000;
const TRIES = 5;
const RETRY_MS = 500;

/** Reads are asked again when nobody answers: pods may be replaced meanwhile. */
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

/** Asks until it is so. @throws Error naming what was waited for */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  { timeoutMs = 60_000, everyMs = 250 } = {},
): Promise<T> {
  const endMs = monotonicMs() + timeoutMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (monotonicMs() > endMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(everyMs);
  }
}
