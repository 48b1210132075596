import { describe, expect, test } from 'vitest';
import {
  changesBetween,
  isSame,
  mergeChanges,
  mergePatch,
} from '../../packages/dashboard/src/form/merge.ts';
import {
  fieldsOf,
  hasWrongJson,
  jsonError,
  valuesOf,
} from '../../packages/dashboard/src/pages/agents/agent-values.ts';

/** The request that the form of an agent makes of its values, and the merge of two people's changes. */

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
    hours: { time_zone: 'UTC', open: [{ days: ['mon' as const], from: '09:00', to: '17:00' }] },
  },
  limits: { max_duration_sec: 600 },
  redaction: ['card' as const, 'iban' as const],
  judgement: { by: 'model' as const, model: { name: 'large' }, topics: ['delivery', 'returns'] },
  tools: [{ type: 'end_call' as const, name: 'bye' }],
  voice: { speed: 1 },
  transcriber: { provider: 'east', retranscribe_interrupted: false },
  metadata: { team: 'north' },
};

const ROLLOUT = {
  steps: [
    { weight: 5, min_conversations: 50 },
    { weight: 25, min_conversations: 150 },
  ],
  checks: [
    { metric: 'gap_rate' as const, worse_by: 0.1 },
    { metric: 'csat_average' as const, worse_by: 0.3 },
  ],
  max_duration: '24h',
  confirm: { url: 'https://example.com/', signing_secret_ref: { name: 'hook', key: 'key' } },
};

test.each(['manual', 'progressive'] as const)('a rollout stays as declared: %s', (policy) => {
  const agent = { ...FULL, publish_policy: policy, rollout: ROLLOUT };
  expect(fieldsOf(valuesOf(agent))).toEqual(agent);
});

test('an agent without a rollout gets a first one only with the policy progressive', () => {
  const values = valuesOf({ ...FULL, publish_policy: 'automatic' });
  expect(fieldsOf(values)).not.toHaveProperty('rollout');
  const { rollout } = fieldsOf({ ...values, publish_policy: 'progressive' });
  expect(rollout).toMatchObject({ steps: [{ weight: 5 }, { weight: 25 }, { weight: 50 }] });
});

test('steps and checks are read from their fields, and what has no counterpart is left to the API', () => {
  const values = valuesOf({ ...FULL, rollout: ROLLOUT });
  const rollout = {
    ...values.rollout,
    weights: ' 5 10,20 ',
    conversations: '50, 60',
    checks: { gap_rate: null, csat_average: 0.5 },
  };
  expect(fieldsOf({ ...values, rollout })['rollout']).toMatchObject({
    steps: [
      { weight: 5, min_conversations: 50 },
      { weight: 10, min_conversations: 60 },
      { weight: 20, min_conversations: undefined },
    ],
    checks: [{ metric: 'csat_average', worse_by: 0.5 }],
  });
});

test.each([{ all: true }, { selector: { match_metadata: { topic: 'cars' } }, top_k: 3 }])(
  'sources chosen by %j stay so, and others are named in their place',
  (knowledge) => {
    const values = valuesOf({ ...FULL, knowledge });
    const before = fieldsOf(values);
    expect(before).toEqual({ ...FULL, knowledge });
    const named = { all: false, selector: null, sources: ['plans'], top_k: undefined };
    const after = fieldsOf({ ...values, knowledge: { ...values.knowledge, ...named } });
    expect(after['knowledge']).toEqual({ source_names: ['plans'] });
    expect(mergePatch(before, after)).toEqual({
      knowledge: Object.fromEntries([
        ...Object.keys(knowledge).map((way) => [way, null]),
        ['source_names', ['plans']],
      ]),
    });
  },
);

test('sources that the agent names by id are written by id', () => {
  const knowledge = { source_ids: ['ks_1'] };
  expect(fieldsOf(valuesOf({ ...FULL, knowledge }))['knowledge']).toEqual(knowledge);
});

test('a form that nobody changed writes the agent as it was, so its patch is empty', () => {
  const fields = fieldsOf(valuesOf(FULL));
  expect(fields).toEqual(FULL);
  expect(mergePatch(fields, fieldsOf(valuesOf(FULL)))).toBeUndefined();
});

test('an emptied value is removed, and members without a field stay', () => {
  const escalation = { team: 'first line', telephone: { to: '+442071838750' } };
  const before = valuesOf({ ...FULL, escalation });
  const after = {
    ...before,
    first_message: ' ',
    knowledge: { ...before.knowledge, top_k: undefined },
    escalation: { ...before.escalation, team: '' },
    tools: '',
    metadata: '',
  };
  expect(mergePatch(fieldsOf(before), fieldsOf(after))).toEqual({
    first_message: null,
    knowledge: { top_k: null },
    escalation: { team: null },
    tools: null,
    metadata: { team: null },
  });
});

test('the settings of the judging model are written only if a model judges', () => {
  const values = valuesOf(FULL);
  const judgement = { ...values.judgement, by: 'rule' as const };
  expect(fieldsOf({ ...values, judgement })['judgement']).toEqual({ by: 'rule' });
});

test('a merge patch makes of the one the other', () => {
  const patch = mergePatch(
    { a: { b: 1, c: [1, 2], d: 'x' }, e: 1 },
    { a: { c: [1], d: 'x' }, f: 2 },
  );
  expect(patch).toEqual({ a: { b: null, c: [1] }, e: null, f: 2 });
});

test('text that is not JSON has an error and is not written', () => {
  expect(jsonError('[{')).toContain('must be valid JSON');
  expect([jsonError('{}'), jsonError(' ')]).toEqual([true, true]);
  const fields = fieldsOf({ ...valuesOf({}), tools: '[{', voice: '{"speed":1}' });
  expect([fields['tools'], fields['voice']]).toEqual([undefined, { speed: 1 }]);
});

test('only JSON of another shape keeps the form from being saved', () => {
  const values = valuesOf(FULL);
  expect(hasWrongJson(values)).toBe(false);
  expect(hasWrongJson({ ...values, voice: '{"speed":1}' })).toBe(false);
  const { model, escalation } = values;
  for (const wrong of [
    { tools: '{}' },
    { voice: '[' },
    { transcriber: '{"speed":1}' },
    { model: { ...model, fallback: '{}' } },
    { escalation: { ...escalation, hours: '[]' } },
  ]) {
    expect(hasWrongJson({ ...values, ...wrong })).toBe(true);
  }
});

test('hours that were taken away are removed, and an emptied telephone number', () => {
  const telephone = { to: '+442071838750' };
  const before = valuesOf({ ...FULL, escalation: { ...FULL.escalation, telephone } });
  const escalation = { ...before.escalation, hours: null, telephone: { to: '' } };
  expect(mergePatch(fieldsOf(before), fieldsOf({ ...before, escalation }))).toEqual({
    escalation: { hours: null, telephone: null },
  });
});

test('words are kept line by line, and only where a rule has them', () => {
  const rule = { keywords: 'a\n\n b ', count: 2, reason: '', team: 'sales' };
  const values = valuesOf({});
  const rules = [
    { ...rule, when: 'keyword' as const },
    { ...rule, when: 'tool_failure' as const },
  ];
  const { escalation } = fieldsOf({ ...values, escalation: { ...values.escalation, rules } });
  expect(escalation).toEqual({
    rules: [
      { when: 'keyword', keywords: ['a', 'b'], team: 'sales' },
      { when: 'tool_failure', count: 2, team: 'sales' },
    ],
  });
});

describe('of two people’s changes', () => {
  const base = valuesOf(FULL);
  const mine = { ...base, prompt: 'Mine.', language: 'de' };
  const theirs = { ...base, prompt: 'Theirs.', first_message: 'Hi' };

  test.each(['mine', 'theirs'] as const)('a conflict is decided for %s', (winner) => {
    expect(mergeChanges(base, { mine, theirs, winner })).toEqual({
      merged: {
        ...base,
        prompt: winner === 'mine' ? 'Mine.' : 'Theirs.',
        language: 'de',
        first_message: 'Hi',
      },
      conflicts: ['prompt'],
    });
  });

  test('the same change by both is no conflict', () => {
    const same = { ...theirs, prompt: 'Mine.' };
    expect(mergeChanges(base, { mine, theirs: same, winner: 'theirs' }).conflicts).toEqual([]);
  });

  test('changes of different members of a group are both kept', () => {
    const [my, their] = [
      { ...base, model: { ...base.model, name: 'small' } },
      { ...base, model: { ...base.model, temperature: 1 } },
    ];
    expect(mergeChanges(base, { mine: my, theirs: their, winner: 'mine' })).toEqual({
      merged: { ...base, model: { ...base.model, name: 'small', temperature: 1 } },
      conflicts: [],
    });
    const other = { ...base, model: { ...base.model, name: 'large' } };
    expect(mergeChanges(base, { mine: my, theirs: other, winner: 'mine' }).conflicts).toEqual([
      'model.name',
    ]);
  });
});

test('a missing value, null and an empty text are the same', () => {
  expect(isSame({ a: null, b: '' }, { c: undefined })).toBe(true);
  expect(isSame({ a: 0 }, {})).toBe(false);
  expect(isSame({ a: false }, {})).toBe(false);
});

test('changes are those of a field, whatever the order of its members', () => {
  expect(changesBetween({ a: { b: 1, c: 2 }, d: null }, { a: { c: 2, b: 1 }, e: 1 })).toEqual([
    { path: '/e', before: undefined, after: 1 },
  ]);
});
