import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.ts';

/**
 * `@parley/client` is the typed API client for Node >= 20 and browsers. It accepts every path in /v1/openapi.json, such
 * as `parley.GET('/v1/agents/{id}', …)`. If a response is not 2xx, its body is returned in `error`. This file is the
 * package's entry point and also exports the verification of webhooks.
 */
export { verifyWebhook, WebhookSignatureError, type ParleyEvent } from './verify-webhook.ts';

export type ClientOptions = {
  /** Address of the server, such as http://127.0.0.1:8080. */
  baseUrl: string;
  /** API key, `parley_…`. A browser signed in to the dashboard needs none, because it sends its session cookie. */
  apiKey?: string | undefined;
  /** Replaces the global `fetch`, for example to add retries or a proxy, or in a test. */
  fetch?: (request: Request) => Promise<Response>;
};

export type ParleyClient = Client<paths, JsonDocument> & {
  /**
   * Iterates over all items of a list in order and requests each page when it is needed:
   * `for await (const agent of parley.list('/v1/agents'))`. The event log can grow during an iteration. The iteration
   * ends when it reaches the newest event.
   * @throws ParleyError
   */
  list: <Path extends ListPath>(
    path: Path,
    ...parameters: ListParameters<Path>
  ) => AsyncGenerator<ItemOf<Path>, void>;
};

/** All schemas of the API by name, such as `Schemas['Conversation']`. */
export type Schemas = components['schemas'];
export type Agent = components['schemas']['Agent'];
export type Problem = components['schemas']['Problem'];

/**
 * Error for a response that is not 2xx. The message lists each invalid field. `problem.code` is the error code, and
 * `problem.request_id` identifies the request.
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly status: number;
  /** `undefined` if the body is not a problem document, such as the error page of a proxy in front of Parley. */
  readonly problem: Problem | undefined;

  constructor(response: Response, problem: Problem | undefined) {
    const reason = problem ? reasonOf(problem) : response.statusText;
    super(`${response.status} ${reason}`);
    this.status = response.status;
    this.problem = problem;
  }
}

export function createParleyClient({ baseUrl, apiKey, fetch }: ClientOptions): ParleyClient {
  const client = createClient<paths, JsonDocument>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(apiKey !== undefined && { headers: { Authorization: `Bearer ${apiKey}` } }),
    // No operation accepts a JSON string as its body. A string is therefore an upload: the client sends it unchanged,
    // and the caller sets `Content-Type`.
    bodySerializer: (body) => (typeof body === 'string' ? body : JSON.stringify(body)),
    ...(fetch && { fetch }),
  });
  return Object.assign(client, { list: createList(client) });
}

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * Returns the parsed body of a response: `const agent = await ok(parley.GET(…))`. Accepts the response or a promise of
 * it.
 * @throws ParleyError if the response is not 2xx
 */
export async function ok<Data>(answer: Answer<Data> | Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer;
  // A 204 response has no body, so `Data` is `undefined` for it.
  if (response.ok) return data as Data;
  throw new ParleyError(response, isProblem(error) ? error : undefined);
}

/** Media types that are parsed as JSON. For other responses, such as plain text or streams, set `parseAs`. */
type JsonDocument = 'application/json' | 'application/problem+json';

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

/** Every path that returns a paginated list. */
export type ListPath = {
  [Path in keyof paths]: [PageOf<Path>] extends [{ data: unknown[]; next_cursor: string | null }]
    ? [PageOf<Path>] extends [never]
      ? never
      : Path
    : never;
}[keyof paths];

export type ItemOf<Path extends ListPath> =
  PageOf<Path> extends { data: (infer Item)[] } ? Item : never;

type ParametersOf<Path extends ListPath> = paths[Path] extends {
  get: { parameters: infer Parameters };
}
  ? Omit<Parameters, 'header' | 'cookie'>
  : never;

/** Request parameters for a list; optional if the path contains no ID. */
type ListParameters<Path extends ListPath> =
  ParametersOf<Path> extends { path: object }
    ? [parameters: ParametersOf<Path>]
    : [parameters?: ParametersOf<Path>];

type Page = { data: unknown[]; has_more: boolean; next_cursor: string | null };

function createList(client: Client<paths, JsonDocument>): ParleyClient['list'] {
  // One implementation serves all lists, so it uses a general type of `GET` instead of the type of each path.
  const get = client.GET as unknown as (
    path: string,
    init: { params: { query: object } },
  ) => Promise<Answer<Page>>;
  async function* list(
    path: string,
    parameters: { query?: object } = {},
  ): AsyncGenerator<unknown, void> {
    let cursor: string | null = null;
    let page: Page;
    do {
      const query = { limit: 100, ...parameters.query, ...(cursor !== null && { cursor }) };
      page = await ok(get(path, { params: { ...parameters, query } }));
      yield* page.data;
      cursor = page.next_cursor;
      // Checks `has_more` instead of the cursor, because the last page of the event log also has a cursor.
    } while (page.has_more);
  }
  return list as unknown as ParleyClient['list'];
}

/** Formats a problem with each of its invalid fields: `invalid_body: some fields … (/name: must be …; /url: …)`. */
function reasonOf({ code, detail, errors = [] }: Problem): string {
  const fields = errors.map(({ pointer, detail: why }) => `${pointer || 'body'}: ${why}`);
  return `${code}: ${detail}${fields.length > 0 ? ` (${fields.join('; ')})` : ''}`;
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'detail' in error;
}
