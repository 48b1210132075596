import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect } from 'vitest';
import { createRoutes } from '../../../src/roles/describe-routes.ts';
import type { Fetchers } from '../../../src/knowledge/syncs/run-sync.ts';
import { OpenAiError } from '../../../src/platform/http/openai-error.ts';
import { Problem, PROBLEM_MEDIA_TYPE } from '../../../src/platform/http/problem.ts';
import { runApi, type ApiRoleDeps } from '../../../src/roles/api/run.ts';
import { type Scope, SCOPES } from '../../../src/platform/http/authorize.ts';
import { insertApiKey, newKeyText } from '../../../src/access/api-keys.sql.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';
import { startEngine, type Engine, type StoreName } from '../engine.ts';

/** Running API with an operator and a database of its own. */
export type Api = {
  engine: Engine;
  /** Pools in which requests run statements. */
  pools: readonly Pool[];
  url: string;
  /** API key with all scopes in namespace `default`. `call` uses it by default. */
  key: string;
  newKey: (namespace: string, scopes?: readonly Scope[]) => Promise<string>;
  /** Sends a request, and checks the response against the API's own description. */
  call: Call;
  stop: () => Promise<void>;
};

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

export type CallOptions = {
  /** API key to send, or null to send none. */
  key?: string | null;
  /** Sent as JSON. */
  json?: unknown;
  body?: string | Buffer;
  headers?: Record<string, string>;
};

// Tests assert the fields that they expect, so a missing one fails them.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; headers: Headers; text: string; body: any };

/** Time in ms that an API waits for an operator on a busy machine. It is longer than a user would wait. */
export const PATIENT_MS = 30_000;

/** Folder that does not exist. Most tests need no pages, and reading the built pages would take 15 ms at each start. */
const NO_PAGES = join(import.meta.dirname, 'no-pages');

export async function startApi(
  options: {
    storeName?: StoreName;
    operator?: boolean;
    delivery?: boolean;
    /** Fetchers of the operator. */
    fetchers?: Fetchers;
  } & Partial<ApiRoleDeps> = {},
): Promise<Api> {
  const engine = await startEngine(options.storeName, undefined, options.kinds);
  if (options.operator !== false) await engine.startOperator({ fetchers: options.fetchers ?? {} });
  if (options.delivery === true) await engine.startDelivery();
  const { storeName: _, operator: __, delivery: ___, fetchers: ____, ...deps } = options;
  const api = await runApi({
    ...engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
    dashboardFolder: NO_PAGES,
    widgetFolder: NO_PAGES,
    projectionWaitMs: options.operator === false ? undefined : PATIENT_MS,
    ...deps,
  });
  keepConnections(api.url);
  const newKey = async (namespace: string, scopes: readonly Scope[] = SCOPES): Promise<string> => {
    const text = newKeyText();
    await engine.makeNamespace(namespace);
    await insertApiKey(engine.pool, { namespace, scopes, text });
    return text;
  };
  const key = await newKey('default');
  return {
    engine,
    pools: [engine.pool, api.conversations.batchPool],
    url: api.url,
    key,
    newKey,
    call: createCall(api.url, key),
    stop: async () => {
      await closeIdleConnections(api.url);
      await api.stop();
      await engine.stop();
    },
  };
}

/** Starts the API once more, as another process of the same installation. `call` uses `key`. */
export async function startAnother(
  { engine }: Pick<Api, 'engine'>,
  { key, ...more }: { key: string } & Partial<ApiRoleDeps>,
): Promise<{ url: string; call: Call; stop: () => Promise<void> }> {
  const options = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: true };
  const pages = { dashboardFolder: NO_PAGES, widgetFolder: NO_PAGES };
  const { url, stop } = await runApi({ ...engine, ...options, ...pages, rateLimit: 0, ...more });
  keepConnections(url);
  return {
    url,
    call: createCall(url, key),
    stop: async () => {
      await closeIdleConnections(url);
      await stop();
    },
  };
}

export function createCall(url: string, defaultKey: string): Call {
  return async (method, path, { key = defaultKey, json, body, headers = {} } = {}) => {
    const sent = json === undefined ? body : JSON.stringify(json);
    const answer = await ask(new URL(url + path), {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(path === '/v1/sessions' && method === 'POST' && { origin: url }), // Our own page sends the header too.
        ...headers,
      },
      sent,
    });
    const isJson = /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
    const reply: Reply = {
      ...answer,
      body: isJson && method !== 'HEAD' ? JSON.parse(answer.text) : undefined,
    };
    checkReply(method, path, reply);
    return reply;
  };
}

/** Connections to the APIs of this worker. They are reused, because a new one takes more CPU than many requests. */
const connections = new Map<string, Agent>();
/** Idle time in ms. Shorter than the API's limit, so that no request uses a connection that the API is closing. */
const IDLE_MS = 1_000;

function keepConnections(url: string): void {
  connections.set(url, new Agent({ keepAlive: true, timeout: IDLE_MS }));
}

/**
 * Closes idle connections before the API stops. Otherwise they delay the stop by one second, in which clients may still
 * send a request.
 */
async function closeIdleConnections(url: string): Promise<void> {
  const agent = connections.get(url);
  connections.delete(url);
  for (const socket of Object.values(agent?.freeSockets ?? {}).flat()) socket?.destroy();
  // After these turns the API has read the end of each connection.
  for (let turn = 0; turn < 5; turn += 1) await turnOfLoop();
}

type Asked = {
  method: string;
  headers: Record<string, string>;
  sent: string | Buffer | undefined;
};

/** Sends a request like `fetch`, but with a third of the CPU time. */
function ask(
  url: URL,
  { method, headers, sent }: Asked,
): Promise<Pick<Reply, 'status' | 'headers' | 'text'>> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: connections.get(url.origin) ?? false, // Without an agent the request uses a new connection.
      headers: {
        accept: '*/*',
        'user-agent': 'node',
        ...(typeof sent === 'string' && { 'content-type': 'text/plain;charset=UTF-8' }),
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
        ...Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(pairsOf(response.rawHeaders)),
          text: new TextDecoder().decode(Buffer.concat(chunks)),
        }),
      );
    });
    outgoing.end(sent);
  });
}

/** `[name, value, name, value]` → `[[name, value], [name, value]]` */
const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));

/** The route table, for inspection only. */
export const ROUTES = createRoutes();

/** Checks that a response has a request ID and conforms to the route table. */
function checkReply(method: string, path: string, { status, headers, body }: Reply): void {
  expect(headers.get('request-id')).toMatch(/^req_[0-9a-z]{26}$/);
  expect(headers.get('x-powered-by')).toBeNull();
  if (!path.startsWith('/v1') || method === 'HEAD') return;
  expect(headers.get('cache-control')).toBe('no-store');
  if (status >= 400 && isOpenAi(path)) {
    expect(headers.get('content-type')).toBe('application/json');
    expect(OpenAiError.parse(body)).toEqual(body);
    return;
  }
  if (status >= 400) {
    expect(headers.get('content-type')).toBe(PROBLEM_MEDIA_TYPE);
    expect(Problem.parse(body)).toMatchObject({ status, request_id: headers.get('request-id') });
    return;
  }
  const route = ROUTES.find(
    (entry) => entry.method.toUpperCase() === method && matches(entry.path, path),
  );
  if (!route) return;
  const answer = route.answers[status];
  if (!answer) throw new Error(`${method} ${route.path} does not promise ${status}`);
  expect(headers.has('location')).toBe(answer.location ?? false);
  const form = answer.forms?.[String(headers.get('content-type')).split(';')[0]!];
  if (form) return;
  if (answer.schema) expect(answer.schema.parse(body)).toEqual(body);
  else expect(body).toBeUndefined();
}

/** Returns whether errors of this path have OpenAI's format. */
const isOpenAi = (path: string): boolean => /^\/v1\/(chat\/completions|models)\b/.test(path);

/** Returns the error code of a response, in either error format. */
export function codeIn({ body }: Reply): unknown {
  return body?.code ?? body?.error?.code;
}

function matches(template: string, path: string): boolean {
  const pattern = template.replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path.split('?')[0] ?? '');
}

/** Returns a problem without the parts that differ between requests. */
export function withoutRequestId({ status, body }: Reply): object {
  return { status, ...body, request_id: '' };
}
