import { beforeAll, expect, test } from 'vitest';
import { shareConversationFixture, type ConversationFixture } from './conversation-setup.ts';

/** Details for receivers stand after the fixed fields of an event (contract/events.md#types). */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

const ABOUT = { user_id: 'u-1', metadata: { crm: '4711', plan: 'gold' } };

/** By type: the names of the fields, in their order. */
async function fieldsOf(id: string): Promise<Record<string, string>> {
  const events = await fixture.events(id);
  return Object.fromEntries(events.map(({ type, data }) => [type, Object.keys(data).join(' ')]));
}

async function acceptedBy(id: string): Promise<void> {
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  await fixture.call('POST', `/v1/escalations/${body.id}/accept`, {
    json: { accepted_by: { id: 'op', name: 'Kim' } },
  });
}

test('whose it is, in every event of a conversation, after the fields of before', async () => {
  const id = await fixture.start({ ...ABOUT, channel: 'sms' });
  await fixture.say(id, 'Is the opera of velvet open?');
  await acceptedBy(id);
  await fixture.end(id);
  expect(await fieldsOf(id)).toEqual({
    'conversation.started': 'conversation_id agent_id agent_version channel user_id metadata',
    'knowledge.gap.detected':
      'gap_id conversation_id agent_id question top_score user_id metadata channel',
    'escalation.requested':
      'escalation_id conversation_id agent_id reason summary user_id metadata channel',
    'escalation.accepted':
      'escalation_id conversation_id agent_id accepted_by wait_sec user_id metadata channel',
    'conversation.ended':
      'conversation_id agent_id channel duration_sec outcome csat_predicted transcript_url ' +
      'agent_version ended_reason user_id metadata',
    'conversation.transcript.ready':
      'conversation_id agent_id agent_version transcript_url summary turns outcome ' +
      'csat_predicted user_id metadata channel',
  });
  for (const { data } of await fixture.events(id)) {
    expect(data).toMatchObject({ ...ABOUT, channel: 'sms' });
  }
});

test('what there is not is left out', async () => {
  const id = await fixture.start();
  await fixture.end(id);
  expect(await fieldsOf(id)).toMatchObject({
    'conversation.started': 'conversation_id agent_id agent_version channel',
    'conversation.transcript.ready': expect.stringMatching(/csat_predicted channel$/),
  });
});

test('of a call, which one', async () => {
  const { body } = await fixture.call('POST', '/v1/calls', {
    json: {
      agent_id: fixture.agentId,
      to: '+442071838750',
      simulated: { turns: [{ text: 'Hi' }] },
    },
  });
  const { conversation_id } = await fixture.engine.eventually(async () => {
    const call = await fixture.call('GET', `/v1/calls/${body.id}`);
    return call.body.status === 'completed' && call.body;
  });
  const events = await fixture.engine.eventually(async () => {
    const all = await fixture.events(conversation_id);
    return all.length === 3 && all;
  });
  for (const { data } of events) {
    expect(data).toMatchObject({ call_id: body.id, channel: 'voice' });
    expect(data).not.toHaveProperty('user_id');
  }
});

test('an end by the API says so', async () => {
  const id = await fixture.start();
  expect((await fixture.end(id)).body.ended_reason).toBe('api');
  expect((await fixture.events(id))[1]!.data.ended_reason).toBe('api');
});
