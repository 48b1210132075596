import { beforeAll, describe, expect, test } from 'vitest';
import { createCall, type Reply } from '../../roles/api/api-setup.ts';
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

describe('an escalation that nobody accepts', () => {
  const waiting = async (escalation: object): Promise<{ id: string; of: string; esc: string }> => {
    const agent_id = await fixture.newAgent({ escalation: { timeout_sec: 60, ...escalation } });
    const id = await fixture.start({ agent_id });
    return { id, of: `agent_id=${agent_id}`, esc: (await escalate(id)).id };
  };
  const list = async (query: string): Promise<string[]> => {
    const { body } = await fixture.call('GET', `/v1/escalations?${query}`);
    return body.data.map((one: { id: string }) => one.id);
  };
  const timesOut = async (id: string, esc: string): Promise<void> => {
    await pass(fixture, id, 61);
    await fixture.engine.eventually(
      async () => !(await list(`conversation_id=${id}&status=requested`)).includes(esc),
    );
  };

  test('is missed until somebody reviews it, and the first who does counts', async () => {
    const { id, of, esc } = await waiting({});
    expect((await act(esc, 'review')).body).toMatchObject({ missed: false, reviewed_at: null });
    expect(await list(`${of}&missed=true`)).toEqual([]);
    await timesOut(id, esc);
    expect(await list(`${of}&missed=true`)).toEqual([esc]);
    expect(await list(`${of}&missed=false`)).toEqual([]);

    const foreign = createCall(fixture.url, await fixture.newKey('elsewhere'));
    expect((await foreign('POST', `/v1/escalations/${esc}/review`)).status).toBe(404);
    expect(await list(`${of}&missed=true`)).toEqual([esc]);
    const { body: first } = await act(esc, 'review');
    expect(first).toMatchObject({ missed: false, status: 'timed_out' });
    expect(first.reviewed_by).toMatch(/^api:key_/);
    expect(first.reviewed_at).toBeGreaterThanOrEqual(first.finished_at);
    expect(await list(`${of}&missed=true`)).toEqual([]);
    expect(await list(`${of}&missed=false`)).toEqual([esc]);
    const other = createCall(fixture.url, await fixture.newKey('default'));
    const { body: second } = await other('POST', `/v1/escalations/${esc}/review`);
    expect(second.reviewed_by).toBe(first.reviewed_by);
  });

  test('is not missed if the next team is requested, or if somebody declines', async () => {
    const { id, of, esc } = await waiting({ team: 'first', fallback_team: 'second' });
    await timesOut(id, esc);
    expect(await list(`${of}&missed=true`)).toEqual([]);
    const [next] = await list(`${of}&status=requested`);
    await timesOut(id, next!);
    expect(await list(`${of}&missed=true`)).toEqual([next]);
    const declined = await waiting({});
    await act(declined.esc, 'decline');
    expect(await list(`${declined.of}&missed=true`)).toEqual([]);
  });
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
