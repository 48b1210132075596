import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { AGENT_CONTENT_FIELDS, agentSpec, type AgentSpec } from '../../src/agents/agent.ts';
import { contentHash, contentOf, HASH_VERSION } from '../../src/agents/content-hash.ts';

/** A spec as the store keeps one: through JSON and with the kind's defaults. */
function specOf(fields: Record<string, unknown>): AgentSpec {
  return agentSpec.parse(JSON.parse(JSON.stringify({ prompt: 'p', ...fields })));
}
const hashOf = (fields: Record<string, unknown>): string => contentHash(contentOf(specOf(fields)));

const PARAMETERS = {
  type: 'object',
  properties: { order: { type: 'string', enum: ['a', 'b'] }, note: {} },
  required: ['order', 'note'],
};
const LOOKUP = {
  type: 'webhook',
  name: 'lookup',
  description: 'Finds an order.',
  parameters: PARAMETERS,
  url: 'https://shop.example/orders',
  method: 'GET',
  headers: {
    'x-shop': '1',
    accept: '*/*',
  },
  secretRef: { name: 'shop', key: 'token' },
  timeoutMs: 2e3,
};
const FULL = {
  prompt: 'You answer for the shop.',
  voice: { provider: 'acme', voiceId: 'v-1', language: 'en-GB', speed: 1.25 },
  tools: [LOOKUP, { type: 'end_call', name: 'bye' }],
  firstMessage: 'Hello!',
  firstMessageInterruptible: false,
  language: 'en-GB',
  model: { name: 'm-1', temperature: 0.2, maxTokens: 400 },
  knowledge: { sourceNames: ['faq', 'prices'], topK: 5, minScore: 0.4 },
  escalation: {
    rules: [{ when: 'keyword', keywords: ['human'], reason: 'asked' }],
    timeoutSec: 60,
  },
  limits: { maxDurationSec: 600, silenceTimeoutSec: 30 },
  redaction: ['card', 'phone'],
  judgement: { by: 'model', model: { name: 'm-2' }, topics: ['delivery', 'returns'] },
  transcriber: {
    provider: 'acme',
    model: 'h-1',
    language: 'en-GB',
    keywords: ['Krapfen', 'Ströck'],
    fallback: [{ provider: 'other' }, { model: 'h-2' }],
  },
} satisfies Record<string, unknown>;

/** Another valid value for each content field; a new field of the kind fails until it is here. */
const OTHER: Record<string, unknown> = {
  prompt: 'Other.',
  voice: { ...FULL.voice, speed: 1 },
  transcriber: { ...FULL.transcriber, keywords: ['Krapfen'] },
  tools: [LOOKUP],
  firstMessage: 'Good day!',
  firstMessageInterruptible: true,
  language: 'de-DE',
  model: { ...FULL.model, temperature: 0.3 },
  knowledge: { ...FULL.knowledge, sourceNames: ['faq'] },
  escalation: { ...FULL.escalation, timeoutSec: 61 },
  limits: { ...FULL.limits, maxDurationSec: 601 },
  redaction: ['card'],
  judgement: { by: 'model', model: { name: 'm-2' }, topics: ['delivery'] },
};
const CONTENT = AGENT_CONTENT_FIELDS.filter((field) => field !== 'promptFrom');

describe('every content field makes a version', () => {
  test.each(CONTENT)('%s: another value, and none, are other content', (field) => {
    const without = Object.fromEntries(Object.entries(FULL).filter(([key]) => key !== field));
    const hashes = [
      FULL,
      { ...FULL, [field]: OTHER[field] },
      ...(field === 'prompt' ? [] : [without]),
    ];
    expect(new Set(hashes.map(hashOf)).size).toBe(hashes.length);
  });

  test('down to the last leaf of it', () => {
    const paths = leavesOf(FULL);
    expect(paths.length).toBeGreaterThan(30);
    const hashes = paths.map((path) => contentHash(contentOf(changedAt(FULL, path))));
    expect(new Set([...hashes, hashOf(FULL)]).size).toBe(paths.length + 1);
  });
});

describe('nothing else does', () => {
  test.each(
    Object.entries({
      displayName: 'Shop',
      metadata: { team: 'a' },
      publishPolicy: 'Manual',
      pinnedVersion: 3,
      revisionHistoryLimit: 5,
      suspend: true,
      deletionPolicy: 'Delete',
      widget: { allowedOrigins: ['https://shop.example.com'] },
      rollout: {
        steps: [{ weight: 5, minConversations: 50 }],
        checks: [{ metric: 'gap_rate', worseBy: 0.1 }],
      },
    }),
  )('%s', (field, value) => {
    expect(hashOf({ ...FULL, [field]: value })).toBe(hashOf(FULL));
  });

  test('so each field of the spec is one of the two kinds', () => {
    const others =
      'displayName metadata publishPolicy pinnedVersion revisionHistoryLimit suspend deletionPolicy widget rollout';
    const fields = [...AGENT_CONTENT_FIELDS, ...others.split(' ')];
    expect(Object.keys(agentSpec.shape).sort()).toEqual(fields.sort());
  });
});

describe('what says the same is the same', () => {
  test('the order of keys, at any depth, "10" before "9" or after it', () => {
    const shuffled = fc.infiniteStream(fc.boolean()).map((coins) => shuffle(FULL, coins));
    fc.assert(fc.property(shuffled, (spec) => hashOf(spec as typeof FULL) === hashOf(FULL)));
    const headers = (keys: string[]) => ({
      tools: [{ ...LOOKUP, headers: Object.fromEntries(keys.map((key) => [key, 'v'])) }],
    });
    expect(hashOf(headers(['10', 'b', '9', 'a']))).toBe(hashOf(headers(['a', '9', 'b', '10'])));
  });

  test('the order of tools, which have names', () => {
    const tools = FULL.tools.toReversed();
    expect(hashOf({ ...FULL, tools })).toBe(hashOf(FULL));
  });

  test.each([
    [{ tools: [] }, {}],
    [{ voice: {} }, {}],
    [{ knowledge: { sourceNames: [] } }, {}],
    [{ escalation: { rules: [] } }, {}],
    [
      { tools: [{ type: 'end_call', name: 'bye', headers: {}, parameters: {} }] },
      { tools: [FULL.tools[1]] },
    ],
  ])('%j and %j', (a, b) => {
    expect(hashOf(a)).toBe(hashOf(b));
  });
});

describe('what says something else is something else', () => {
  const withParameters = (parameters: unknown) =>
    hashOf({ tools: [{ type: 'end_call', name: 'bye', parameters }] });

  test.each([
    ['the order of a list in the parameters', { required: ['a', 'b'] }, { required: ['b', 'a'] }],
    ['the same under the name tools', { tools: ['a', 'b'] }, { tools: ['b', 'a'] }],
    ['an empty schema in the parameters', { properties: { a: {} } }, { properties: {} }],
    ['an empty list in the parameters', { required: [] }, {}],
    ['a map and the list of its pairs', { default: { a: 1 } }, { default: [['a', 1]] }],
    ['a number and its text', { default: 1 }, { default: '1' }],
    ['null and nothing', { default: null }, {}],
  ])('%s', (_, a, b) => {
    expect(withParameters(a)).not.toBe(withParameters(b));
  });

  test('the order of escalation rules', () => {
    const rules = [{ when: 'user_request' }, { when: 'tool_failure', count: 2 }];
    const reversed = rules.toReversed();
    expect(hashOf({ escalation: { rules } })).not.toBe(hashOf({ escalation: { rules: reversed } }));
  });
});

/** Content of before a greeting could be kept, of before an agent was told how to hear, and before there was a judge. */
const INTERRUPTIBLE = without(FULL, 'firstMessageInterruptible');
const DEAF = without(INTERRUPTIBLE, 'transcriber');
const UNJUDGED = without(DEAF, 'judgement');
/** A voice with all that was added to it later. */
const SPEAKING = {
  ...INTERRUPTIBLE,
  voice: {
    ...FULL.voice,
    model: 's-1',
    fallback: [{ voiceId: 'v-2' }, { provider: 'other', model: 's-2', voiceId: 'v-3' }],
  },
};

test.each([true, false])(
  'retranscribeInterrupted %s makes another version than its absence',
  (option) => {
    const transcriber = { ...FULL.transcriber, retranscribeInterrupted: option };
    expect(hashOf({ ...FULL, transcriber })).not.toBe(hashOf(FULL));
  },
);

// Of version 1 for ever: whoever changes a hash makes a new version of every agent there is.
// A change of the rules raises HASH_VERSION and gets a table of its own.
test.each([
  [{ prompt: 'one' }, '275c156ee6b388e580ed2e2f459818e90844ba7a57a621d59e455e55d7e7bb4c'],
  [
    { prompt: 'ünï\u2028😀\n"\\' },
    'c2ebd8219016f3e186f8b729ee457e4c3f688dad4e327322658c3a6c78ddc6ac',
  ],
  [
    { prompt: 'one', voice: { speed: 1 }, limits: {} },
    '5c9790d6ebcc53a7d134dce1e2867c48f501813405f8d3744872aabec48d5cdf',
  ],
  [
    { ...UNJUDGED, redaction: [] },
    'e41edaf05cfe16c11c60c2afc9c0d4f6351d75592871eb27e299c858a3e6b295',
  ],
  [UNJUDGED, 'f6d829be7aa853d51f3b63ccccfff47a2ccb021105937b3871f887fdd00dd284'],
  [DEAF, '587879e59ef8d5dd54ab815b9e0ade4d386db48dc5f0ef677331a07da46e8e6a'],
  [INTERRUPTIBLE, 'e81eb9099069b561364077f7e8335ae2725a7eec51adbf28faf2223572597530'],
  [SPEAKING, '4683589db9ffd88a7a652e5f83aa824aec88583e64911eeac6cdc5327b2a48a8'],
  [FULL, '2df976ce72b68f9043e08330933cf854bb771b26ff6a2804b1428546d1e2b689'],
])('the hash of known content never changes (%#)', (fields, hash) => {
  expect([HASH_VERSION, hashOf(fields)]).toEqual([1, hash]);
});

function without(fields: object, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

type Path = (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Object.keys(value).length === 0) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Not through the schema: the hash must see a leaf whether or not its new value is allowed. */
function changedAt(value: object, path: Path): AgentSpec {
  const copy = structuredClone(value);
  let holder: object = copy;
  for (const key of path.slice(0, -1)) holder = Reflect.get(holder, key) as object;
  const last = path.at(-1)!;
  const leaf: unknown = Reflect.get(holder, last);
  Reflect.set(holder, last, typeof leaf === 'number' ? leaf + 1 : `${String(leaf)}x`);
  return copy as AgentSpec;
}

function shuffle(value: unknown, coins: Iterator<boolean>): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffle(item, coins));
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const entry: [string, unknown] = [key, shuffle(item, coins)];
    if (coins.next().value === true) entries.push(entry);
    else entries.unshift(entry);
  }
  return Object.fromEntries(entries);
}
