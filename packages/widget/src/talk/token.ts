import type { Mode } from './frames.ts';
import { TalkError } from './trouble.ts';

/**
 * Token for talks with an agent, valid until `expires_at`. Both API operations that issue tokens return this object.
 */
export type TalkToken = {
  token: string;
  /** Time at which the token expires, in Unix seconds. */
  expires_at: number;
  socket_url: string;
  agent: { id: string; display_name?: string | null; language?: string | null };
  modes: readonly Mode[];
};

/** Requests a token for an anonymous visitor. Parley checks the origin of the page. @param server origin of Parley */
export function askForToken(server: string, agentId: string): Promise<TalkToken> {
  return post(`${server}/v1/widget/tokens`, { agent_id: agentId }, 'omit');
}

/**
 * Requests a token from the site's own server, which identifies the visitor with a cookie and requests the token from
 * Parley.
 */
export function askOwnServer(url: string): Promise<TalkToken> {
  return post(new URL(url, document.baseURI).href, {}, 'same-origin');
}

/**
 * Sends a request for a token.
 *
 * @throws TalkError `offline`, `bad_token`, or the code in the error response
 */
async function post(
  url: string,
  body: object,
  credentials: RequestCredentials,
): Promise<TalkToken> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      credentials,
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    // Either the network failed, or the page's Content Security Policy blocked the request. A script cannot tell which.
    throw new TalkError('offline', String(error));
  }
  const said: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) throw refusalOf(answer.status, said);
  if (!isToken(said)) throw new TalkError('bad_token', `${url} did not return a talk token`);
  return said;
}

function refusalOf(status: number, said: unknown): TalkError {
  const problem = (said ?? {}) as { code?: unknown; detail?: unknown };
  const code = typeof problem.code === 'string' ? problem.code : codeOf(status);
  const detail = `the server responded with ${status}`;
  return new TalkError(code, typeof problem.detail === 'string' ? problem.detail : detail);
}

function codeOf(status: number): string {
  if (status === 429) return 'rate_limited';
  return status === 403 ? 'forbidden' : 'unavailable';
}

function isToken(said: unknown): said is TalkToken {
  const { token, socket_url, modes } = (said ?? {}) as Partial<TalkToken>;
  return typeof token === 'string' && /^wss?:/.test(socket_url ?? '') && Array.isArray(modes);
}

/** Returns true if a token remains valid for more than 20 s, which is long enough to start a talk. */
export const isFresh = ({ expires_at: at }: TalkToken, nowMs: number): boolean =>
  at * 1_000 - nowMs > 20_000;
