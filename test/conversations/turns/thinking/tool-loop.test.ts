import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AgentContent } from '../../../../src/agents/agent.ts';
import { calls, hit, play, WITH_SOURCES, type Script } from './scripted.ts';

/** What a model calls for: how it is carried out, noted and told, and what follows from it. */

describe('tools', () => {
  test('that are asked for at once run at once, and answer in the order they were asked', async () => {
    let running = 0;
    let most = 0;
    const { promise: allOthersDone, resolve } = Promise.withResolvers<void>();
    const tool = async (args: string) => {
      running += 1;
      most = Math.max(most, running);
      // The first one answers last.
      if (args === '{"at":0}') await allOthersDone;
      else await nextTurn();
      running -= 1;
      if (args === '{"at":11}') resolve();
      return { content: `answer of ${args}` };
    };
    const many = Array.from({ length: 12 }, (_, at): [string, unknown] => ['look', { at }]);
    const made = await play({
      script: (_, step) => (step === 1 ? { toolCalls: calls(...many) } : 'Done.'),
      tools: { look: tool },
    });
    expect(most).toBe(8);
    const answers = made.asked[1]?.messages.filter(({ role }) => role === 'tool');
    expect(answers?.map(({ content }) => content)).toEqual(
      many.map((_, at) => `answer of {"at":${at}}`),
    );
  });

  test('have ids that no other call has, whatever the model calls them', async () => {
    const script: Script = (_, step) =>
      step < 3 ? { toolCalls: calls(['a', '', 'same'], ['a', '', '']) } : 'Done.';
    const made = await play({ script, tools: { a: () => ({}) } });
    const ids = made.ran.map(([, , id]) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id.startsWith('tool_'))).toBe(true);
    expect(made.ran.map(([, args]) => args)).toEqual(['{}', '{}', '{}', '{}']);
    const answered = made.asked[2]?.messages.flatMap((one) =>
      one.role === 'tool' ? [one.toolCallId] : [],
    );
    expect(new Set(answered).size).toBe(4);
  });

  test('that are not there, or called with rubbish, are answered; the prompt stays valid', async () => {
    const script: Script = (_, step) =>
      step === 1 ? { toolCalls: calls(['nothing', '{"a":'], ['nothing', '[1]']) } : 'Sorry.';
    const made = await play({ script });
    expect(made).toMatchObject({ text: 'Sorry.', toolFailuresInRow: 2 });
    const [asking] = made.asked[1]!.messages.filter((one) => one.role === 'assistant');
    expect(asking).toMatchObject({ toolCalls: [{ arguments: '{}' }, { arguments: '{}' }] });
    expect(made.toolTurns?.[0]?.toolCall).toMatchObject({ arguments: '{"a":' });
  });

  test('of a model that never stops calling are called in seven requests, then it must answer', async () => {
    const script: Script = ({ toolChoice }) =>
      toolChoice === 'none' ? 'That is all I found.' : { toolCalls: calls(['a']) };
    const made = await play({ script, tools: { a: () => ({}) } });
    expect(made).toMatchObject({ text: 'That is all I found.', model: { steps: 8 } });
    expect(made.error).toBeUndefined();
    expect(made.ran).toHaveLength(7);
    // They are named to the end: they are part of what a provider keeps.
    expect(made.asked.every(({ tools }) => tools.length === 1)).toBe(true);
  });

  test('of a model that does not even then answer: too_many_steps, an apology', async () => {
    const made = await play({
      script: () => ({ toolCalls: calls(['a']) }),
      tools: { a: () => ({}) },
    });
    expect(made.error?.code).toBe('too_many_steps');
    expect(made.text).toMatch(/^I am sorry/);
    expect(made.tokens).toBe(made.text);
    expect(made.ran).toHaveLength(7);
  });

  test('called by the hundred are not all run', async () => {
    const many = Array.from({ length: 100 }, (): [string] => ['a']);
    const script: Script = (_, step) => (step === 1 ? { toolCalls: calls(...many) } : 'Done.');
    const made = await play({ script, tools: { a: () => ({}) } });
    expect(made.ran).toHaveLength(32);
    expect(made.toolTurns).toHaveLength(100);
  });

  test('are noted before they are called and after', async () => {
    const order: string[] = [];
    await play({
      script: (_, step) => (step < 3 ? { toolCalls: calls(['a']) } : 'Done.'),
      tools: { a: () => (order.push('ran'), {}) },
      noteTools: async (turns) => {
        order.push(turns.map(({ toolResult }) => (toolResult ? 'result' : 'call')).join(','));
      },
    });
    expect(order).toEqual(['call', 'ran', 'result', 'result,call', 'ran', 'result,result']);
  });

  test('are not called when the turn is somebody else’s', async () => {
    let ran = 0;
    const made = play({
      script: () => ({ toolCalls: calls(['a']) }),
      tools: { a: () => ((ran += 1), {}) },
      noteTools: () => Promise.reject(new Error('taken over')),
    });
    await expect(made).rejects.toThrow('taken over');
    expect(ran).toBe(0);
  });
});

describe('what an attempt before has called', () => {
  const content: AgentContent = {
    prompt: 'Help.',
    tools: [
      { type: 'webhook', name: 'refund', url: 'https://shop.example/refund' },
      { type: 'end_call', name: 'bye' },
    ],
  };
  const noted = (name: string, args: unknown, toolResult: Record<string, unknown> | null) => ({
    text: name,
    toolCall: { id: `tool_${name}`, name, arguments: args },
    toolResult,
  });
  const result = { ok: true, content: 'refunded', duration_ms: 1 };

  test('is used and not called again, the order of its arguments aside', async () => {
    const made = await play({
      content,
      notedTools: [noted('refund', { a: 1, b: 2 }, result)],
      script: (_, step) =>
        step === 1 ? { toolCalls: calls(['refund', '{"b":2,"a":1}']) } : 'Done.',
      tools: { refund: () => ({}) },
    });
    expect(made.asked[0]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'refunded' });
    expect(made.ran).toEqual([]);
    expect(made.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'refunded' });
  });

  test('and is not known to be done is said so, and not repeated', async () => {
    const made = await play({
      content,
      notedTools: [noted('refund', { id: 1 }, null)],
      script: (_, step) =>
        step === 1 ? { toolCalls: calls(['refund', { id: 1 }], ['refund', { id: 2 }]) } : 'Done.',
      tools: { refund: () => ({}) },
    });
    expect(made.asked[0]?.messages.at(-1)?.content).toMatch(/not known whether/);
    expect(made.ran.map(([, args]) => args)).toEqual(['{"id":2}']);
    expect(made.toolTurns?.[0]).toEqual(noted('refund', { id: 1 }, null));
  });

  test('and acts here alone is called again', async () => {
    const made = await play({
      content,
      notedTools: [noted('bye', {}, result)],
      script: (_, step) => (step === 1 ? { text: 'Bye.', toolCalls: calls(['bye']) } : 'never'),
      tools: { bye: () => ({ effect: { type: 'end_call' } }) },
    });
    expect(made.asked[0]?.messages.at(-1)?.role).toBe('user');
    expect(made).toMatchObject({ text: 'Bye.', ends: 'agent_hangup' });
  });
});

describe('what a tool brings about', () => {
  test('the end: at once when the model has said its words, after them when it has not', async () => {
    const tools = { bye: () => ({ effect: { type: 'end_call' as const } }) };
    const after = await play({
      tools,
      script: ({ toolChoice }) =>
        toolChoice === 'none' ? 'So long!' : { toolCalls: calls(['bye']) },
    });
    expect(after).toMatchObject({ text: 'So long!', ends: 'agent_hangup', model: { steps: 2 } });
    const mute = await play({ tools, script: () => ({ toolCalls: calls(['bye']) }) });
    expect(mute).toMatchObject({ ends: 'agent_hangup', text: expect.stringMatching(/Goodbye/) });
    expect(mute.error).toBeUndefined();
  });

  test('a human, who comes before the end', async () => {
    const made = await play({
      script: () => ({ text: 'One moment.', toolCalls: calls(['bye'], ['human']) }),
      tools: {
        bye: () => ({ effect: { type: 'end_call' } }),
        human: () => ({ effect: { type: 'transfer_call', reason: 'angry' } }),
      },
    });
    expect(made).toMatchObject({ text: 'One moment.', handover: { reason: 'angry' } });
    expect(made.ends).toBeUndefined();
  });

  test('another agent goes on in the same turn, with its prompt, its tools and what it knows', async () => {
    const content: AgentContent = { prompt: 'Billing.', knowledge: { sourceNames: ['bills'] } };
    const speaker = { agentId: 'second', agentVersion: 4, content };
    const made = await play({
      content: WITH_SOURCES,
      script: (_, step) =>
        step === 1 ? { toolCalls: calls(['billing']) } : 'Your bill comes monthly.',
      tools: { billing: () => ({ effect: { type: 'handoff', speaker } }) },
      hits: (_, who) =>
        who?.agentId === 'second' ? [hit(0.9, 'A bill comes monthly.', 'Bills')] : [],
    });
    expect(made.speaker).toEqual(speaker);
    expect(made.asked[0]?.messages[0]?.content).toMatch(/^Help\./);
    expect(made.asked[1]?.messages[0]?.content).toMatch(/^Billing\./);
    expect(made.asked[1]?.tools[0]?.description).toBe('of second');
    expect(made.asked[1]?.messages[1]?.content).toContain('A bill comes monthly.');
    expect(made).toMatchObject({ answeredFrom: 'Bills' });
    expect(made.unanswered).toBeUndefined();
  });
});
