import { beforeAll, expect, test } from 'vitest';
import type { Reply } from '../../roles/api/api-setup.ts';
import { pass, shareConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** How long is waited for a human, how long the human may take, and what is told of it. */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

const escalate = async (id: string): Promise<Reply['body']> => {
  const { status, body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`);
  expect(status).toBe(201);
  return body;
};
const act = (esc: string, what: string, json?: unknown): Promise<Reply> =>
  fixture.call('POST', `/v1/escalations/${esc}/${what}`, json === undefined ? {} : { json });
const accept = (esc: string): Promise<Reply> =>
  act(esc, 'accept', { accepted_by: { id: 'op-1', name: 'Kim' } });

test('a wait is in seconds, in the resource and in its event; of two the longer one is told', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'How long does delivery take?');
  const { id: first } = await escalate(id);
  await pass(fixture, id, 130);
  const { wait_sec: waited } = (await accept(first)).body;
  expect([130, 131, 132]).toContain(waited);
  expect((await fixture.events(id)).at(-1)!.data.wait_sec).toBe(waited);
  const { body: done } = await act(first, 'complete');
  expect(done.finished_at).toBeGreaterThanOrEqual(done.accepted_at);

  const { id: second } = await escalate(id);
  await accept(second);
  await act(second, 'complete');
  await fixture.end(id);
  expect((await fixture.read(id)).summary).toContain(`Kim took over after ${waited} seconds.`);
});

test('who is asked for by REST is waited for as long as the agent says', async () => {
  const agent_id = await fixture.newAgent({ escalation: { timeout_sec: 77 } });
  const { requested_at, times_out_at } = await escalate(await fixture.start({ agent_id }));
  expect([76, 77, 78]).toContain(times_out_at - requested_at);
});

test('a human who takes their time is no silence', async () => {
  const agent_id = await fixture.newAgent({
    limits: { silence_timeout_sec: 10 },
    escalation: { timeout_sec: 60 },
  });
  const id = await fixture.start({ agent_id });
  const { id: esc } = await escalate(id);
  const isOpenAfterAll = async (): Promise<void> => {
    await pass(fixture, id, 30);
    expect((await fixture.say(id, 'Are you there?')).status).toBe(200);
  };
  await accept(esc);
  await isOpenAfterAll();
  await act(esc, 'messages', { text: 'One moment please' });
  await isOpenAfterAll();
});

test('an answer in between forgives; the question that calls for a human is a gap too', async () => {
  const rules = [{ when: 'low_confidence', count: 2 }];
  const id = await fixture.start({ agent_id: await fixture.newAgent({ escalation: { rules } }) });
  const statuses: string[] = [];
  for (const text of [
    'Is it velvet?',
    'How long does delivery take?',
    'Is it purple?',
    'Is it square?',
  ]) {
    statuses.push((await fixture.say(id, text)).body.conversation.status);
  }
  expect(statuses).toEqual(['active', 'active', 'active', 'escalated']);
  const told = (await fixture.events(id)).map(({ type, data }) => data.question ?? type);
  expect(told.slice(1)).toEqual([
    'Is it velvet?',
    'Is it purple?',
    'Is it square?',
    'escalation.requested',
  ]);
});
