import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { KINDS } from '../../../src/roles/kinds.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { hasWords } from '../../../src/platform/resources/schema/patterns.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { ROUTES, startApi, type Api, type Reply } from './api-setup.ts';
import { ROWS } from './route-rows.ts';
import { UNENDING, type RouteFixture } from './route-scene.ts';

/**
 * Sends every body field and every query parameter with each kind of invalid value that its schema excludes. Every
 * response must use terms that the caller knows: no validator message, no pattern, and no field name of manifests.
 */

let api: Api;
let fixture: RouteFixture;
type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  pattern?: string;
  description?: string;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
};
type Parameter = { in: string; name: string; schema: Schema };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
let operations: Map<string, Operation>;
let components: Record<string, Schema>;
let document: object;

beforeAll(async () => {
  // Accepted values create more resources than a namespace may have, so quotas are disabled.
  const names = [...KINDS.map(({ table }) => table), ...Object.keys(DEFAULT_LIMITS.quotas)];
  const quotas = Object.fromEntries(names.map((name) => [name, 0]));
  const limits = { ...DEFAULT_LIMITS, replayJobs: null, quotas };
  api = await startApi({ fetchers: UNENDING, limits });
  fixture = {
    call: (method, path, json) => api.call(method, path, json === undefined ? {} : { json }),
    eventually: (check) => api.engine.eventually(check),
  };
  const { body } = await api.call('GET', '/v1/openapi.json', { key: null });
  document = body;
  components = body.components.schemas;
  const all = Object.values(body.paths as Record<string, Record<string, Operation>>);
  operations = new Map(
    all.flatMap((methods) => Object.values(methods)).map((one) => [one.operationId, one]),
  );
});
afterAll(() => api.stop());

const TELLTALES = [
  /\/\^|\$\/|\^\[|\[\^|\\[dwsSp]|\(\?[:!=]|\{\d+,\d*\}|\]\+|\]\*/, // A pattern.
  /must match|should (NOT|not|be|match)|does not match|match(es)? pattern/i,
  /invalid (input|option|string|element|key|type)|too (big|small):|unrecognized|expected \w+/i,
  /\bzod\b|\bajv\b|additionalProperties|instancePath|schemaPath|NaN|undefined|\[object /,
  /\bspec\b|prompt_?from|text_?from|config_?map|\bself\./i,
  /\b[a-z]+(?:[A-Z][a-z]+)+\b/, // A field of a manifest.
];

/** Returns the first message with a term that the caller does not know, or undefined. */
function telltale({ body }: Reply): string | undefined {
  const errors = (body.errors ?? []) as { detail: string; pointer: string }[];
  const message: string | undefined = body.error?.message; // OpenAI's format.
  const texts = [message ?? (body.detail as string), ...errors.map(({ detail }) => detail)];
  const found = texts.find((text) => TELLTALES.some((pattern) => pattern.test(text)));
  return found ?? errors.find(({ pointer }) => /[a-z][A-Z]|^\/spec/.test(pointer))?.pointer;
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const own = name === undefined ? schema : { ...components[name], ...schema };
  const parts = [...(own.anyOf ?? []), ...(own.oneOf ?? []), ...(own.allOf ?? [])];
  const rich = parts.map(resolved).find(({ type }) => type !== 'null');
  return { ...rich, ...own };
}

const ODD: unknown[] = [null, [], {}, 'x y!\u00e9', '', -1, 1e12, 1.5, true, [null], [[]]];
let turn = 0;

/** Returns all odd values at night. Otherwise returns every second value in turn, and every fourth deep in a body. */
function oddValues(depth: number): unknown[] {
  turn += 1;
  return ODD.filter((_, i) => IS_NIGHTLY || (i + turn) % (depth < 2 ? 2 : 4) === 0);
}

/** Schemas whose invalid values were tried in an earlier field or body, without their descriptions and `null`. */
const tried = new Set<string>();

/** Returns whether an equal schema was tried. Equal schemas give equal messages. At night, every schema is tried. */
function isTried(schema: Schema): boolean {
  const type = [schema.type ?? []].flat().filter((one) => one !== 'null');
  const key = JSON.stringify({ ...schema, type }, (name, value: unknown) =>
    ['description', 'example', 'default'].includes(name) ? undefined : value,
  );
  const isKnown = tried.has(key);
  tried.add(key);
  return isKnown && !IS_NIGHTLY;
}

/** Returns invalid values for a schema, each invalid in one way. Objects and lists also get invalid contents. */
function wrongValues(given: Schema, depth = 0): unknown[] {
  const schema = resolved(given);
  const types = [schema.type ?? []].flat();
  const of = (type: string): boolean => types.includes(type);
  const wrong = oddValues(depth);
  if (isTried(schema)) return wrong.slice(0, 1);
  if (schema.maxLength !== undefined)
    wrong.push('a'.repeat(Math.min(schema.maxLength + 1, 50_000)));
  if (schema.minimum !== undefined) wrong.push(schema.minimum - 1);
  if (schema.maximum !== undefined) wrong.push(schema.maximum + 1);
  if (of('array') && schema.items && depth < 5) {
    const many = Math.min((schema.maxItems ?? 0) + 1, 2_000);
    wrong.push(
      Array.from({ length: many }, () => ({})),
      ['a', 'a'],
      [{ name: 'a' }, { name: 'a' }],
    );
    wrong.push(...wrongValues(schema.items, depth + 1).map((item) => [item]));
  }
  const { additionalProperties: free } = schema;
  if (of('object') && typeof free === 'object' && depth < 5) {
    const many = Array.from({ length: (schema.maxProperties ?? 50) + 1 }, (_, i) => [`k${i}`, 'v']);
    wrong.push(Object.fromEntries(many), { '': 'v' }, { ['k'.repeat(200)]: 'v' }, { 'a b:': 'v' });
    wrong.push(...wrongValues(free, depth + 1).map((value) => ({ name: value })));
  }
  if (schema.properties && depth < 5) wrong.push(...wrongObjects(schema, {}, depth));
  return wrong;
}

/** Returns objects with one invalid field or one additional field. */
function wrongObjects({ properties = {} }: Schema, base: object, depth = 0): object[] {
  const inside = Object.entries(properties).flatMap(([name, field]) =>
    wrongValues(field, depth + 1).map((value) => ({ ...base, [name]: value })),
  );
  return [...inside, { ...base, colour: 'red' }];
}

/** Runs a few requests concurrently. */
async function inParallel<T>(all: readonly T[], ask: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const askRest = async (): Promise<void> => {
    for (const one of rest) await ask(one);
  };
  await Promise.all(Array.from({ length: 6 }, askRest));
}

const withBody = ROUTES.filter(({ body, operationId }) => body && !ROWS[operationId]?.raw);
const named = (routes: readonly Route[]): [string, Route][] =>
  routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]);

describe.each(named(withBody))('the body of %s', (_, route) => {
  test('is refused in words of the caller, whatever is wrong', async () => {
    const row = ROWS[route.operationId]!;
    const path = await row.path(fixture);
    const base = typeof row.json === 'function' ? await row.json(fixture) : (row.json ?? {});
    const { requestBody } = operations.get(route.operationId)!;
    const schema = resolved(requestBody!.content['application/json']!.schema);
    const bodies = [...wrongObjects(schema, base), ...SENTENCES, null, [], 'x'];
    expect(bodies.length).toBeGreaterThan(10);
    const found: object[] = [];
    let refused = 0;
    await inParallel(bodies, async (json) => {
      const reply = await api.call(route.method.toUpperCase(), path, { json });
      if (reply.status < 400) return;
      refused += 1;
      const told = telltale(reply);
      const sent = JSON.stringify(json).slice(0, 300);
      // A value that is invalid elsewhere may be valid here. The route then calls the model, which does not exist.
      const isFault = reply.status >= 500 && reply.body.code !== 'reply_failed';
      if (told !== undefined || isFault) found.push({ sent, told, body: reply.body });
    });
    expect(found.slice(0, 5)).toEqual([]);
    expect(refused).toBeGreaterThan(10);
  }, 120_000);
});

/** Bodies that break rules between fields, which only the store checks. */
const SENTENCES: object[] = [
  { prompt: null },
  { url: null },
  { type: 'text' },
  { type: 'website', text: 'x' },
  { prompt: 'x', knowledge: { source_ids: [`ks_${'0'.repeat(26)}`], source_names: ['a'] } },
  { prompt: 'x', tools: [{ type: 'webhook', name: 'a', description: 'b' }] },
  { prompt: 'x', tools: ['a', 'a'].map((name) => ({ type: 'end_call', name, description: 'b' })) },
  { prompt: 'x', escalation: { rules: [{ when: 'keyword' }] } },
  { prompt: 'x', voice: { provider: 'p', voice_id: 'v', speed: 0.1 } },
  { prompt: 'x', name: 'No Label' },
];

const withQuery = ROUTES.filter(({ query }) => Object.keys(query.shape).length > 0);

describe.each(named(withQuery))('the query of %s', (_, route) => {
  test('is refused in words of the caller, whatever is wrong', async () => {
    const row = ROWS[route.operationId]!;
    if (row.isStream) return;
    const [path] = (await row.path(fixture)).split('?');
    const wrong = ['', 'x', '-1', '1.5', '9'.repeat(20), 'a'.repeat(3_000), 'a b!', 'agt_x'];
    const names = [...Object.keys(route.query.shape), 'colour'];
    await inParallel(
      names.flatMap((name) => wrong.map((value) => ({ name, value }))),
      async ({ name, value }) => {
        const address = `${path}?${name}=${encodeURIComponent(value)}`;
        const reply = await api.call(route.method.toUpperCase(), address, {
          ...(row.raw && { body: row.raw.body, headers: { 'content-type': row.raw.type } }),
        });
        if (reply.status < 400) return;
        const told = telltale(reply);
        expect({ name, value, told, status: reply.status }).toMatchObject({ told: undefined });
        expect(reply.status).toBeLessThan(500);
      },
    );
  });
});

test('every pattern of the document has words, and its description says them', async () => {
  // The OpenAPI document is a file. Its headers and webhooks have patterns in modules that the API does not load.
  await import('../../../src/platform/http/openapi/openapi-headers.ts');
  await import('../../../src/webhooks/delivery/event-webhooks.ts');
  const found: string[] = [];
  let patterns = 0;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { pattern, description } = node as Schema;
    if (typeof pattern === 'string') {
      patterns += 1;
      if (!hasWords(pattern) || !/\b(must|is)\b/i.test(description ?? '')) found.push(pattern);
    }
    Object.values(node).forEach(visit);
  };
  visit(document);
  expect(patterns).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
