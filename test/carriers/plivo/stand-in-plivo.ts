import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readTwiml, type Verb } from '../../calls/phone/read-twiml.ts';

/** A stand-in for Plivo by its documentation: it signs and posts forms, executes its XML and serves its REST API. */
export type StandInPlivo = {
  apiUrl: string;
  /** Base URL of Parley. */
  ourUrl: string;
  /** Requests to place a call, oldest first, each with the id that the stand-in gave the call. */
  placed: (Record<string, unknown> & { CallUUID: string })[];
  /** Ids of calls that Parley has ended. */
  hungUp: string[];
  /** Handles a request to place a call. Defaults to 201. */
  onPlace: ((response: ServerResponse) => void) | undefined;
  /** Posts a signed form to one of our webhooks. */
  post: (target: string, form: Record<string, string>, options?: PostOptions) => Promise<Posted>;
  stop: () => Promise<void>;
};

export type Posted = { status: number; text: string; verbs: Verb[] };
export type PostOptions = {
  /** Replaces the signature headers. */
  headers?: Record<string, string>;
  token?: string;
};

export const AUTH_ID = 'MAXXXXXXXXXXXXXXXXXX';
export const AUTH_TOKEN = 'the-auth-token-of-plivo';

export async function startPlivo(): Promise<StandInPlivo> {
  const plivo: Pick<StandInPlivo, 'ourUrl' | 'placed' | 'hungUp' | 'onPlace'> = {
    ourUrl: '',
    placed: [],
    hungUp: [],
    onPlace: undefined,
  };
  const server = createServer((request, response) => {
    serve(plivo, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(plivo, {
    apiUrl: `http://127.0.0.1:${port}`,
    post: async (target: string, form: Record<string, string>, options: PostOptions = {}) => {
      const url = target.startsWith('http') ? target : plivo.ourUrl + target;
      const response = await fetch(url, {
        method: 'POST',
        body: new URLSearchParams(form).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(options.headers ?? signedHeaders(url, form, options.token)),
        },
      });
      const text = await response.text();
      return { status: response.status, text, verbs: text.startsWith('<') ? readTwiml(text) : [] };
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** Returns the headers that sign a POST as the documentation describes. The query must have each name once. */
export function signedHeaders(
  url: string,
  form: Record<string, string>,
  token = AUTH_TOKEN,
): Record<string, string> {
  const { origin, pathname, searchParams } = new URL(url);
  const sorted = (entries: Iterable<[string, string]>, between: string): string[] =>
    [...entries].map((entry) => entry.join(between)).toSorted();
  const query = sorted(searchParams.entries(), '=').join('&');
  const fields = sorted(Object.entries(form), '').join('');
  const nonce = String(Math.random()).slice(2);
  const text = `${origin}${pathname}?${query}${query && '.'}${fields}.${nonce}`;
  return {
    'x-plivo-signature-v3': createHmac('sha256', token).update(text).digest('base64'),
    'x-plivo-signature-v3-nonce': nonce,
  };
}

async function serve(
  plivo: Pick<StandInPlivo, 'placed' | 'hungUp' | 'onPlace'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, body?: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body && JSON.stringify({ api_id: randomUUID(), ...body }));
  };
  const wanted = `Basic ${Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64')}`;
  if (request.headers.authorization !== wanted)
    return answer(401, { error: 'authentication failed' });
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://plivo');
  const [, id] = new RegExp(`^/v1/Account/${AUTH_ID}/Call/(?:([^/]+)/)?$`).exec(pathname) ?? [];
  if (request.method === 'DELETE' && id !== undefined) {
    plivo.hungUp.push(id);
    return answer(204);
  }
  if (request.method === 'POST') {
    if (plivo.onPlace) return plivo.onPlace(response);
    plivo.placed.push({ ...JSON.parse(body), CallUUID: randomUUID() });
    return answer(201, { message: 'call fired', request_uuid: randomUUID() });
  }
  if (id !== undefined) return answer(404, { error: 'call not found' });
  const calls = plivo.placed.filter(
    ({ from, to }) =>
      from === searchParams.get('from_number') && to === searchParams.get('to_number'),
  );
  if (searchParams.get('status') === 'live')
    return answer(200, { calls: calls.map(({ CallUUID }) => CallUUID) });
  return answer(200, { objects: [] });
}
