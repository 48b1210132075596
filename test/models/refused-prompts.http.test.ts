import { afterEach, describe, expect, test } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../src/models/model.ts';
import {
  ask,
  endpointOf,
  failureOf,
  modelOf,
  pickyStub,
  plainModel,
  refuse,
  replied,
  said,
  stopAll,
  stubModel,
} from './model-harness.ts';
import type { StubReply } from './stub-model.ts';

/** Prompts that a server refuses for their length or their content. */

afterEach(stopAll);

describe('a prompt that is too long', () => {
  const turns = (count: number): ModelMessage[] =>
    Array.from({ length: count }, (_, at) => [
      said('user', `${at} ${'word '.repeat(400)}`),
      replied(`Answer ${at}.`),
    ]).flat();
  const request = (count: number): Partial<ModelRequest> => {
    const history = turns(count);
    return {
      messages: [said('system', 'S'), ...history, said('user', 'And now?')],
      historyEnd: 1 + history.length,
    };
  };
  const limitedTo = (tokens: number, refusal: (count: number) => StubReply) =>
    pickyStub((body) => {
      const count = Math.ceil(JSON.stringify(body.messages).length / 4);
      return count > tokens ? refusal(count) : undefined;
    });

  test.each<[string, (count: number) => StubReply]>([
    [
      'OpenAI',
      (count) =>
        refuse(
          400,
          `This model's maximum context length is 4096 tokens. However, your messages resulted in ${count} tokens.`,
          { code: 'context_length_exceeded' },
        ),
    ],
    [
      'llama.cpp',
      (count) =>
        refuse(400, `request (${count} tokens) exceeds the available context size (4096 tokens)`, {
          type: 'exceed_context_size_error',
        }),
    ],
    ['Anthropic', (count) => refuse(400, `prompt is too long: ${count} tokens > 4096 maximum`)],
    ['a server without numbers', () => refuse(413, 'Prompt too long')],
  ])('for %s loses its oldest turns, and the next one is not sent too long', async (_, refusal) => {
    const stub = await limitedTo(4096, refusal);
    const model = await plainModel(stub.url);
    expect(await ask(model, request(12))).toMatchObject({ text: 'We open at nine.' });
    const before = stub.requests.length;
    expect(await ask(model, request(13))).toMatchObject({ attempts: 1 });
    const { messages = [] } = stub.requests[before]!.body;
    expect(messages[0]).toEqual({ role: 'system', content: 'S' });
    expect(messages[1]?.role).toBe('user');
    expect(messages.at(-1)?.content).toBe('And now?');
    expect(messages.length).toBeGreaterThan(3);
    expect(JSON.stringify(messages)).toContain('Answer 12.');
  });

  test('begins the same for several turns', async () => {
    const stub = await limitedTo(4096, () =>
      refuse(400, 'maximum context length is 4096 tokens, you sent 9000'),
    );
    const model = await plainModel(stub.url);
    for (let count = 12; count < 24; count += 1) await ask(model, request(count));
    const begins = stub.requests.slice(-11).map(({ body }) => JSON.stringify(body.messages?.[1]));
    expect(new Set(begins).size).toBeLessThan(6);
  });

  test('without earlier turns is refused', async () => {
    const stub = await limitedTo(50, () => refuse(400, 'Prompt too long'));
    const messages = [said('system', 'S'), said('user', 'word '.repeat(400))];
    expect(
      await failureOf(ask(await plainModel(stub.url), { messages, historyEnd: 1 })),
    ).toMatchObject({ code: 'model_refused' });
    expect(stub.requests).toHaveLength(1);
  });
});

describe('a content filter', () => {
  test.each<[string, StubReply]>([
    [
      'Azure',
      refuse(
        400,
        'The response was filtered due to the prompt triggering the content management policy.',
        { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } },
      ),
    ],
    [
      'DashScope',
      refuse(400, 'Input data may contain inappropriate content.', {
        code: 'data_inspection_failed',
      }),
    ],
    ['DeepSeek', refuse(400, 'Content Exists Risk')],
    ['OpenAI', refuse(400, 'Your request was rejected.', { code: 'content_policy_violation' })],
  ])('of %s has a code of its own, and is asked once', async (_, reply) => {
    const stub = await stubModel({ reply });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error.code).toBe('model_content_filter');
    expect(error.message).not.toMatch(/again|later/);
    expect(stub.requests).toHaveLength(1);
  });

  test('that refuses something said before gets the question without it', async () => {
    const stub = await pickyStub((body) =>
      JSON.stringify(body.messages).includes('attack')
        ? refuse(400, 'x', { code: 'content_filter' })
        : undefined,
    );
    const messages = [
      said('system', 'S'),
      said('user', 'An attack'),
      replied('Oh.'),
      said('user', 'When do you open?'),
    ];
    expect(await ask(await plainModel(stub.url), { messages, historyEnd: 3 })).toMatchObject({
      text: 'We open at nine.',
      attempts: 2,
    });
  });

  test('is passed by to a fallback', async () => {
    const stub = await pickyStub(({ model }) =>
      model === 'other' ? undefined : refuse(400, 'x', { code: 'content_filter' }),
    );
    const model = await modelOf(
      { default: endpointOf(stub.url) },
      { fallback: [{ name: 'other' }] },
    );
    expect(await ask(model)).toMatchObject({ model: 'other' });
  });
});
