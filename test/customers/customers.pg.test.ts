import { beforeAll, describe, expect, test } from 'vitest';
import {
  shareConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { encodeCursor } from '../../src/platform/http/cursor.ts';
import { toUuid } from '../../src/ids.ts';

/** A customer is everything that has the same `user_id`: figures, list and export (contract/customers.md). */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

const path = (userId: string, rest = ''): string =>
  `/v1/customers/${encodeURIComponent(userId)}${rest}`;
const get = (userId: string, rest = '') => fixture.call('GET', path(userId, rest));

/** Starts and ends a conversation in which a question was answered. */
async function served(userId: string, fields: object = {}): Promise<string> {
  const id = await fixture.start({ user_id: userId, ...fields });
  await fixture.say(id, 'How long does delivery take?');
  await fixture.end(id);
  return id;
}

/** Places a call to which the other end does what `simulated` says, and waits for its end. */
async function called(userId: string, simulated: object): Promise<string> {
  const json = { agent_id: fixture.agentId, to: '+442071838750', user_id: userId, simulated };
  const { body } = await fixture.call('POST', '/v1/calls', { json });
  await fixture.engine.eventually(async () => {
    const call = (await fixture.call('GET', `/v1/calls/${body.id}`)).body;
    return call.ended_at !== null && call;
  });
  return String(body.id);
}

async function escalated(userId: string): Promise<{ id: string; escalation: string }> {
  const id = await fixture.start({ user_id: userId });
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  return { id, escalation: String(body.id) };
}

const NO_OUTCOMES = {
  resolved: 0,
  unresolved: 0,
  escalated: 0,
  abandoned: 0,
  voicemail: 0,
  failed: 0,
  unknown: 0,
};

describe('the figures', () => {
  test('count conversations by outcome, and those that go on', async () => {
    await served('ada');
    await fixture.start({ user_id: 'ada' });
    await served('bob');
    const { body } = await get('ada');
    expect(body).toMatchObject({
      user_id: 'ada',
      conversations: {
        total: 2,
        active: 1,
        tests: 0,
        outcomes: { ...NO_OUTCOMES, resolved: 1 },
      },
      calls: { total: 0, answered: 0 },
      escalations: { total: 0, waiting: 0, accepted: 0, missed: 0 },
      csat: { count: 0, average: null },
      open_questions: [],
      truncated: false,
    });
  });

  test('leave out erased conversations', async () => {
    const id = await served('bea');
    await served('bea');
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect((await get('bea')).body.conversations.total).toBe(1);
  });

  test('average the ratings of users, and no predicted ones', async () => {
    for (const csat of [2, 5, undefined]) {
      const id = await served('cleo');
      if (csat === undefined) continue;
      await fixture.call('POST', `/v1/conversations/${id}/feedback`, { json: { csat } });
    }
    expect((await get('cleo')).body.csat).toEqual({ count: 2, average: 3.5 });
  });

  test('count escalations by what became of them', async () => {
    const [accepted, completed, , missed] = [
      await escalated('dora'),
      await escalated('dora'),
      await escalated('dora'),
      await escalated('dora'),
    ];
    const json = { accepted_by: { id: 'op', name: 'Kim' } };
    for (const { escalation } of [accepted, completed]) {
      await fixture.call('POST', `/v1/escalations/${escalation}/accept`, { json });
    }
    await fixture.call('POST', `/v1/escalations/${completed.escalation}/complete`);
    await fixture.engine.pool.query(`update escalations set status = 'timed_out' where id = $1`, [
      toUuid('esc', missed.escalation),
    ]);
    await escalated('emil');
    expect((await get('dora')).body.escalations).toEqual({
      total: 4,
      waiting: 1,
      accepted: 2,
      missed: 1,
    });
  });

  test('count calls, whether answered or not', async () => {
    await called('finn', { turns: [{ text: 'Hello' }] });
    await called('finn', { answer: 'busy' });
    const { body } = await get('finn');
    expect(body.calls).toEqual({ total: 2, answered: 1 });
    expect(body.conversations.total).toBe(1);
  });

  test('show the first and the last time, of calls too', async () => {
    const id = await served('gil');
    const at = async (sec: number): Promise<void> => {
      await fixture.engine.pool.query(
        `update conversations set started_at = to_timestamp($2::float8),
                tally = jsonb_set(tally, '{endedAtMs}', '7000') where id = $1`,
        [toUuid('conv', id), sec],
      );
    };
    await at(1_000_000_000);
    expect((await get('gil')).body).toMatchObject({
      first_seen_at: 1_000_000_000,
      last_seen_at: 1_000_000_007,
    });
    const call = await called('gil', { answer: 'busy' });
    const { created } = (await fixture.call('GET', `/v1/calls/${call}`)).body;
    const { body } = await get('gil');
    expect(body.first_seen_at).toBe(1_000_000_000);
    expect(Math.abs(body.last_seen_at - created)).toBeLessThanOrEqual(1);
  });

  test('name the questions that were left open, newest conversation first', async () => {
    const [first, second] = [
      await fixture.start({ user_id: 'hana' }),
      await fixture.start({ user_id: 'hana' }),
    ];
    await fixture.say(first, 'Do you repair kayaks?');
    await fixture.say(second, 'Can I rent a tent?');
    expect((await get('hana')).body.open_questions).toEqual([
      { conversation_id: second, question: 'Can I rent a tent?' },
      { conversation_id: first, question: 'Do you repair kayaks?' },
    ]);
  });

  test('take the open questions from the judgement of a model, unless it failed', async () => {
    const judgedWith = async (error: object | null): Promise<void> => {
      const id = await fixture.start({ user_id: 'ines' });
      await fixture.say(id, 'Do you repair kayaks?');
      await fixture.engine.pool.query('update conversations set judgement = $2 where id = $1', [
        toUuid('conv', id),
        { open_questions: ['Who repairs kayaks?'], error },
      ]);
    };
    await judgedWith(null);
    await judgedWith({ code: 'no_model', detail: 'x' });
    const questions = (await get('ines')).body.open_questions;
    expect(questions.map(({ question }: { question: string }) => question)).toEqual([
      'Do you repair kayaks?',
      'Who repairs kayaks?',
    ]);
  });

  test('count tests apart', async () => {
    const id = await fixture.start({ user_id: 'jo', test: true });
    await fixture.say(id, 'Do you repair kayaks?');
    const { status, body } = await get('jo');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      first_seen_at: null,
      last_seen_at: null,
      conversations: { total: 0, active: 0, tests: 1, outcomes: NO_OUTCOMES },
      open_questions: [],
    });
  });
});

test.each(['a/b', '../x', 'a b?c=d#e', '100 %', 'Zoë 🙂', '+44 20', 'x'.repeat(256)])(
  'a customer may be called %s',
  async (userId) => {
    const id = await fixture.start({ user_id: userId });
    expect((await get(userId)).body).toMatchObject({
      user_id: userId,
      conversations: { total: 1 },
    });
    expect((await get(userId, '/activity')).body.data).toMatchObject([{ id }]);
    expect((await get(userId, '/export')).body).toMatchObject({ user_id: userId });
  },
);

describe('a customer who does not exist here', () => {
  test.each(['nobody', 'x'.repeat(257)])('is 404', async (userId) => {
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/export'],
      ['DELETE', ''],
    ] as const) {
      const { status, body } = await fixture.call(method, path(userId, rest));
      const found = { status, code: body.code, detail: body.detail };
      expect({ method, rest, ...found }).toEqual({
        method,
        rest,
        status: 404,
        code: 'not_found',
        detail: 'There is no such customer.',
      });
    }
  });

  test('has an empty list', async () => {
    expect((await get('nobody', '/activity')).body).toEqual({
      data: [],
      has_more: false,
      next_cursor: null,
    });
  });

  test('is the one of another namespace', async () => {
    await served('kim');
    await called('kim', { answer: 'busy' });
    const key = await fixture.newKey('theirs');
    for (const rest of ['', '/export']) {
      expect((await fixture.call('GET', path('kim', rest), { key })).status).toBe(404);
    }
    expect((await fixture.call('GET', path('kim', '/activity'), { key })).body.data).toEqual([]);
    expect((await fixture.call('DELETE', path('kim'), { key })).status).toBe(404);
    expect((await get('kim')).body.conversations.total).toBe(1);
  });
});

describe('the list', () => {
  test('has conversations with their calls and escalations, and calls without one', async () => {
    const { id, escalation } = await escalated('lee');
    const call = await called('lee', { turns: [{ text: 'Hello' }] });
    const busy = await called('lee', { answer: 'busy' });
    const talk = (await fixture.call('GET', `/v1/calls/${call}`)).body.conversation_id;
    await escalated('mia');
    const { body } = await get('lee', '/activity');
    expect(body.data).toMatchObject([
      { id: busy, type: 'call', conversation: null, call: { status: 'busy' }, escalations: [] },
      { id: talk, type: 'conversation', conversation: { call_id: call }, call: { id: call } },
      {
        id,
        type: 'conversation',
        conversation: { user_id: 'lee' },
        call: null,
        escalations: [{ id: escalation }],
      },
    ]);
  });

  test('has pages, across conversations and calls', async () => {
    const ids = [
      await called('nora', { answer: 'busy' }),
      await served('nora'),
      await served('nora'),
      await called('nora', { answer: 'busy' }),
    ];
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await get(
        'nora',
        `/activity?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(body.data).toHaveLength(1);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(found).toEqual(ids.toReversed());
  });

  test('shows tests only with test=true', async () => {
    const id = await fixture.start({ user_id: 'olga', test: true });
    expect((await get('olga', '/activity')).body.data).toEqual([]);
    expect((await get('olga', '/activity?test=true')).body.data).toMatchObject([{ id }]);
  });

  test.each([
    '?limit=0',
    '?limit=101',
    '?test=1',
    '?status=ended',
    `?cursor=${encodeCursor('conv_01936a0e7d5b70008000000000')}`,
    `?cursor=${encodeCursor('activity:x')}`,
    `?cursor=${encodeCursor('activitx:01936a0e-7d5b-7000-8000-3a5c1f2b4d6e')}`,
  ])('%s is 400', async (query) => {
    expect((await get('ada', `/activity${query}`)).status).toBe(400);
  });
});

describe('the export', () => {
  test('is one document with all turns, calls, escalations and tests', async () => {
    const { id, escalation } = await escalated('pia');
    const json = { text: 'She calls every week.' };
    await fixture.call('POST', `/v1/escalations/${escalation}/notes`, { json });
    for (let said = 0; said < 51; said += 1) await fixture.say(id, `Message ${said}`);
    const trial = await fixture.start({ user_id: 'pia', test: true });
    const busy = await called('pia', { answer: 'busy' });
    await served('quin');
    const { headers, body } = await get('pia', '/export');
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toMatchObject({ user_id: 'pia', exported_at: expect.any(Number) });
    expect(body.activity).toMatchObject([
      { id: busy, call: { to: '+442071838750' }, notes: [], transcript: null },
      { id: trial, conversation: { test: true }, notes: [], transcript: { turns: [] } },
      { id, escalations: [{ id: escalation }], notes: [json] },
    ]);
    expect(body.activity[2].transcript.turns).toEqual(await fixture.turns(id));
  });

  test('has every page', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 51; count += 1) {
      ids.push(await fixture.start({ user_id: 'rob' }));
    }
    const { body } = await get('rob', '/export');
    expect(body.activity.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
  });
});
