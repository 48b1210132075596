import { expect, test } from 'vitest';
import type { LiveConversation } from '../../src/conversations/record/conversations.sql.ts';
import { plainTurn } from '../../src/conversations/record/plain-turn.ts';

const row = (over: object = {}): LiveConversation =>
  ({
    ageMs: 500,
    tally: { endedAtMs: 300 },
    turnCount: 4,
    agentId: 'a',
    agentVersion: 1,
    speakerAgentId: null,
    speakerVersion: null,
    ...over,
  }) as unknown as LiveConversation;

test.each([
  ['agent', 'a', 1],
  ['tool', 'a', 1],
  ['user', null, null],
  ['human', null, null],
  ['system', null, null],
] as const)('a turn of the role %s has the agent %s', (role, agentId, agentVersion) => {
  expect(plainTurn(row(), role, 'x')).toMatchObject({ index: 4, role, agentId, agentVersion });
});

test('a turn has the agent that speaks', () => {
  const handedOver = row({ speakerAgentId: 'b', speakerVersion: 2 });
  expect(plainTurn(handedOver, 'agent', 'x')).toMatchObject({ agentId: 'b', agentVersion: 2 });
});

test('a turn begins when the one before has ended', () => {
  const starts = (endedAtMs: number) =>
    plainTurn(row({ tally: { endedAtMs } }), 'user', 'x').startedAtMs;
  expect([starts(300), starts(700)]).toEqual([500, 700]);
});
