import type { Api, CallOptions, Reply } from '../roles/api/api-setup.ts';

/** What a browser does for a page of ours: keeps the cookie, and says where it asks from. */
export type Browser = {
  id: string;
  /** `name=value`, as it is now. */
  cookie: () => string;
  ask: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
};

export type SignIn = (as?: { apiKey?: string; name?: string }) => Promise<Browser>;

/** The `name=value` that an answer sets. */
export function cookieOf({ headers }: Pick<Reply, 'headers'>): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export function createSignIn({ call, key, url }: Pick<Api, 'call' | 'key' | 'url'>): SignIn {
  return async ({ apiKey = key, name = 'Ada' } = {}) => {
    const json = { api_key: apiKey, name };
    const reply = await call('POST', '/v1/sessions', { key: null, json });
    if (reply.status !== 201) throw new Error(`not signed in: ${reply.text}`);
    let cookie = cookieOf(reply);
    return {
      id: reply.body.id as string,
      cookie: () => cookie,
      ask: async (method, path, options = {}) => {
        const headers = {
          cookie,
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...options.headers,
        };
        const answer = await call(method, path, { key: null, ...options, headers });
        cookie = cookieOf(answer) || cookie;
        return answer;
      },
    };
  };
}
