import { beforeAll, expect, test } from 'vitest';
import { shareOpenAiFixture, type OpenAiFixture } from './openai-setup.ts';

/** Fields that the answer does not need, with values of any type (contract/openai.md#fields). */

let api: OpenAiFixture;
beforeAll(async () => {
  api = await shareOpenAiFixture();
});

const post = (fields: object) => {
  const messages = [{ role: 'user', content: 'When do you deliver?' }];
  return api.call('POST', '/v1/chat/completions', {
    json: { model: api.agentId, messages, ...fields },
  });
};

test('metadata of any form is kept as text, or left out', async () => {
  const metadata = {
    attempt: 2,
    plan: 'gold',
    ok: false,
    none: null,
    customer: { tier: 'gold', tags: ['a', 'b'] },
    long: 'x'.repeat(2_000),
    ['y'.repeat(200)]: 'z',
    '': 'z',
  };
  const { status, body } = await post({ metadata });
  expect(status).toBe(200);
  expect((await api.read(body.metadata.conversation_id))['metadata']).toEqual({
    attempt: '2',
    plan: 'gold',
    ok: 'false',
    customer: '{"tier":"gold","tags":["a","b"]}',
    long: expect.stringMatching(/^x{1023}…$/),
  });
});

test.each([
  { metadata: null },
  { metadata: ['a'] },
  { metadata: 'gold' },
  { metadata: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, at])) },
])('metadata that is no object or too much of one is no reason to refuse: %j', async (fields) => {
  expect((await post(fields)).status).toBe(200);
});

/** Values of a type, or out of a range, that OpenAI documents for none of these fields. */
const ODD: object[] = [null, true, 0, -7.5, 1e9, '', 'x', [], ['x', 1], {}].map((value) => ({
  temperature: value,
  top_p: value,
  top_k: value,
  frequency_penalty: value,
  presence_penalty: value,
  max_tokens: value,
  max_completion_tokens: value,
  seed: value,
  stop: value,
  logprobs: value,
  top_logprobs: value,
  logit_bias: value,
  stream_options: value,
  parallel_tool_calls: value,
  metadata: value,
  store: value,
  prediction: value,
  call: value,
}));

test.each([
  ...ODD,
  { stream_options: { include_usage: true } },
  { stream_options: { include_usage: 'yes' }, stream: true },
  { stop: ['a', 'b', 'c', 'd', 'e'] },
  { n: null },
  { n: 'one' },
  { n: {} },
  { tools: null, functions: null, audio: null },
  { tools: {}, functions: '', audio: 0, tool_choice: 7 },
  { tools: 'none', tool_choice: 'auto', function_call: 'auto' },
  { tool_choice: { type: 'auto' }, function_call: {} },
  { response_format: null, modalities: null },
  { response_format: 'text', modalities: 'text' },
  { response_format: {}, modalities: {} },
  { response_format: { type: null }, modalities: [null, 1] },
  { user: null, safety_identifier: null },
  { phoneNumber: null, customer: { number: '+15550100' }, call: { id: 'c-1' } },
])('a field that the answer does not need is no reason to refuse: %j', async (fields) => {
  const { status, text } = await post(fields);
  expect({ status, text }).toMatchObject({
    status: 200,
    text: expect.not.stringContaining('"error"'),
  });
});

test.each([
  [{ user: 17 }, '17'],
  [{ user: { id: 17 } }, '{"id":17}'],
  [{ safety_identifier: true }, 'true'],
  [{ user: null, safety_identifier: 's' }, 's'],
  [{ user: '', safety_identifier: 's' }, 's'],
  [{ user: '' }, null],
])('the user of %j is %s', async (fields, expected) => {
  const { body } = await post(fields);
  expect((await api.read(body.metadata.conversation_id)).user_id).toBe(expected);
});
