import { describe, expect, test } from '@jest/globals';
import { createApp, createRoutes, type AppDeps } from '../../../src/api/app.ts';
import { describeApi } from '../../../src/api/openapi.ts';
import { EVENT_TYPES } from '../../../src/events/event-types.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

// Nothing here is called; routes and their description are only looked at.
const deps = {
  version: '1.2.3',
  metrics: createMetrics({ processMetrics: false }),
  log: createLogger('silent', 'test'),
  serveHealth: true,
} as AppDeps;

type Operation = {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, unknown>; headers?: object }>;
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: object } } }>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
};
const document = describeApi(createRoutes(deps), deps.version) as Document;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

describe('the document and what express serves', () => {
  test('are the same routes, in both directions', () => {
    // Express types its stack as any; these are the parts that say what it routes.
    type Layer = { route?: { path: string; stack: { method?: string }[] } };
    const stack = (createApp(deps).router as unknown as { stack: Layer[] }).stack;
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

  test('are all that the contract names and this version has', () => {
    expect(operations.map(([name]) => name).toSorted()).toEqual(
      [
        'delete /v1/agents/{id}',
        'delete /v1/webhooks/{id}',
        'get /v1/agents',
        'get /v1/agents/{id}',
        'get /v1/agents/{id}/activations',
        'get /v1/agents/{id}/versions',
        'get /v1/agents/{id}/versions/{from}/diff/{to}',
        'get /v1/agents/{id}/versions/{version}',
        'get /v1/deliveries/{id}',
        'get /v1/events',
        'get /v1/events/{id}',
        'get /v1/events/{id}/deliveries',
        'get /v1/openapi.json',
        'get /v1/webhooks',
        'get /v1/webhooks/{id}',
        'get /v1/webhooks/{id}/deliveries',
        'patch /v1/agents/{id}',
        'patch /v1/webhooks/{id}',
        'post /v1/agents',
        'post /v1/agents/{id}/publish',
        'post /v1/agents/{id}/rollback',
        'post /v1/events/{id}/replay',
        'post /v1/webhooks',
        'post /v1/webhooks/{id}/test',
      ].toSorted(),
    );
  });
});

describe('the document', () => {
  test('is OpenAPI 3.1 whose references all lead somewhere', () => {
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name!]);
    expect(text).not.toContain('x-kubernetes');
  });

  test.each(operations)(
    '%s has a key, its parameters, an answer and its problems',
    (name, operation) => {
      const isOpen = name === 'get /v1/openapi.json';
      expect(operation.security).toEqual(isOpen ? [] : [{ apiKey: [] }]);
      const inPath = operation.parameters?.filter((p) => p.in === 'path').map((p) => p.name) ?? [];
      expect(inPath).toEqual([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      const problems = ['400', '500', '503', ...(isOpen ? [] : ['401', '403'])];
      expect(statuses).toEqual(expect.arrayContaining(problems));
      if (inPath.length > 0) expect(statuses).toContain('404');
      if (operation.requestBody)
        expect(statuses).toEqual(expect.arrayContaining(['413', '415', '422']));
      for (const [status, { content, headers }] of Object.entries(operation.responses)) {
        expect(headers).toHaveProperty('Request-Id');
        if (Number(status) >= 400)
          expect(Object.keys(content!)).toEqual(['application/problem+json']);
      }
    },
  );

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
    for (const [, { requestBody }] of operations) {
      const json = requestBody?.content['application/json'];
      if (json !== undefined)
        expect(json).toMatchObject({ schema: { additionalProperties: false } });
    }
    expect(document.paths['/v1/agents']!['post']!.requestBody!.required).toBe(true);
    expect(document.paths['/v1/webhooks/{id}/test']!['post']!.requestBody!.required).toBe(false);
  });

  test('describes the nine events as webhooks, and a secret only where one is created', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    const withSecret = Object.entries(document.components.schemas)
      .filter(([, schema]) => JSON.stringify(schema).includes('"secret":'))
      .map(([name]) => name);
    expect(withSecret).toEqual(['CreatedWebhookEndpoint']);
  });
});
