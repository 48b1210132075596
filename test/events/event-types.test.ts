import { expect, test } from 'vitest';
import { encodeEnvelope, type Envelope } from '../../src/events/envelope.ts';
import {
  EVENT_DATA,
  EVENT_TYPES,
  isEventType,
  SUBSCRIPTIONS,
  subscriptionsTo,
} from '../../src/events/event-types.ts';
import { newId } from '../../src/ids.ts';

/** The table of contract/events.md#types; `?` is an optional field. */
const CONTRACT: Record<string, string> = {
  'conversation.started':
    'conversation_id agent_id agent_version channel rollout? user_id? metadata? call_id?',
  'conversation.ended':
    'conversation_id agent_id channel duration_sec outcome csat_predicted transcript_url agent_version ended_reason user_id? metadata? call_id?',
  'conversation.transcript.ready':
    'conversation_id agent_id agent_version transcript_url summary turns outcome csat_predicted judgement? user_id? metadata? call_id? channel?',
  'escalation.requested':
    'escalation_id conversation_id agent_id reason summary team? released_by? user_id? metadata? call_id? channel?',
  'escalation.accepted':
    'escalation_id conversation_id agent_id accepted_by wait_sec user_id? metadata? call_id? channel?',
  'knowledge.gap.detected':
    'gap_id conversation_id agent_id question top_score user_id? metadata? call_id? channel?',
  'knowledge.source.synced':
    'source_id source_type name status documents added updated removed failed duration_sec',
  'agent.published': 'agent_id name version previous_version actor',
  'agent.rolled_back': 'agent_id name version from_version actor reason rollout?',
};

test('there are the nine events of the contract with their fields, in its order', () => {
  const ours = Object.fromEntries(
    Object.entries(EVENT_DATA).map(([type, data]) => [
      type,
      Object.entries(data.shape)
        .map(([name, field]) => (field.safeParse(undefined).success ? `${name}?` : name))
        .join(' '),
    ]),
  );
  expect(ours).toEqual(CONTRACT);
  expect(EVENT_TYPES).toHaveLength(9);
});

test('a type is known by its exact name only', () => {
  for (const type of EVENT_TYPES) expect(isEventType(type)).toBe(true);
  for (const text of [
    '',
    'agent',
    'agent.*',
    '*',
    'Agent.published',
    'agent.published ',
    'constructor',
    '__proto__',
    'toString',
  ]) {
    expect(isEventType(text)).toBe(false);
  }
});

test('an event reaches who asked for it, for its group or for all', () => {
  expect(subscriptionsTo('agent.published')).toEqual(['*', 'agent.*', 'agent.published']);
  expect(subscriptionsTo('conversation.transcript.ready')).toEqual([
    '*',
    'conversation.*',
    'conversation.transcript.*',
    'conversation.transcript.ready',
  ]);
  expect(subscriptionsTo('agent.published')).not.toContain('agent.rolled_back');
});

test('what may be subscribed to is the types, their groups and the star', () => {
  expect([...SUBSCRIPTIONS].sort()).toEqual(
    [
      ...EVENT_TYPES,
      '*',
      'agent.*',
      'conversation.*',
      'conversation.transcript.*',
      'escalation.*',
      'knowledge.*',
      'knowledge.gap.*',
      'knowledge.source.*',
    ].sort(),
  );
});

test('the envelope is written in its own order, whatever order it is given in', () => {
  const data = { agent_id: 'agt_1', name: 'ü', version: 1, previous_version: null, actor: 'file' };
  const id = newId('evt');
  const shuffled: Envelope<'agent.published'> = { data, created: 5, type: 'agent.published', id };
  const more = { ...shuffled, secret: 'x' };
  expect(encodeEnvelope(more).toString()).toBe(
    `{"id":"${id}","type":"agent.published","created":5,"data":${JSON.stringify(data)}}`,
  );
});
