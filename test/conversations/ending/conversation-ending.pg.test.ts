import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { completeTranscript } from '../../../src/conversations/ending/complete-transcript.ts';
import { pass, startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture({ baseUrl: 'https://parley.example.com/x' });
});
afterAll(() => fixture?.stop());

const passed = (id: string, sec: number): Promise<void> => pass(fixture, id, sec);

const summarized = (id: string) =>
  fixture.engine.eventually(async () => {
    const body = await fixture.read(id);
    return body.summary !== null && body;
  });

const durationOf = async (id: string): Promise<number> => {
  const { rows } = await fixture.engine.pool.query<{ sec: number }>(
    `select floor(extract(epoch from ended_at - started_at))::int as sec
       from conversations where id = $1`,
    [toUuid('conv', id)],
  );
  return rows[0]!.sec;
};

test('conversation.ended has its fields in their order, with right values', async () => {
  const id = await fixture.start({ channel: 'sms', user_id: 'u' });
  await fixture.say(id, 'How long does delivery take?');
  await passed(id, 100);
  const { body } = await fixture.end(id);
  const { data } = (await fixture.events(id)).find(({ type }) => type === 'conversation.ended')!;
  expect(Object.keys(data)).toEqual([
    'conversation_id',
    'agent_id',
    'channel',
    'duration_sec',
    'outcome',
    'csat_predicted',
    'transcript_url',
    'agent_version',
    'ended_reason',
    'user_id',
  ]);
  expect(data).toMatchObject({
    conversation_id: id,
    agent_id: fixture.agentId,
    channel: 'sms',
    outcome: 'resolved',
    csat_predicted: body.csat_predicted,
    transcript_url: `https://parley.example.com/x/v1/conversations/${id}/transcript`,
    agent_version: 1,
    ended_reason: 'api',
  });
  expect(data.duration_sec).toBe(await durationOf(id));
  expect(body.duration_sec).toBe(data.duration_sec);
  const event = (await fixture.events(id)).at(-1)!;
  expect(event).toMatchObject({
    type: 'conversation.transcript.ready',
    data: { turns: 2, outcome: 'resolved', summary: (await fixture.read(id)).summary },
  });
  expect(event.data.summary).toMatch(
    /asked “How long does delivery take\?” and was answered from “Delivery”/,
  );
});

test('what the caller says became of it stands', async () => {
  const id = await fixture.start();
  expect((await fixture.end(id, { outcome: 'voicemail' })).body.outcome).toBe('voicemail');
});

test('two ends at once: one wins, with one event', async () => {
  const id = await fixture.start();
  const replies = await Promise.all([fixture.end(id), fixture.end(id), fixture.end(id)]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  expect(replies.find(({ status }) => status === 409)!.body.code).toBe('conversation_ended');
  expect(await fixture.eventTypes(id)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
});

test.each(['messages', 'end', 'escalate'])('after the end, %s is 409', async (act) => {
  const id = await fixture.start();
  await fixture.end(id);
  const json = act === 'messages' ? { text: 'hello?' } : {};
  const { status, body } = await fixture.call('POST', `/v1/conversations/${id}/${act}`, { json });
  expect([status, body.code]).toEqual([409, 'conversation_ended']);
  expect(await fixture.turns(id)).toEqual([]);
});

describe('a clock that runs out', () => {
  test('silence ends it at the moment it was over, a minute late or not', async () => {
    const agent_id = await fixture.newAgent({ limits: { silence_timeout_sec: 30 } });
    const id = await fixture.start({ agent_id });
    await passed(id, 90);
    const body = await summarized(id);
    expect(body).toMatchObject({
      status: 'ended',
      ended_reason: 'silence_timeout',
      outcome: 'abandoned',
      duration_sec: 30,
    });
  });

  test('the longest duration ends it however much is said', async () => {
    const agent_id = await fixture.newAgent({
      limits: { max_duration_sec: 60, silence_timeout_sec: 50 },
    });
    const id = await fixture.start({ agent_id });
    await passed(id, 40);
    await fixture.say(id, 'How long does delivery take?');
    await passed(id, 21);
    const body = await summarized(id);
    expect(body).toMatchObject({ ended_reason: 'max_duration', duration_sec: 60 });
  });

  test('a message begins the silence anew', async () => {
    const agent_id = await fixture.newAgent({ limits: { silence_timeout_sec: 30 } });
    const id = await fixture.start({ agent_id });
    await passed(id, 20);
    await fixture.say(id, 'Hello');
    await passed(id, 20);
    expect((await fixture.say(id, 'Hello')).status).toBe(200);
  });

  test('a message that comes too late ends it, even before anybody looked', async () => {
    const id = await fixture.start({ channel: 'voice' });
    await passed(id, 121);
    const { status } = await fixture.say(id, 'still there?');
    expect(status).toBe(409);
    expect(await summarized(id)).toMatchObject({ ended_reason: 'silence_timeout', turn_count: 0 });
  });

  test.each([
    ['voice', 120, 3_600],
    ['web_voice', 120, 3_600],
    ['chat', 1_800, 86_400],
    ['sms', 1_800, 86_400],
  ])(
    'of %s is %i s of silence, %i s in all, when the agent does not say',
    async (channel, s, d) => {
      const id = await fixture.start({ channel });
      const { rows } = await fixture.engine.pool.query(
        'select silence_timeout_sec as s, max_duration_sec as d from conversations where id = $1',
        [toUuid('conv', id)],
      );
      expect(rows).toEqual([{ s, d }]);
    },
  );

  test('while a human is waited for it is no shorter than that wait; then the agent goes on', async () => {
    const agent_id = await fixture.newAgent({
      limits: { silence_timeout_sec: 10 },
      escalation: { timeout_sec: 60 },
    });
    const id = await fixture.start({ agent_id });
    const asked = await fixture.say(id, 'I want to talk to a human');
    expect(asked.body.conversation.status).toBe('escalated');
    await passed(id, 30);
    expect((await fixture.say(id, 'hello?')).body.turns).toHaveLength(1);
    await passed(id, 31);
    await fixture.engine.eventually(async () => (await fixture.read(id)).status === 'active');
    const { role, text } = (await fixture.turns(id)).at(-1);
    expect([role, text]).toEqual(['system', expect.stringContaining('Nobody is free')]);
    expect((await fixture.say(id, 'When are you open?')).body.turns).toHaveLength(2);
  });
});

test('one that cannot be ended does not keep the others open', async () => {
  const [stuck, other] = [await fixture.start(), await fixture.start()];
  const { pool } = fixture.engine;
  await pool.query(`
    create function refuse_end() returns trigger language plpgsql as $$
    begin raise exception 'not this one'; end $$;
    create trigger refuse_end before update on conversations for each row
      when (old.id = '${toUuid('conv', stuck)}' and new.ended_at is not null)
      execute function refuse_end()`);
  await passed(stuck, 2_000); // The first in line.
  await passed(other, 1_900);
  await summarized(other);
  expect((await fixture.read(stuck)).status).toBe('active');
  await pool.query('drop function refuse_end cascade');
  await summarized(stuck);
});

test('ended, but the process died before the summary: found again, one event', async () => {
  const id = await fixture.start();
  const uuid = toUuid('conv', id);
  await fixture.engine.pool.query(
    `update conversations set status = 'ended', ended_at = now(), expires_at = null,
            outcome = 'unknown', csat_predicted = 3, ended_reason = 'api' where id = $1`,
    [uuid],
  );
  await summarized(id);
  expect(await fixture.eventTypes(id)).toEqual([
    'conversation.started',
    'conversation.transcript.ready',
  ]);
});

test('however often and by however many it is summed up, it is one event', async () => {
  const id = await fixture.start();
  const { pool, metrics } = fixture.engine;
  const deps = {
    pool,
    metrics,
    announce: () => undefined,
    changed: () => undefined,
    nowMs: Date.now,
    baseUrl: () => fixture.url,
  };
  const uuid = toUuid('conv', id)!;
  await Promise.all([
    fixture.end(id),
    ...Array.from({ length: 8 }, () => completeTranscript(deps, uuid)),
  ]);
  await completeTranscript(deps, uuid);
  const event = (await fixture.eventTypes(id)).filter((type) => type.endsWith('transcript.ready'));
  expect(event).toHaveLength(1);
});

test('what ended is counted', async () => {
  const id = await fixture.start({ channel: 'web_voice' });
  await fixture.end(id, { outcome: 'voicemail' });
  const { text } = await fixture.call('GET', '/metrics');
  expect(text).toMatch(/parley_conversations_total\{channel="web_voice",outcome="voicemail"\} 1/);
  expect(text).toMatch(/parley_conversation_turn_duration_seconds_count [1-9]/);
});
