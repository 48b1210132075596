import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.ts';

/**
 * `@parley/client`: the API with types, for Node >= 20 and browsers. Every path of /v1/openapi.json
 * is there as `parley.GET('/v1/agents/{id}', …)`; an answer that is not 2xx is in `error`. This
 * file is the package's entry, so it hands on what else there is.
 */
export { verifyWebhook, WebhookSignatureError, type ParleyEvent } from './verify-webhook.ts';

export type ClientOptions = {
  /** Such as http://127.0.0.1:8080. */
  baseUrl: string;
  /** parley_…; in a browser that is signed in it may be left out: the session's cookie says who asks. */
  apiKey?: string | undefined;
  /** Instead of the global one: with retries, a proxy, a test. */
  fetch?: (request: Request) => Promise<Response>;
};

export type ParleyClient = Client<paths, JsonDocument> & {
  /**
   * All items of a list, in its order, a page at a time as they are read; of a log, what is there now:
   * `for await (const agent of parley.list('/v1/agents'))`.
   * @throws ParleyError
   */
  list: <Path extends ListPath>(
    path: Path,
    ...parameters: ListParameters<Path>
  ) => AsyncGenerator<ItemOf<Path>, void>;
};

/** Every shape of the API by its name: `Schemas['Conversation']`. */
export type Schemas = components['schemas'];
export type Agent = components['schemas']['Agent'];
export type Problem = components['schemas']['Problem'];

/** What the API answered instead; the message has each wrong field. `problem.code` says why, `problem.request_id` which request. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly status: number;
  /** Undefined when it was not Parley that answered, but a proxy before it. */
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
    // No operation takes a JSON text: a string is an upload, whose type the caller names.
    bodySerializer: (body) => (typeof body === 'string' ? body : JSON.stringify(body)),
    ...(fetch && { fetch }),
  });
  return Object.assign(client, { list: createList(client) });
}

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * `const agent = await ok(parley.GET(…))`: the document of the answer, awaited or not.
 * @throws ParleyError
 */
export async function ok<Data>(answer: Answer<Data> | Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer;
  // 204 has no document, which is what `Data` is then.
  if (response.ok) return data as Data;
  throw new ParleyError(response, isProblem(error) ? error : undefined);
}

/** Problems are JSON too; texts and streams are read with `parseAs`. */
type JsonDocument = 'application/json' | 'application/problem+json';

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

/** Every path that answers pages. */
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

/** Left out where the path has no id in it. */
type ListParameters<Path extends ListPath> =
  ParametersOf<Path> extends { path: object }
    ? [parameters: ParametersOf<Path>]
    : [parameters?: ParametersOf<Path>];

type Page = { data: unknown[]; has_more: boolean; next_cursor: string | null };

function createList(client: Client<paths, JsonDocument>): ParleyClient['list'] {
  // The types above say what each path takes and gives; inside, all lists are one.
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
      // A log to follow has a cursor at its end too.
    } while (page.has_more);
  }
  return list as unknown as ParleyClient['list'];
}

/** With what is wrong in which field: `invalid_body: some fields … (/name: must be …; /url: …)`. */
function reasonOf({ code, detail, errors = [] }: Problem): string {
  const fields = errors.map(({ pointer, detail: why }) => `${pointer || 'body'}: ${why}`);
  return `${code}: ${detail}${fields.length > 0 ? ` (${fields.join('; ')})` : ''}`;
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'detail' in error;
}
