import { expect, test } from 'vitest';
import { SENTENCES } from '../../../src/conversations/sentences/sentences.ts';
import type { ToolOutcome } from '../../../src/conversations/tools/tool.ts';
import { newUuid } from '../../../src/ids.ts';
import { ModelError } from '../../../src/models/model.ts';
import { calls, play, type Script } from '../turns/thinking/scripted.ts';

/** Sentences that Parley says in place of a model are in the agent's language. */

const LANGUAGES = Object.keys(SENTENCES);
type Effect = NonNullable<ToolOutcome['effect']>;

const failing: Script = () => {
  throw new ModelError('model_timeout', 'the model took too long');
};

test.each(LANGUAGES)('is apologized for in the language of the agent: %s', async (language) => {
  const content = { prompt: 'Help.', language };
  const { apology, refusal } = SENTENCES[language]!;
  expect((await play({ script: failing, content })).text).toBe(apology);
  const script: Script = () => {
    throw new ModelError('model_content_filter', 'refused');
  };
  expect((await play({ script, content })).text).toBe(refusal);
});

test.each(LANGUAGES)(
  'hands over and says goodbye in the language of the agent: %s',
  async (language) => {
    const content = { prompt: 'Help.', language };
    const { goodbye, handOver } = SENTENCES[language]!;
    const script: Script = (_, step) => (step === 1 ? { toolCalls: calls(['act']) } : {});
    const played = (effect: Effect) =>
      play({ content, script, tools: { act: () => ({ effect }) } });
    expect((await played({ type: 'end_call' })).text).toBe(goodbye);
    expect((await played({ type: 'transfer_call', reason: 'r' })).text).toBe(handOver);
    const consents = { text: 'Yes please', tally: { offeredHuman: true } };
    const asked = await play({ content, script, ...consents });
    expect(asked).toMatchObject({ text: handOver, handover: { reason: 'user_request' } });
  },
);

test('after a hand-off the agent that went on speaks its own language', async () => {
  const german = { prompt: 'Hilf.', language: 'de' };
  const speaker = { agentId: newUuid(), agentVersion: 1, content: german };
  const made = await play({
    content: { prompt: 'Help.', language: 'fr' },
    script: (_, step) => {
      if (step === 1) return { toolCalls: calls(['next']) };
      throw new ModelError('model_timeout', 'the model took too long');
    },
    tools: { next: () => ({ effect: { type: 'handoff', speaker } }) },
  });
  expect(made.text).toBe(SENTENCES['de']!.apology);
});
