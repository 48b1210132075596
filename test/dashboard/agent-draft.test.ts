import { describe, expect, test } from 'vitest';
import {
  changesBetween,
  conflictsOf,
  draftOf,
  EMPTY_DRAFT,
  mergeDrafts,
  mergePatch,
  writableOf,
} from '../../packages/dashboard/src/data/agent-draft.ts';

/** What the form of an agent sends, and what becomes of two people's changes. */

const FULL = {
  display_name: 'Desk',
  prompt: 'Help.',
  first_message: 'Hello',
  language: 'en',
  publish_policy: 'manual' as const,
  model: { provider: 'east', temperature: 0, fallback: [{ name: 'small' }] },
  knowledge: { source_names: ['plans'], top_k: 4, min_score: 0.2 },
  escalation: {
    rules: [
      { when: 'keyword' as const, keywords: ['lawyer', 'data protection'], reason: 'formal' },
      { when: 'low_confidence' as const, count: 3, team: 'second line' },
    ],
    timeout_sec: 60,
    team: 'first line',
    fallback_team: 'second line',
    hours: { time_zone: 'UTC', open: [{ days: ['mon'], from: '09:00', to: '17:00' }] },
  },
  limits: { max_duration_sec: 600 },
  redaction: ['card' as const, 'iban' as const],
  judgement: { by: 'model' as const, model: { name: 'large' }, topics: ['delivery', 'returns'] },
  tools: [{ type: 'end_call' as const, name: 'bye' }],
  voice: { speed: 1 },
  metadata: { team: 'north' },
};

test.each([{ all: true }, { selector: { match_metadata: { topic: 'cars' } }, top_k: 3 }])(
  'sources chosen by %j stay so, and others are named in their place',
  (knowledge) => {
    const draft = draftOf({ ...FULL, knowledge });
    const before = writableOf(draft).fields;
    expect(before).toEqual({ ...FULL, knowledge });
    const named = { ...draft, all_sources: false, selector: null, sources: ['plans'], top_k: '' };
    const after = writableOf(named).fields;
    expect(after['knowledge']).toEqual({ source_names: ['plans'] });
    expect(mergePatch(before, after)).toEqual({
      knowledge: Object.fromEntries([
        ...Object.keys(knowledge).map((way) => [way, null]),
        ['source_names', ['plans']],
      ]),
    });
  },
);

test('a form that nobody touched writes what was there, and so nothing', () => {
  const { fields, problems } = writableOf(draftOf(FULL));
  expect(fields).toEqual(FULL);
  expect(problems).toEqual([]);
  expect(mergePatch(fields, writableOf(draftOf(FULL)).fields)).toBeUndefined();
});

test('what is emptied is taken away, member by member', () => {
  const before = writableOf(draftOf(FULL)).fields;
  const draft = { ...draftOf(FULL), first_message: ' ', top_k: '', tools: '', metadata: '' };
  expect(mergePatch(before, writableOf(draft).fields)).toEqual({
    first_message: null,
    knowledge: { top_k: null },
    tools: null,
    metadata: { team: null },
  });
});

test('a merge patch makes of the one the other', () => {
  const patch = mergePatch(
    { a: { b: 1, c: [1, 2], d: 'x' }, e: 1 },
    { a: { c: [1], d: 'x' }, f: 2 },
  );
  expect(patch).toEqual({ a: { b: null, c: [1] }, e: null, f: 2 });
});

test('JSON that is none is a problem at its place', () => {
  const { problems } = writableOf({ ...EMPTY_DRAFT, tools: '[{', voice: '{}' });
  expect(problems).toEqual([
    { pointer: '/tools', detail: expect.stringContaining('must be valid JSON') },
  ]);
});

test('words are kept line by line, and only where a rule has them', () => {
  const rule = { keywords: 'a\n\n b ', count: '2', reason: '', team: 'sales' };
  const draft = {
    ...EMPTY_DRAFT,
    rules: [
      { ...rule, when: 'keyword' as const },
      { ...rule, when: 'tool_failure' as const },
    ],
  };
  expect(writableOf(draft).fields['escalation']).toEqual({
    rules: [
      { when: 'keyword', keywords: ['a', 'b'], team: 'sales' },
      { when: 'tool_failure', count: 2, team: 'sales' },
    ],
  });
});

describe('of two people’s changes', () => {
  const base = draftOf(FULL);
  const mine = { ...base, prompt: 'Mine.', language: 'de' };
  const theirs = { ...base, prompt: 'Theirs.', first_message: 'Hi' };

  test('what one of them did not touch is as the other has it', () => {
    for (const winner of ['mine', 'theirs'] as const) {
      expect(mergeDrafts(base, { mine, theirs, winner })).toEqual({
        ...base,
        prompt: winner === 'mine' ? 'Mine.' : 'Theirs.',
        language: 'de',
        first_message: 'Hi',
      });
    }
  });

  test('only what both changed, each in another way, is a conflict', () => {
    expect(conflictsOf(base, mine, theirs)).toEqual(['prompt']);
    expect(conflictsOf(base, mine, { ...theirs, prompt: 'Mine.' })).toEqual([]);
  });
});

test('changes are those of a field, whatever the order of its members', () => {
  expect(changesBetween({ a: { b: 1, c: 2 }, d: null }, { a: { c: 2, b: 1 }, e: 1 })).toEqual([
    { path: '/e', before: undefined, after: 1 },
  ]);
});
