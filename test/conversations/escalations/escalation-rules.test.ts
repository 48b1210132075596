import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  toHandOver,
  type RuleFacts,
} from '../../../src/conversations/escalations/escalation-rules.ts';
import type { AgentContent } from '../../../src/agents/agent.ts';

type Rule = NonNullable<NonNullable<AgentContent['escalation']>['rules']>[number];

const FACTS: RuleFacts = {
  user: { wantsHuman: false },
  text: 'Hello',
  moods: [],
  userTurns: 1,
  unansweredInRow: 0,
  toolFailuresInRow: 0,
};
const handOver = (rules: Rule[], facts: Partial<RuleFacts>) =>
  toHandOver({ escalation: { rules } }, { ...FACTS, ...facts });

describe('a rule applies from its count on', () => {
  test.each<[Rule, Partial<RuleFacts>, boolean]>([
    [{ when: 'low_confidence' }, { unansweredInRow: 1 }, false],
    [{ when: 'low_confidence' }, { unansweredInRow: 2 }, true],
    [{ when: 'low_confidence', count: 3 }, { unansweredInRow: 2 }, false],
    [{ when: 'low_confidence', count: 3 }, { unansweredInRow: 3 }, true],
    [{ when: 'tool_failure' }, { toolFailuresInRow: 0 }, false],
    [{ when: 'tool_failure' }, { toolFailuresInRow: 1 }, true],
    [{ when: 'tool_failure', count: 2 }, { toolFailuresInRow: 1 }, false],
    [{ when: 'mood' }, { moods: [-2, -2] }, true],
    [{ when: 'mood' }, { moods: [-1, -2] }, false],
    [{ when: 'mood' }, { moods: [-2, -1] }, false],
    [{ when: 'mood' }, { moods: [-5] }, false],
    [{ when: 'mood', count: 1 }, { moods: [0, -5] }, true],
    [{ when: 'turn_limit', count: 2 }, { userTurns: 1 }, false],
    [{ when: 'turn_limit', count: 2 }, { userTurns: 2 }, true],
    [{ when: 'turn_limit', count: 2 }, { userTurns: 3 }, false],
    [{ when: 'keyword', keywords: ['other', 'sue  you'] }, { text: 'I will SUE\nyou!' }, true],
    [{ when: 'keyword', keywords: ['sue'] }, { text: 'an issue' }, false],
    [{ when: 'keyword', keywords: ['sue'] }, { text: 'sued' }, false],
    [{ when: 'keyword', keywords: [' '] }, { text: 'a b' }, false],
    [{ when: 'keyword', keywords: ['sue'] }, { text: 'sue_me' }, false],
    [{ when: 'keyword', keywords: ['sue'] }, { text: '𝒂sue' }, false],
    [{ when: 'keyword', keywords: ['sue'] }, { text: 'issue, (sue)' }, true],
    [{ when: 'keyword', keywords: ['sue you'] }, { text: 'sue or sue, you' }, false],
    [{ when: 'keyword', keywords: ['C++'] }, { text: 'why c++?' }, true],
    [{ when: 'keyword', keywords: ['e-mail/fax'] }, { text: 'My E-Mail/Fax!' }, true],
    [{ when: 'keyword', keywords: ['C++'] }, { text: 'c++11' }, false],
    [{ when: 'keyword', keywords: ['a b'] }, { text: 'a\u00A0\t b' }, true],
    [{ when: 'keyword', keywords: ['cafe\u0301'] }, { text: 'CAF\u00C9' }, true],
    [{ when: 'keyword', keywords: ['caf\u00E9'] }, { text: 'cafe\u0301s' }, false],
    [{ when: 'keyword', keywords: ['ΟΔΟΣ ΟΔΟΣ'] }, { text: 'οδος οδος' }, true],
    [{ when: 'keyword', keywords: ['schön', 'ab'] }, { text: 'ba ab' }, true],
    [{ when: 'keyword', keywords: ['longer than the text'] }, { text: 'text' }, false],
    [{ when: 'user_request' }, {}, false],
  ])('%j of %j: %s', (rule, facts, applies) => {
    expect(handOver([rule], facts) !== undefined).toBe(applies);
  });
});

test('the first rule that applies says why and to whom, and a user who asks needs no rule', () => {
  const rules: Rule[] = [
    { when: 'tool_failure', reason: 'broken', team: 'repair' },
    { when: 'user_request', reason: 'asked' },
    { when: 'keyword', keywords: ['hello'] },
  ];
  const asks = { user: { wantsHuman: true } };
  expect(handOver(rules, { ...asks, toolFailuresInRow: 1 })).toStrictEqual({
    reason: 'broken',
    team: 'repair',
  });
  expect(handOver(rules, asks)).toStrictEqual({ reason: 'asked' });
  expect(handOver(rules, {})).toStrictEqual({ reason: 'keyword' });
  expect(handOver([], asks)).toStrictEqual({ reason: 'user_request' });
  expect(handOver([], {})).toBeUndefined();
});

test('each keyword is normalized once per message, and none if nobody has said anything', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  onTestFinished(() => normalize.mockRestore());
  const keywords = ['sue you', 'lawyer', 'court'];
  const rules: Rule[] = [
    { when: 'keyword', keywords },
    { when: 'keyword', keywords: [...keywords, 'judge'] },
    { when: 'tool_failure' },
  ];
  expect(handOver(rules, { text: '', toolFailuresInRow: 1 })).toEqual({ reason: 'tool_failure' });
  expect(normalize).toHaveBeenCalledTimes(0);
  expect(handOver(rules, { text: 'Hello' })).toBeUndefined();
  // The text, and four different keywords.
  expect(normalize).toHaveBeenCalledTimes(5);
});

test('a hundred keywords of many lengths are each found, and no other words', () => {
  const word = (at: number): string => `${'ab '.repeat(at % 40)}w${at}`;
  const keywords = Array.from({ length: 100 }, (_, at) => word(at));
  const found = keywords.map(
    (keyword) =>
      handOver([{ when: 'keyword', keywords }], { text: `So ${keyword}!` }) !== undefined,
  );
  expect(found).not.toContain(false);
  expect(handOver([{ when: 'keyword', keywords }], { text: word(100) })).toBeUndefined();
});
