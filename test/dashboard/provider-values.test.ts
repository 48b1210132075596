import { expect, test } from 'vitest';
import {
  PRESETS,
  valuesOfPreset,
} from '../../packages/dashboard/src/pages/settings/providers/presets.ts';
import {
  bodyOf,
  patchOf,
  valuesOf,
  type Provider,
} from '../../packages/dashboard/src/pages/settings/providers/provider-values.ts';

/** What the form of a model provider sends. */

const provider = (over: Partial<Provider> = {}): Partial<Provider> => ({
  name: 'east',
  base_url: 'https://models.example/v1',
  api_key_header: null,
  query: {},
  chat: { default_model: 'm-1', timeouts: { total_ms: 1_000 } },
  speech: null,
  ...over,
});
const changed = (change: (values: ReturnType<typeof valuesOf>) => void, over = {}) => {
  const before = valuesOf(provider(over));
  const after = structuredClone(before);
  change(after);
  return patchOf(before, after);
};

test('a provider of a preset is sent without the fields that are empty', () => {
  const openAi = PRESETS.find(({ name }) => name === 'openai')!;
  const body = bodyOf({ ...valuesOfPreset(openAi), api_key: ' sk-1\n' });
  expect(body).toEqual({
    name: 'openai',
    base_url: 'https://api.openai.com/v1',
    api_key: 'sk-1',
    chat: { default_model: 'gpt-4.1-mini' },
  });
});

test('every preset has a name of its own, and Azure its header', () => {
  expect(new Set(PRESETS.map(({ name }) => name)).size).toBe(PRESETS.length);
  const azure = PRESETS.find(({ name }) => name === 'azure')!;
  expect(bodyOf(valuesOfPreset(azure))).toMatchObject({ api_key_header: 'api-key' });
});

test('what was not changed is not sent, and neither is an empty key', () => {
  expect(changed(() => undefined)).toBeUndefined();
  expect(changed((values) => (values.api_key = '  '))).toBeUndefined();
  expect(changed((values) => (values.api_key = 'sk-2'))).toEqual({ api_key: 'sk-2' });
});

test.each([
  ['the model alone', (v) => (v.chat.default_model = 'm-2'), { chat: { default_model: 'm-2' } }],
  ['no model', (v) => (v.chat.default_model = ''), { chat: { default_model: null } }],
  [
    'a parameter more',
    (v) => (v.query = 'api-version=1&a=b%20c'),
    { query: { 'api-version': '1', a: 'b c' } },
  ],
  [
    'speech',
    (v) => (v.speech = { default_model: 'tts', default_voice: 'alloy' }),
    { speech: { default_model: 'tts', default_voice: 'alloy' } },
  ],
  ['half of speech', (v) => (v.speech.default_model = 'tts'), { speech: { default_model: 'tts' } }],
  ['the header', (v) => (v.api_key_header = 'x-api-key'), { api_key_header: 'x-api-key' }],
] satisfies [string, (values: ReturnType<typeof valuesOf>) => unknown, object][])(
  'a change of %s is a patch of just that',
  (_, change, patch) => expect(changed((values) => void change(values))).toEqual(patch),
);

test('what is emptied is removed', () => {
  const over = {
    api_key_header: 'api-key',
    query: { 'api-version': '1', a: 'b' },
    speech: { default_model: 'tts', default_voice: 'alloy' },
  };
  const patch = changed((values) => {
    values.api_key_header = 'authorization';
    values.query = 'a=b';
    values.speech = { default_model: '', default_voice: '' };
  }, over);
  expect(patch).toEqual({ api_key_header: null, query: { 'api-version': null }, speech: null });
});
