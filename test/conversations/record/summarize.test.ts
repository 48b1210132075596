import { describe, expect, test } from 'vitest';
import { storable } from '../../../src/conversations/record/storable.ts';
import { summarize, summarizeSoFar } from '../../../src/conversations/record/summarize.ts';
import { EMPTY_TALLY, type Tally } from '../../../src/conversations/record/tally.ts';

const soFar = (tally: Partial<Tally>, userId: string | null = null): string =>
  summarizeSoFar(
    { userId, tally: { ...EMPTY_TALLY, userTurns: 1, needs: 1, ...tally } },
    { isWaiting: false },
  );
const waiting = (tally: Partial<Tally>): string =>
  summarizeSoFar(
    { userId: null, tally: { ...EMPTY_TALLY, userTurns: 1, needs: 1, ...tally } },
    { isWaiting: true },
  );
const told = (question: string, from = '') => ({ question, from });
const open = (text: string) => ({ text, words: [], isAnswered: false });

describe('a summary says', () => {
  test.each<[string, Partial<Tally>, string]>([
    ['that nobody spoke', { userTurns: 0 }, 'The user said nothing.'],
    ['that nothing was asked', { needs: 0 }, 'The user asked nothing.'],
    [
      'what was answered',
      { answered: 1, told: [told('A?', 'B')] },
      'The user asked “A?” and was answered from “B”.',
    ],
    [
      'that one more was answered',
      { answered: 2, told: [told('A?')] },
      'The user asked “A?” and was answered. 1 more question was answered.',
    ],
    ['that two more were', { answered: 2 }, '2 more questions were answered.'],
    ['what is open', { open: ['a', 'b', 'c'].map(open) }, 'Not answered: “a”, “b”, “c”.'],
    [
      'how much more is open',
      { open: ['a', 'b', 'c', 'd'].map(open) },
      'Not answered: “a”, “b”, “c” and 1 more.',
    ],
    [
      'that it was no use',
      { isDissatisfied: true },
      'The user was not satisfied with the last answer.',
    ],
    [
      'what was tried',
      { tools: [0, 1, 2].map((failed) => ({ name: `t${failed}`, failed })) },
      'Tools called: t0, t1 (failed), t2 (failed 2 times).',
    ],
    [
      'who took over',
      { escalations: { ...EMPTY_TALLY.escalations, accepted: 1, acceptedBy: 'Kim', waitSec: 1 } },
      'Kim took over after 1 second.',
    ],
    [
      'that nobody took over',
      { escalations: { ...EMPTY_TALLY.escalations, requested: 1 } },
      'A human was requested, but nobody took over.',
    ],
    [
      'that nobody was there',
      { toldClosed: true },
      'A human was requested while nobody was available.',
    ],
    ['that a human was asked for', { lacksHuman: true }, 'The user asked for a human.'],
  ])('%s', (_, tally, text) => expect(soFar(tally)).toBe(text));

  test('who the user is, and how it ended', () => {
    expect(soFar({ userTurns: 0 }, 'ann')).toBe('The user is ann. The user said nothing.');
    const row = { tally: EMPTY_TALLY, endedReason: 'api', outcome: null, channel: 'chat' } as const;
    expect(summarize(row)).toBe('The user said nothing. It was ended through the API.');
  });
});

describe('the note for the person who may take over', () => {
  const requested = { ...EMPTY_TALLY.escalations, requested: 1 };

  test('quotes the request first, then what was asked, and not how the request went', () => {
    const said = ['My line is dead', 'Get me a human'];
    expect(waiting({ said, escalations: requested, open: [open('a?')] })).toBe(
      'The user said “My line is dead” and “Get me a human”. Not answered: “a?”.',
    );
  });

  test('quotes the last question, once', () => {
    const recent = [open('first?'), open('last?')];
    expect(waiting({ recent })).toBe('The user last asked “last?”.');
    expect(waiting({ recent, open: [open('last?')] })).toBe('Not answered: “last?”.');
    expect(waiting({ recent, answered: 1, told: [told('last?')] })).not.toContain('last asked');
  });

  test('says what came of earlier requests', () => {
    const nobody = 'Nobody accepted an earlier request for a human.';
    expect(waiting({ escalations: { ...requested, timedOut: 1 } })).toBe(nobody);
    expect(waiting({ escalations: { ...requested, declined: 1 } })).toBe(nobody);
    expect(waiting({ escalations: { ...requested, accepted: 1, acceptedBy: 'Kim' } })).toBe(
      'Kim had taken over before.',
    );
  });

  test('does not say that nothing was asked beside a quoted message', () => {
    expect(waiting({ needs: 0, said: ['Hm.'] })).toBe('The user said “Hm.”.');
    expect(waiting({ needs: 0, said: [] })).toBe('The user asked nothing.');
  });
});

test('the summary of an ended conversation quotes the messages if a human was requested', () => {
  const of = (tally: Partial<Tally>): string =>
    summarize({
      tally: { ...EMPTY_TALLY, userTurns: 1, needs: 1, said: ['Get me a human'], ...tally },
      endedReason: 'api',
      outcome: null,
      channel: 'chat',
    });
  const quote = 'The user said “Get me a human”. ';
  const end = 'It was ended through the API.';
  expect(of({})).toBe(end);
  expect(of({ escalations: { ...EMPTY_TALLY.escalations, requested: 1 } })).toBe(
    `${quote}A human was requested, but nobody took over. ${end}`,
  );
  expect(of({ toldClosed: true })).toBe(
    `${quote}A human was requested while nobody was available. ${end}`,
  );
});

test('a summary has at most 1,000 characters, and no half of one', () => {
  const rest = soFar({ userTurns: 0 }, '').length;
  const fits = 'x'.repeat(1_000 - rest);
  expect(soFar({ userTurns: 0 }, fits)).toContain(`${fits}. The user said nothing.`);
  const cut = soFar({ userTurns: 0 }, `${fits}x`);
  expect([cut.length, cut.at(-1)]).toEqual([1_000, '…']);
  const halved = soFar({ userTurns: 0 }, `${'x'.repeat(986)}😀${fits}`);
  expect(halved).toBe(`The user is ${'x'.repeat(986)}…`);
});

test('a text is cut one above its most, and keeps nothing that PostgreSQL refuses', () => {
  expect(storable('abc', 3)).toBe('abc');
  expect(storable('abcd', 3)).toBe('ab…');
  expect(storable('a\0b\ud800')).toBe('ab\ufffd');
});
