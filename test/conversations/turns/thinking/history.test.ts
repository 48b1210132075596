import { describe, expect, test } from 'vitest';
import type { TurnRow } from '../../../../src/conversations/record/turns.sql.ts';
import type { ModelMessage } from '../../../../src/models/model.ts';
import {
  createHistory,
  HISTORY_TOKENS_MAX,
  turnsToRead,
} from '../../../../src/conversations/turns/thinking/history.ts';
import { calls, hit, play, turn, WITH_SOURCES } from './scripted.ts';

/** What a model reads of a conversation, and that it begins the same, turn after turn. */

function toolTurn(index: number, id: string, toolResult: TurnRow['toolResult']): TurnRow {
  const toolCall = { id, name: 'order', arguments: { at: index } };
  return { ...turn(index, 'tool', 'x'), toolCall, toolResult };
}

const callsIn = (message?: ModelMessage) =>
  (message?.role === 'assistant' ? message.toolCalls : undefined) ?? [];
const result = (content: string) => ({ ok: true, content, duration_ms: 1 });

test('who said what: users, agents, tools and colleagues; not what was said in place of a reply', () => {
  const messages = createHistory()('c', [
    turn(0, 'agent', 'Hello!'),
    turn(1, 'user', 'Where is it?'),
    toolTurn(2, 'tool_a', result('sent')),
    toolTurn(3, 'tool_b', null),
    turn(4, 'agent', 'On its way.'),
    turn(5, 'user', 'And now?'),
    { ...turn(6, 'agent', 'I am sorry.'), error: { code: 'model_failed', detail: 'x' } },
    turn(7, 'system', 'Nobody is free.'),
    turn(8, 'human', 'I am <Ann>.'),
    { ...turn(9, 'agent', 'I was abo'), interrupted: true },
    { ...turn(10, 'agent', ''), interrupted: true },
  ]);
  const call = (index: number) => ({
    id: `t0000000${index}`,
    name: 'order',
    arguments: JSON.stringify({ at: index }),
  });
  expect(messages).toEqual([
    { role: 'assistant', content: 'Hello!' },
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: '', toolCalls: [call(2), call(3)] },
    { role: 'tool', toolCallId: 't00000002', content: 'sent' },
    { role: 'tool', toolCallId: 't00000003', content: expect.stringMatching(/not known whether/) },
    { role: 'assistant', content: 'On its way.' },
    { role: 'user', content: 'And now?' },
    {
      role: 'user',
      content: expect.stringMatching(/below your instructions: "Nobody is free\."\)$/),
    },
    {
      role: 'user',
      content: String.raw`(A human colleague of yours said to the user: "I am \u003cAnn>.")`,
    },
    { role: 'assistant', content: 'I was abo' },
  ]);
});

test('long words are cut, and a cut leaves no call without its result', () => {
  const [said, , told] = createHistory()('c', [
    turn(0, 'user', 'x'.repeat(50_000)),
    toolTurn(1, 'tool_a', result('y'.repeat(50_000))),
  ]);
  expect(said?.content).toHaveLength(16_000 + '… (cut)'.length);
  expect(told?.content).toHaveLength(2_000 + '… (cut)'.length);
});

describe('a prompt begins as the one of the turn before', () => {
  /** How many turns in a row began with all of the messages that the turn before had of its history. */
  function prefixes(turnCount: number, textOf: (index: number) => string): boolean[] {
    const makeHistory = createHistory();
    const all = Array.from({ length: turnCount }, (_, index) =>
      turn(index, index % 2 === 0 ? 'user' : 'agent', textOf(index)),
    );
    const equal: boolean[] = [];
    let before: ModelMessage[] = [];
    for (let count = 2; count <= turnCount; count += 2) {
      const read = all.slice(0, count).slice(-turnsToRead(count));
      const now = makeHistory('c', read);
      equal.push(JSON.stringify(now.slice(0, before.length)) === JSON.stringify(before));
      before = now;
    }
    return equal;
  }

  test('over thirty turns with knowledge, tools and variables, to the byte', async () => {
    const history: TurnRow[] = [];
    let before = '';
    for (let at = 0; at < 30; at += 1) {
      const made = await play({
        content: { ...WITH_SOURCES, prompt: 'Help {{name}} of {{shop}}.', language: 'de' },
        variables: { name: 'Ann {{shop}}' },
        text: `Question ${at}?`,
        history,
        hits: () => [hit(0.9, `Passage ${at}`)],
        script: (_, step) =>
          step === 1 && at % 3 === 0 ? { toolCalls: calls(['a', { at }]) } : `Answer ${at}.`,
        tools: { a: () => ({ content: `told ${at}` }) },
      });
      const [asked] = made.asked;
      const messages = asked!.messages;
      expect(messages[0]?.content).toMatch(/^Help Ann \{\{shop\}\} of \.\n\nSpeak .* de\./);
      expect(messages.at(-2)?.content).toContain(`Passage ${at}`);
      expect(messages.at(-1)).toEqual({ role: 'user', content: `Question ${at}?` });
      // All but this turn's passages and words is the beginning of the next one.
      const beginning = messages
        .slice(0, -2)
        .map((one) => JSON.stringify(one))
        .join('\n');
      expect(beginning.startsWith(before)).toBe(true);
      expect(JSON.stringify(messages.slice(0, -2))).not.toContain('Passage');
      before = beginning;
      history.push(turn(history.length, 'user', `Question ${at}?`));
      for (const { text, ...tool } of made.toolTurns ?? [])
        history.push({ ...turn(history.length, 'tool', text), ...tool });
      history.push(turn(history.length, 'agent', made.text));
    }
  });

  test('of a long conversation too: what is left out is left out in great parts', () => {
    const short = prefixes(500, (index) => `Some words of turn ${index}.`);
    expect(short.filter((isEqual) => !isEqual).length).toBeLessThanOrEqual(500 / 64);
    const long = prefixes(400, (index) => `word${index} `.repeat(150));
    const cuts = long.filter((isEqual) => !isEqual).length;
    expect(cuts).toBeGreaterThan(1);
    expect(cuts).toBeLessThanOrEqual(14);
  });
});

test('all that is read is within the budget, and as much of it as half of that', () => {
  const makeHistory = createHistory();
  const all = Array.from({ length: 150 }, (_, index) =>
    turn(index, 'user', 'a few words that count '.repeat(60)),
  );
  const kept = makeHistory('c', all);
  const tokens = kept.length * 300;
  expect(kept.length).toBeLessThan(150);
  expect(tokens).toBeLessThanOrEqual(HISTORY_TOKENS_MAX * 1.2);
  expect(tokens).toBeGreaterThanOrEqual(HISTORY_TOKENS_MAX * 0.4);
  expect(kept.at(-1)?.content).toBe(all.at(-1)?.text);
});

test.each([
  [0, 0],
  [128, 128],
  [191, 191],
  [192, 128],
  [255, 191],
  [256, 128],
  [10_000, 144],
])('of %d turns the last %d are read', (turnCount, read) => {
  expect(turnsToRead(turnCount)).toBe(read);
});

describe('a message that a content filter refused', () => {
  const talk = (over: Partial<TurnRow>): TurnRow[] => [
    turn(0, 'user', 'One?'),
    turn(1, 'agent', 'One.'),
    turn(2, 'user', 'Two?'),
    toolTurn(3, 'tool_a', result('two')),
    { ...turn(4, 'agent', 'Two'), ...over },
    turn(5, 'user', 'Three?'),
  ];

  test.each<[string, Partial<TurnRow>]>([
    ['by its error', { error: { code: 'model_content_filter', detail: 'x' } }],
    ['by its model', { model: { finish_reason: 'content_filter' } as TurnRow['model'] }],
  ])('is left out with its tools, %s', (_, over) => {
    const messages = createHistory()('c', talk(over));
    expect(messages.map(({ content }) => content)).toEqual(['One?', 'One.', 'Three?']);
  });

  test('is none because of another error or reason', () => {
    const model = { finish_reason: 'stop' } as TurnRow['model'];
    const error = { code: 'model_failed', detail: 'x' };
    expect(createHistory()('c', talk({ model }))).toHaveLength(7);
    expect(createHistory()('c', talk({ error }))).toHaveLength(6);
  });
});

test('what a provider wants back stands with its call and its request', () => {
  const called = (providerMetadata: NonNullable<TurnRow['providerMetadata']> | null) =>
    createHistory()('c', [{ ...toolTurn(0, 'tool_a', result('x')), providerMetadata }])[0];
  expect(called({ provider: 'p', message: { m: 1 }, call: { c: 1 } })).toMatchObject({
    from: 'p',
    extra: { m: 1 },
    toolCalls: [{ extra: { c: 1 } }],
  });
  const twice = [0, 1].map((index) => ({
    ...toolTurn(index, 'tool_a', result('x')),
    providerMetadata: { provider: 'p', message: { m: index } },
  }));
  expect(createHistory()('c', twice).map(({ role }) => role)).toEqual([
    'assistant',
    'tool',
    'assistant',
    'tool',
  ]);
  const without = called({ provider: 'p' });
  expect(without).not.toHaveProperty('extra');
  expect(callsIn(without)[0]).not.toHaveProperty('extra');
  expect(called(null)).not.toHaveProperty('from');
});

test.each([
  [{ a: 1 }, '{"a":1}'],
  [null, '{}'],
  [[1], '{}'],
  ['text', '{}'],
  [{ a: 'x'.repeat(1_992) }, `{"a":"${'x'.repeat(1_992)}"}`],
  [{ a: 'x'.repeat(1_993) }, '{}'],
])('the arguments of a call are an object of at most 2,000 characters', (given, text) => {
  const call = toolTurn(0, 'tool_a', result('x'));
  const row = { ...call, toolCall: { ...call.toolCall, arguments: given } };
  expect(callsIn(createHistory()('c', [row])[0])[0]?.arguments).toBe(text);
});

test('words are whole up to their limit', () => {
  expect(createHistory()('c', [turn(0, 'user', 'x'.repeat(16_000))])[0]?.content).toHaveLength(
    16_000,
  );
});

test('tokens are counted for each turn of each conversation', () => {
  const makeHistory = createHistory();
  const turns = (words: string) =>
    Array.from({ length: 100 }, (_, index) => turn(index, 'user', index === 0 ? 'x' : words));
  const [long, short] = [turns('a few words '.repeat(90)), turns('xxxxxxxxx '.repeat(30))];
  const kept = makeHistory('long', long);
  expect(kept.length).toBeLessThan(100);
  expect(makeHistory('short', short)).toEqual(createHistory()('short', short));
  expect(makeHistory('long', long)).toEqual(kept);
});
