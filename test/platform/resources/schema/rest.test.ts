import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { agentSpec } from '../../../../src/agents/agent.ts';
import {
  applyMergePatch,
  toSnakeKey,
  toSnakePointer,
} from '../../../../src/platform/resources/schema/key-map.ts';
import {
  agentPointer,
  AgentPatch,
  AgentWrite,
  fromAgentSpec,
  toAgentSpec,
} from '../../../../src/agents/rest-agent.ts';
import type { AgentDeclaration } from '../../../../src/agents/rest-agent.ts';
import {
  fromWebhookEndpointSpec,
  toWebhookEndpointSpec,
  webhookEndpointPointer,
  WebhookEndpointPatch,
  WebhookEndpointWrite,
} from '../../../../src/webhooks/endpoints/rest-webhook-endpoint.ts';
import { createValidator } from '../../../../src/platform/resources/schema/validate.ts';
import { readCorpus, readText } from './corpus.ts';
import { KINDS } from '../../../../src/roles/kinds.ts';

const write = {
  name: 'front-desk',
  display_name: 'Front desk',
  prompt: 'You answer.',
  voice: { provider: 'acme', voice_id: 'mara', language: 'en-GB', speed: 1.25 },
  tools: [
    {
      type: 'webhook',
      name: 'find_order',
      description: 'Finds.',
      parameters: { type: 'object', properties: { orderId: { type: 'string' }, order_id: {} } },
      url: 'https://shop.example/orders',
      method: 'GET',
      headers: { 'X-Team': 'a', some_key: 'b' },
      secret_ref: { name: 'a', key: 'b' },
      timeout_ms: 5000,
    },
  ],
  first_message: 'Hello!',
  language: 'en',
  model: { name: 'small', temperature: 0.3, max_tokens: 400 },
  knowledge: { source_names: ['menu'], top_k: 4, min_score: 0.35 },
  escalation: { rules: [{ when: 'keyword', keywords: ['lawyer'] }], timeout_sec: 90 },
  limits: { max_duration_sec: 1800, silence_timeout_sec: 60 },
  redaction: ['card', 'iban'],
  judgement: { by: 'model', model: { name: 'large' }, topics: ['delivery'] },
  publish_policy: 'manual',
  metadata: { camelKey: 'a', snake_key: 'b' },
};

describe('agents in REST', () => {
  test('every write field of the contract is taken and comes back the same', () => {
    const { name, ...rest } = AgentWrite.parse(write);
    expect(name).toBe('front-desk');
    const spec = toAgentSpec(rest);
    expect(spec).toMatchObject({
      publishPolicy: 'Manual',
      voice: { voiceId: 'mara' },
      tools: [
        {
          timeoutMs: 5000,
          secretRef: { name: 'a', key: 'b' },
          headers: { 'X-Team': 'a', some_key: 'b' },
          parameters: { properties: { orderId: { type: 'string' }, order_id: {} } },
        },
      ],
      metadata: { camelKey: 'a', snake_key: 'b' },
    });
    expect(fromAgentSpec(spec)).toEqual(rest);
    const metadata = { name: 'front-desk', namespace: 'default' };
    expect(createValidator(KINDS)('Agent', spec, metadata)).toHaveProperty('spec');
  });

  test('fields of manifests alone are neither taken nor shown', () => {
    const spec = agentSpec.parse({ prompt: 'x', pinnedVersion: 2, suspend: true });
    expect(fromAgentSpec(spec)).toEqual({ prompt: 'x', publish_policy: 'automatic' });
    for (const field of ['promptFrom', 'prompt_from', 'suspend', 'pinned_version']) {
      expect(AgentWrite.safeParse({ prompt: 'x', [field]: 1 }).success).toBe(false);
    }
  });

  test.each([
    [{}, ['prompt']],
    [{ prompt: '' }, ['prompt']],
    [{ prompt: 'x', voice: { speed: 9 } }, ['voice', 'speed']],
    [{ prompt: 'x', voice: { voiceId: 'a' } }, ['voice']],
    [{ prompt: 'x', publish_policy: 'Automatic' }, ['publish_policy']],
    [{ prompt: 'x', name: 'A' }, ['name']],
    [{ prompt: 'x', tools: [{ name: 'a' }] }, ['tools', 0, 'type']],
    [{ prompt: 'x', model: { max_tokens: 1.5 } }, ['model', 'max_tokens']],
    [{ prompt: 'x', metadata: Object.fromEntries(keys(51)) }, ['metadata']],
    [
      { prompt: 'x', knowledge: { source_names: keys(51).map(([k]) => k) } },
      ['knowledge', 'source_names'],
    ],
    [{ prompt: 'x', display_name: null }, ['display_name']],
  ])('a create body %j is refused', (body, path) => {
    const result = AgentWrite.safeParse(body);
    expect(result.error?.issues[0]?.path).toEqual(path);
  });

  test('parameters may not nest without end', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    const tool = (levels: number) => ({ type: 'end_call', name: 'a', parameters: nested(levels) });
    expect(AgentWrite.safeParse({ prompt: 'x', tools: [tool(64)] }).success).toBe(true);
    expect(AgentWrite.safeParse({ prompt: 'x', tools: [tool(65)] }).success).toBe(false);
  });

  test.each([
    ['an enum of 480,000', { enum: Array(480_000).fill(1) }, /2000 members/],
    ['2,001 members', Object.fromEntries(keys(2_001)), /2000 members/],
    ['a text of 64 KiB', { a: 'x'.repeat(65_536) }, /64 KiB/],
    ['100,000 levels', nestedList(100_000), /64 levels deep/],
  ])('parameters of %s are refused with the bound', (_, parameters, message) => {
    const tools = [{ type: 'end_call', name: 'a', parameters }];
    for (const schema of [AgentWrite, AgentPatch]) {
      const { error } = schema.safeParse({ prompt: 'x', tools });
      expect(error?.issues).toMatchObject([{ path: ['tools', 0, 'parameters'] }]);
      expect(error?.issues[0]?.message).toMatch(message);
    }
  });

  test('a patch may leave out or remove anything, but only what there is', () => {
    expect(AgentPatch.safeParse({}).success).toBe(true);
    expect(AgentPatch.safeParse({ name: 'other' }).success).toBe(true);
    const removal = { voice: { speed: null }, tools: null, metadata: { a: null }, prompt: null };
    expect(AgentPatch.safeParse(removal).success).toBe(true);
    expect(AgentPatch.safeParse({ voice: { sped: null } }).success).toBe(false);
    expect(AgentPatch.safeParse({ tools: [{ name: 'a' }] }).success).toBe(false);
    expect(AgentPatch.safeParse({ voice: { speed: 9 } }).success).toBe(false);
  });

  test('mistakes found in the resource point into the body', () => {
    expect(agentPointer('/spec/tools/0/timeoutMs')).toBe('/tools/0/timeout_ms');
    expect(agentPointer('/spec/metadata/someKey')).toBe('/metadata/someKey');
    expect(agentPointer('/spec/tools/1/headers/X-aB')).toBe('/tools/1/headers/X-aB');
    expect(agentPointer('/spec')).toBe('');
    expect(agentPointer('/metadata/name')).toBe('/name');
  });

  test('any spec that REST can write survives the way there and back', () => {
    fc.assert(
      fc.property(arbitraryDeclaration, (spec) => {
        expect(toAgentSpec(fromAgentSpec(spec))).toEqual(spec);
      }),
    );
  });
});

describe('webhook endpoints in REST', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  test('what is secret is split off and enabled is the opposite of suspend', () => {
    const body = WebhookEndpointWrite.parse({
      url: 'https://a.example/in',
      event_types: ['agent.*'],
      enabled: false,
      headers: { 'X-aB': '1' },
      secret,
    });
    const split = toWebhookEndpointSpec(body);
    expect(split).toEqual({
      spec: {
        url: 'https://a.example/in',
        eventTypes: ['agent.*'],
        suspend: true,
      },
      secret,
      headers: { 'X-aB': '1' },
    });
    const { secret: _, headers: __, ...shown } = body;
    expect(fromWebhookEndpointSpec(split.spec)).toEqual(shown);
    expect(webhookEndpointPointer('/spec/suspend')).toBe('/enabled');
    expect(webhookEndpointPointer('/spec/eventTypes/0')).toBe('/event_types/0');
  });

  test.each([24, 32, 63, 64])('a secret of %d bytes is taken', (bytes) => {
    const ours = `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;
    expect(WebhookEndpointWrite.safeParse({ url: 'https://a.example', secret: ours }).success).toBe(
      true,
    );
  });

  test.each([
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    Buffer.alloc(32).toString('base64'),
    `whsec_${'_'.repeat(32)}`,
    `${secret}\n`,
  ])('the secret %j is refused', (bad) => {
    const result = WebhookEndpointWrite.safeParse({ url: 'https://a.example', secret: bad });
    expect(result.error?.issues[0]?.path).toEqual(['secret']);
  });

  test('a patch takes no secret and no unknown field', () => {
    expect(WebhookEndpointPatch.safeParse({ enabled: true, description: null }).success).toBe(true);
    expect(WebhookEndpointPatch.safeParse({ secret }).success).toBe(false);
    expect(WebhookEndpointPatch.safeParse({ suspend: true }).success).toBe(false);
  });
});

describe('a merge patch', () => {
  // The examples of RFC 7386, appendix A, whose target and patch are objects.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // Not in the RFC: other members of an inner object stay.
    ['{"a":{"b":"c"}}', '{"a":{"d":"e"}}', '{"a":{"b":"c","d":"e"}}'],
  ])('%s with %s is %s', (target, patch, expected) => {
    const before: Record<string, unknown> = JSON.parse(target);
    expect(applyMergePatch(before, JSON.parse(patch))).toEqual(JSON.parse(expected));
    expect(JSON.stringify(before)).toBe(target);
  });

  test('cannot reach the prototype', () => {
    const patch: Record<string, unknown> = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    const merged = applyMergePatch({}, patch);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.hasOwn(merged, '__proto__')).toBe(true);
    expect({}).not.toHaveProperty('polluted');
  });
});

test('no two fields of a schema become one in REST', () => {
  const fields = Object.keys(agentSpec.shape);
  expect(new Set(fields.map(toSnakeKey)).size).toBe(fields.length);
});

test('the REST schemas can be described as OpenAPI, without words for Kubernetes', () => {
  const registry = new OpenAPIRegistry();
  for (const [path, schema] of Object.entries({ AgentWrite, AgentPatch, WebhookEndpointWrite })) {
    const body = { content: { 'application/json': { schema } } };
    registry.registerPath({ method: 'post', path: `/${path}`, request: { body }, responses: {} });
  }
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'test', version: '1' },
  });
  expect(JSON.stringify(document)).not.toContain('x-kubernetes');
  expect(document.paths).toHaveProperty(
    ['/AgentWrite', 'post', 'requestBody', 'content', 'application/json', 'schema'],
    expect.objectContaining({
      type: 'object',
      required: ['prompt'],
      additionalProperties: false,
      properties: expect.objectContaining({
        first_message: {
          type: 'string',
          minLength: 1,
          maxLength: 4000,
          description: "The agent's first message.",
        },
      }),
    }),
  );
});

test('every agent of the corpus that REST can write passes the REST schema', () => {
  const bodies = readCorpus('good').flatMap(({ text }) => {
    const read = readText(text);
    if (!('applied' in read) || read.applied.kind !== 'Agent') return [];
    const { name, spec } = read.applied;
    // REST accepts no promptFrom, and limits the nesting of parameters more.
    return spec['prompt'] === undefined || name === 'deep'
      ? []
      : [{ name, ...fromAgentSpec(spec) }];
  });
  expect(bodies.length).toBeGreaterThan(20);
  for (const body of bodies) expect(AgentWrite.safeParse(body).error?.issues ?? []).toEqual([]);
});

function nestedList(levels: number): Record<string, unknown> {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return { a: value };
}

function keys(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`k${i}`, 'v']);
}

const text = fc.string({ minLength: 1, maxLength: 8 });
const map = fc.dictionary(text, text, { maxKeys: 3 });
const optional: { requiredKeys: [] } = { requiredKeys: [] };
const arbitraryDeclaration: fc.Arbitrary<AgentDeclaration> = fc.record(
  {
    displayName: text,
    prompt: text,
    voice: fc.record(
      { provider: text, voiceId: text, language: text, speed: fc.double() },
      optional,
    ),
    tools: fc.array(
      fc.record(
        {
          type: fc.constantFrom('webhook', 'end_call'),
          name: text,
          description: text,
          parameters: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
          url: text,
          method: fc.constantFrom('GET', 'POST'),
          headers: map,
          secretRef: fc.record({ name: text, key: text }),
          timeoutMs: fc.nat(),
        },
        { requiredKeys: ['type', 'name'] },
      ),
    ),
    firstMessage: text,
    language: text,
    model: fc.record({ name: text, temperature: fc.double(), maxTokens: fc.nat() }, optional),
    knowledge: fc.record(
      {
        sourceIds: fc.array(text),
        sourceNames: fc.array(text),
        topK: fc.nat(),
        minScore: fc.double(),
      },
      optional,
    ),
    escalation: fc.record(
      {
        rules: fc.array(
          fc.record(
            { when: fc.constantFrom('keyword', 'tool_failure'), keywords: fc.array(text) },
            { requiredKeys: ['when'] },
          ),
        ),
        timeoutSec: fc.nat(),
      },
      optional,
    ),
    limits: fc.record({ maxDurationSec: fc.nat(), silenceTimeoutSec: fc.nat() }, optional),
    redaction: fc.array(fc.constantFrom('card', 'email', 'phone', 'iban')),
    judgement: fc.record(
      { by: fc.constantFrom('rule' as const, 'model' as const), topics: fc.array(fc.string()) },
      { requiredKeys: ['by'] },
    ),
    publishPolicy: fc.constantFrom('Automatic', 'Manual'),
    metadata: map,
  },
  optional,
);

test.each([
  ['/firstMessage', '/first_message'],
  ['/tools/0/secretRef', '/tools/0/secret_ref'],
  ['/unknownField', '/unknownField'],
  ['/unknownField/firstMessage', '/unknownField/firstMessage'],
  ['/prompt/firstMessage', '/prompt/firstMessage'],
  ['', ''],
])('the pointer %j into a spec is %j in REST', (pointer, rest) => {
  expect(toSnakePointer(agentSpec, pointer)).toBe(rest);
});
