import type { Attack } from '../attack.ts';

/** Messages in shapes that are expensive to understand, by a key with `write`. */

const CHARS = 32_000;

const shaped = (name: string, part: string, chars = CHARS): Attack => ({
  name: `message-of-${name}`,
  by: 'write',
  bound: '32,000 characters a message; work in proportion to the text',
  answers: ['200', '201'],
  run: async ({ create, again, call, many }) => {
    const agent = await create('/v1/agents', {
      prompt: 'Sell.',
      redaction: ['card', 'email', 'phone', 'iban'],
      escalation: { rules: [{ when: 'user_request' }, { when: 'mood' }] },
    });
    const size = many(chars, 1_000);
    const text = part.repeat(Math.ceil(size / part.length)).slice(0, size);
    await again(2, async () => {
      const { body } = await call('POST', '/v1/conversations', { json: { agent_id: agent.id } });
      if (body?.id) await call('POST', `/v1/conversations/${body.id}/messages`, { json: { text } });
    });
  },
});

export const texts: readonly Attack[] = [
  shaped('commas', 'a, '),
  shaped('full-stops', 'a. '),
  shaped('points', 'a.'),
  shaped('one-word', 'abcdefgh', 8_000),
  shaped('at-signs', 'a@'),
  shaped('digits', '4 '),
  shaped('brackets', '<'),
  shaped('combining-marks', 'a\u0301\u0323\u0308'),
  shaped('two-scripts', 'aа'),
];
