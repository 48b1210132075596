import { expect, test } from 'vitest';
import {
  defaultCapabilities,
  fallbackFor,
  type Capabilities,
  type Refused,
} from '../../src/models/requests/capabilities.ts';

/** Changes learned from a refusal, and refusals that teach nothing. */

const DEFAULT = defaultCapabilities('https://models.example/v1');
const user = { role: 'user', content: 'a' };
const learn = (
  error: string,
  {
    body = {},
    now = {},
    ...more
  }: { body?: object; now?: Partial<Capabilities> } & Partial<Omit<Refused, 'body'>> = {},
) =>
  fallbackFor(
    { ...DEFAULT, ...now },
    {
      error,
      body: { model: 'm', stream: true, messages: [user], ...body } as Refused['body'],
      promptTokens: () => 1_000,
      hasHistory: true,
      ...more,
    },
  );

test.each([
  ['unknown max_tokens', { max_tokens: 1 }, { tokenLimit: 'max_completion_tokens' }],
  ['use max_completion_tokens instead', { max_tokens: 1 }, { tokenLimit: 'max_completion_tokens' }],
  ['unknown max_completion_tokens', { max_completion_tokens: 1 }, { tokenLimit: 'max_tokens' }],
  ['max_tokens is wrong', { max_tokens: 1 }, undefined],
  ['unknown max_tokens', {}, undefined],
  ['unknown temperature', { temperature: 0 }, { temperature: false }],
  ['unknown temperature', {}, undefined],
  ['unknown tool_choice', { tool_choice: 'auto' }, { toolChoice: false }],
  ['unknown tool_choice', {}, undefined],
  ['unknown stream_options', { stream_options: {} }, { streamUsage: false }],
  ['unknown stream_options', {}, undefined],
])('%s, with %j: %j', (error, body, change) => {
  expect(learn(error, { body })).toEqual(change);
});

test('a signature that is missing is filled in once', () => {
  const error = 'thought_signature is required';
  expect(learn(error)).toEqual({ callFields: 'filled' });
  expect(learn(error, { now: { callFields: 'filled' } })).toBeUndefined();
  expect(learn('thought_signature is wrong')).toBeUndefined();
});

test('fields of calls are left out if they were sent and are not known', () => {
  const call = { id: 'c', type: 'function', function: {} };
  const withCall = (more: object) => ({
    messages: [{ role: 'assistant', content: 'a', tool_calls: [{ ...call, ...more }] }],
  });
  const body = withCall({ extra_content: {} });
  const error = 'unknown extra_content';
  expect(learn(error, { body })).toEqual({ callFields: 'never' });
  expect(learn(error, { body, now: { callFields: 'never' } })).toBeUndefined();
  expect(learn(error, { body: withCall({}) })).toBeUndefined();
  expect(learn('tool_calls are wrong', { body })).toBeUndefined();
});

test('an empty text stands for null if null was sent', () => {
  const body = { messages: [{ role: 'assistant', content: null }] };
  const error = 'content may not be null';
  expect(learn(error, { body })).toEqual({ emptyContent: '' });
  expect(learn(error, { body, now: { emptyContent: '' } })).toBeUndefined();
  expect(learn(error)).toBeUndefined();
});

test.each([
  ['prompt is too long', 630],
  ['prompt is too long: 600 of 1000', 540],
  ['prompt is too long: 512 of 1024', 450],
  ['prompt is too long: 511 of 1024', 630],
  ['prompt is too long: 1000', 630],
  ['prompt is too long: 990 of 1000', 850],
  ['prompt is too long: 600 of 9000', 250],
])('%s: %i tokens are left', (error, promptTokens) => {
  expect(learn(error)).toEqual({ promptTokens });
  expect(learn(error, { hasHistory: false })).toBeUndefined();
});
