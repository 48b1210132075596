import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createApp, type AppDeps } from '../../../../src/platform/http/app.ts';
import { OPENAPI_FILE, readOpenApi } from '../../../../src/roles/api/openapi-file.ts';
import { createRoutes } from '../../../../src/roles/describe-routes.ts';
import { createRateLimits } from '../../../../src/platform/http/rate-limit.ts';
import type { Route } from '../../../../src/platform/http/route.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../../../src/errors.ts';
import { EVENT_TYPES } from '../../../../src/events/event-types.ts';
import { createLogger } from '../../../../src/platform/observability/logger.ts';
import { createMetrics } from '../../../../src/platform/observability/metrics.ts';

// The tests call no route; they only inspect the routes and their description.
const deps = {
  version: '1.2.3',
  metrics: createMetrics({ processMetrics: false }),
  log: createLogger('silent', 'test'),
  serveHealth: true,
  rateLimits: createRateLimits(0),
} as Partial<AppDeps> as AppDeps;

type Operation = {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Record<string, unknown> };
  responses: Record<string, Response>;
};
type Response = {
  content?: Record<string, unknown>;
  headers?: object;
  links?: Record<string, Link>;
};
type Link = {
  operationId: string;
  parameters?: Record<string, string>;
  requestBody?: Record<string, string>;
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: object } } }>;
  components: Record<
    'schemas' | 'headers' | 'securitySchemes',
    Record<string, { properties?: object }>
  >;
};
const routes = createRoutes();
/** Describes the routes (test/check/generated.test.ts). */
const document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as Document;

function routeOf({ operationId }: Operation): Route {
  return routes.find((route) => route.operationId === operationId)!;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

/** Checks each item and reports every failure. A test for each would take most of the time of this file. */
function expectEach<Of extends unknown[]>(
  items: readonly (readonly [name: string, ...of: Of])[],
  check: (name: string, ...of: Of) => void,
): void {
  const failures = items.flatMap((item) => {
    try {
      check(...item);
      return [];
    } catch (error) {
      return [`${item[0]}: ${String(error)}`];
    }
  });
  expect(failures).toEqual([]);
}

test('the document that is served has the version of the program, and is else the one of the file', async () => {
  const served: unknown = JSON.parse((await readOpenApi('1.2.3-$&"')).toString());
  const { info, ...rest } = served as { info: object };
  const file = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as { info: object };
  expect(info).toEqual({ ...file.info, version: '1.2.3-$&"' });
  expect({ ...rest, info: file.info }).toEqual(file);
});

describe('the document and what express serves', () => {
  test('are the same routes, in both directions', () => {
    // Express types its stack as any. These are the parts that define the routes.
    type Layer = { route?: { path: string; stack: { method?: string }[] } };
    const stack = (
      createApp({ ...deps, routes, pages: [] }).router as unknown as { stack: Layer[] }
    ).stack;
    const served = stack.flatMap(({ route }) =>
      route?.path.startsWith('/v1')
        ? route.stack.flatMap(({ method }) =>
            method ? [`${method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`] : [],
          )
        : [],
    );
    expect(served.toSorted()).toEqual(operations.map(([name]) => name).toSorted());
    expect(new Set(served).size).toBe(served.length);
  });

  test('are all that the contract names', () => {
    const names: string[] = operations.map(([name]) => name);
    expect(CONTRACT.filter((name) => !names.includes(name))).toEqual([]);
  });
});

/** Operations of the contract (contract/README.md#shapes). Additional ones are allowed. */
const CONTRACT = `
  post,get /v1/agents; get,patch,delete /v1/agents/{id}; post /v1/agents/{id}/publish
  post /v1/agents/{id}/rollback; get /v1/agents/{id}/versions
  get /v1/agents/{id}/versions/{version}; get /v1/agents/{id}/versions/{from}/diff/{to}
  get /v1/agents/{id}/activations
  post,get /v1/webhooks; get,patch,delete /v1/webhooks/{id}; post /v1/webhooks/{id}/rotate_secret
  post /v1/webhooks/{id}/test; get /v1/webhooks/{id}/deliveries; post /v1/webhooks/{id}/replay
  get /v1/events; get /v1/events/{id}; get /v1/events/{id}/deliveries; get /v1/deliveries/{id}
  post /v1/events/{id}/replay; get,delete /v1/jobs/{id}; get /v1/events/stream
  post,get /v1/conversations; get,delete /v1/conversations/{id}
  post /v1/conversations/{id}/messages; post /v1/conversations/{id}/end
  post /v1/conversations/{id}/escalate; post /v1/conversations/{id}/feedback
  post /v1/conversations/{id}/feedback_link
  get /v1/conversations/{id}/transcript; get /v1/conversations/{id}/events
  post /v1/chat/completions; get /v1/models; get /v1/models/{model}
  get /v1/escalations; get /v1/escalations/{id}; post /v1/escalations/{id}/accept
  post /v1/escalations/{id}/decline; post /v1/escalations/{id}/complete
  post /v1/escalations/{id}/messages
  post,get /v1/knowledge/sources; get,patch,delete /v1/knowledge/sources/{id}
  post /v1/knowledge/sources/{id}/sync; put /v1/knowledge/sources/{id}/content
  get /v1/knowledge/sources/{id}/documents; get /v1/knowledge/search; get /v1/knowledge/gaps
  post /v1/knowledge/gaps/{id}/resolve
  post,get /v1/calls; get /v1/calls/{id}; post /v1/calls/{id}/end
  post /v1/agents/{id}/talk_tokens; post /v1/widget/tokens
  post,get /v1/api_keys; delete /v1/api_keys/{id}; get /v1/openapi.json
`
  .trim()
  .split(/[;\n]/)
  .flatMap((entry) => {
    const [methods = '', path = ''] = entry.trim().split(' ');
    return methods.split(',').map((method) => `${method} ${path}`);
  });

describe('the document', () => {
  test('is OpenAPI 3.1 whose references all lead somewhere', () => {
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    const schemas = Object.keys(document.components.schemas);
    expect(references.filter(([, name]) => !schemas.includes(name!))).toEqual([]);
    expect(text).not.toContain('x-kubernetes');
  });

  test('each has a key, its parameters, an answer and its problems', () => {
    expectEach(operations, (name, operation) => {
      // A carrier proves itself by a signature: a wrong one is 401 and too many are 429, as for keys.
      const isCallback = name.startsWith('post /v1/telephony/');
      const keyless = ['get /v1/openapi.json', 'post /v1/sessions', 'post /v1/widget/tokens'];
      const isOpen = isCallback || keyless.includes(name);
      const { scope } = routeOf(operation);
      expect(scope === null).toBe(isOpen);
      const scopes = scope === 'any' ? [] : [scope];
      expect(operation.security).toEqual(isOpen ? [] : [{ apiKey: scopes }, { session: scopes }]);
      const inPath = operation.parameters?.filter((p) => p.in === 'path').map((p) => p.name) ?? [];
      expect(inPath).toEqual([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      const refusals = ['401', '429', ...(scope === 'any' ? [] : ['403'])];
      const problems = ['400', '500', '503', ...(isOpen ? [] : refusals)];
      if (isCallback) expect(statuses).toEqual(expect.arrayContaining(['401', '429']));
      expect(statuses).toEqual(expect.arrayContaining(problems));
      if (inPath.length > 0) expect(statuses).toContain('404');
      const isOpenAi = routeOf(operation).errorShape === 'openai';
      const wrong = isOpenAi ? [] : ['422'];
      if (operation.requestBody)
        expect(statuses).toEqual(expect.arrayContaining(['413', '415', ...wrong]));
      for (const [status, { content, headers }] of Object.entries(operation.responses)) {
        expect(headers).toHaveProperty('Request-Id');
        if (Number(status) >= 400)
          expect(Object.keys(content!)).toEqual([
            isOpenAi ? 'application/json' : 'application/problem+json',
          ]);
      }
    });
  });

  test('each says which codes its problems have', () => {
    expectEach(operations, (_, operation) => {
      if (routeOf(operation).errorShape === 'openai') return; // The description of these routes has the codes.
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        const { schema } = content!['application/problem+json'] as { schema: { allOf: object[] } };
        expect(schema.allOf[0]).toEqual({ $ref: '#/components/schemas/Problem' });
        const { code } = (schema.allOf[1] as { properties: { code: { enum: ErrorCode[] } } })
          .properties;
        expect(code.enum.length).toBeGreaterThan(0);
        const statuses = code.enum.map((one) => ERROR_CATALOGUE[one].status);
        expect(new Set(statuses)).toEqual(new Set([Number(status)]));
      }
    });
  });

  test('each has the headers that its route has', () => {
    expectEach(operations, (name, operation) => {
      const { etag, answers, errorShape } = routeOf(operation);
      const taken = operation.parameters?.filter((p) => p.in === 'header').map((p) => p.name) ?? [];
      const isPost = name.startsWith('post ') && routeOf(operation).scope !== null;
      const isStream = /^get .*\/(events\/stream|\{id\}\/events)$/.test(name);
      const isConditional = etag === true && /^(?!get).*\{/.test(name);
      expect(taken).toEqual([
        ...(isPost ? ['Idempotency-Key'] : []),
        ...(isConditional ? ['If-Match'] : []),
        ...(isStream ? ['Last-Event-ID'] : []),
      ]);
      const { responses } = operation;
      const reused = errorShape === 'openai' ? '400' : '422';
      if (isPost) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', reused]));
      if (isConditional) expect(responses).toHaveProperty('412');
      for (const [status, { headers }] of Object.entries(responses)) {
        const answer = answers[Number(status)];
        expect('Location' in headers!).toBe(answer?.location === true);
        expect('ETag' in headers!).toBe(etag === true && answer?.schema !== undefined);
        expect('Idempotency-Replayed' in headers!).toBe(isPost && answer !== undefined);
        expect('WWW-Authenticate' in headers!).toBe(status === '401');
        if (['429', '503'].includes(status)) expect(headers).toHaveProperty('Retry-After');
        const named = (Object.values(headers!) as { $ref: string }[]).map(({ $ref }) =>
          $ref.split('/').at(-1),
        );
        expect(Object.keys(document.components.headers)).toEqual(expect.arrayContaining(named));
      }
    });
  });

  test('operation ids are unique', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('request bodies are closed and PATCH takes both media types', () => {
    const patch = document.paths['/v1/agents/{id}']!['patch']!;
    expect(Object.keys(patch.requestBody!.content)).toEqual([
      'application/json',
      'application/merge-patch+json',
    ]);
    for (const [, operation] of operations) {
      const json = operation.requestBody?.content['application/json'];
      if (json !== undefined && routeOf(operation).errorShape !== 'openai')
        expect(json).toMatchObject({ schema: { additionalProperties: false } });
    }
    expect(document.paths['/v1/agents']!['post']!.requestBody!.required).toBe(true);
    expect(document.paths['/v1/webhooks/{id}/test']!['post']!.requestBody!.required).toBe(false);
  });

  test('describes the nine events as webhooks, and a secret only where one is created', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    const withSecret = Object.entries(document.components.schemas)
      .filter(([, { properties = {} }]) =>
        ['secret', 'key', 'new_secret', 'next_secret'].some((name) => name in properties),
      )
      .map(([name]) => name);
    expect(withSecret.toSorted()).toEqual([
      'CreatedApiKey',
      'CreatedWebhookEndpoint',
      'RotatedWebhookEndpoint',
    ]);
  });

  test('a webhook has every header that a delivery has', () => {
    type Webhook = { post: { parameters: { name: string }[] } };
    const sent = readFileSync(
      new URL('../../../../src/webhooks/endpoints/signed-headers.ts', import.meta.url),
      'utf8',
    );
    const names = [...new Set(sent.match(/(?<=')(?:parley|webhook)-[a-z-]+(?=')/g))];
    expect(names.length).toBeGreaterThan(6);
    for (const webhook of Object.values(document.webhooks) as unknown as Webhook[]) {
      const described = webhook.post.parameters.map(({ name }) => name);
      expect(described).toEqual(expect.arrayContaining(names));
    }
  });
});

describe('the links', () => {
  const links = operations.flatMap(([name, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) =>
      Object.values(response.links ?? {}).map(
        (link) => [`${name} ${status} → ${link.operationId}`, response, link] as const,
      ),
    ),
  );

  test('each takes what is in the answer to what takes it', () => {
    expectEach(links, (_, response, link) => {
      const target = operations.find(([, { operationId }]) => operationId === link.operationId)![1];
      const taken = target.parameters?.map(({ name }) => name) ?? [];
      expect(taken).toEqual(expect.arrayContaining(Object.keys(link.parameters ?? {})));
      const values = [
        ...Object.values(link.parameters ?? {}),
        ...Object.values(link.requestBody ?? {}),
      ];
      expect(values.some((value) => value.startsWith('$response.body#/'))).toBe(true);
      const { schema } = response.content!['application/json'] as { schema: object };
      for (const value of values) {
        if (value === '$request.path.id') continue;
        expect({ value, leads: leads(schema, value.replace('$response.body#/', '')) }).toEqual({
          value,
          leads: true,
        });
      }
    });
  });

  test('lead from what makes a thing to everything that can be done with it', () => {
    for (const [name, { responses }] of operations) {
      const [, collection] = /^post (\/v1\/[a-z_/]+)$/.exec(name) ?? [];
      if (collection === undefined) continue;
      const below = operations
        .filter(([other]) => other.split(' ')[1]!.startsWith(`${collection}/{id}`))
        .map(([, { operationId }]) => operationId);
      const made = Object.values(responses).find(({ headers }) => 'Location' in headers!);
      if (!made && below.length === 0) continue; // It creates nothing with an address.
      expect(Object.keys(made!.links!)).toEqual(expect.arrayContaining(below));
    }
  });

  test('lead from a second kind of answer too: a replay to its job', () => {
    const { responses } = operations.find(([name]) => name === 'post /v1/webhooks/{id}/replay')![1];
    expect(Object.keys(responses['202']!.links!)).toEqual(
      expect.arrayContaining(['getJob', 'stopJob']),
    );
  });

  /** Returns whether a schema has a property at a pointer such as data/0/id. */
  function leads(schema: object, pointer: string): boolean {
    const { $ref, properties, items } = schema as Record<string, unknown>;
    if (typeof $ref === 'string') {
      return leads(document.components.schemas[$ref.split('/').at(-1)!]!, pointer);
    }
    const [first = '', ...rest] = pointer.split('/');
    if (pointer === '') return true;
    const inner: unknown = first === '0' ? items : (properties as Record<string, object>)?.[first];
    return inner !== undefined && leads(inner as object, rest.join('/'));
  }
});

test('every list and map that a request may bring has a bound', () => {
  const bounds = operations.flatMap(([name, { requestBody }]) => boundsIn(requestBody, name));
  expect(bounds.length).toBeGreaterThan(20);
  expect(bounds.filter(({ bound }) => bound === undefined)).toEqual([]);
});

/** Returns the places of lists and maps in a schema, with their maximum sizes. */
function boundsIn(node: unknown, at: string): { at: string; bound: unknown }[] {
  if (typeof node !== 'object' || node === null) return [];
  const { items, maxItems, additionalProperties, maxProperties, $ref } = node as Record<
    string,
    unknown
  >;
  if (typeof $ref === 'string') {
    return boundsIn(document.components.schemas[$ref.split('/').at(-1)!], at);
  }
  const isMap = typeof additionalProperties === 'object';
  return [
    ...(items ? [{ at, bound: maxItems }] : []),
    ...(isMap ? [{ at, bound: maxProperties }] : []),
    ...Object.entries(node).flatMap(([key, inner]) => boundsIn(inner, `${at}/${key}`)),
  ];
}
