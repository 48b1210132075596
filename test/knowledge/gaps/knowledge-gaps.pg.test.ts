import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { detectGap } from '../../../src/knowledge/gaps/detect-gap.ts';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import { withoutRequestId, type Reply } from '../../roles/api/api-setup.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';
import { until } from '../../until.ts';

const GAPS = '/v1/knowledge/gaps';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(async () => {
  await fixture.stop();
});

/** Asks in a new conversation with the agent; what it replied. */
async function ask(question: string, agentId: string): Promise<string> {
  const conversation = await fixture.start({ agent_id: agentId });
  const { status, body } = await fixture.say(conversation, question);
  expect(status).toBe(200);
  return body.turns.at(-1).text;
}

async function gapsOf(agentId: string, query = ''): Promise<Reply['body'][]> {
  return (await fixture.call('GET', `${GAPS}?agent_id=${agentId}${query}`)).body.data;
}

async function eventsOf(agentId: string): Promise<Reply['body'][]> {
  const path = `/v1/events?type=knowledge.gap.detected&agent_id=${agentId}&limit=100`;
  return (await fixture.call('GET', path)).body.data.map((event: Reply['body']) => event.data);
}

async function search(q: string, agentId: string): Promise<Reply['body'][]> {
  const path = `/v1/knowledge/search?q=${encodeURIComponent(q)}&agent_id=${agentId}`;
  return (await fixture.call('GET', path)).body.data;
}

const metric = async (): Promise<number> => {
  const { text } = await fixture.call('GET', '/metrics', { key: null });
  return Number(/^parley_knowledge_gaps_total (\d+)$/m.exec(text)?.[1]);
};

/** The same question in one form, in a transaction of its own, as a turn does it. */
function detect(agentId: string, question: string): ReturnType<typeof detectGap> {
  const { pool } = fixture.engine;
  const conversationId = newUuid();
  return inTransaction(pool, (db) =>
    detectGap(db, {
      namespace: 'default',
      agentId,
      conversationId,
      question,
      topScore: 0.2,
      closest: [],
      scope: async () => ({ namespace: 'default', owners: [], all: false }),
      emit: async (data) => {
        const event = {
          namespace: 'default',
          agentId,
          type: 'knowledge.gap.detected' as const,
          data,
        };
        await emitEvent(db, event, Date.now());
      },
    }),
  );
}

describe('a question without an answer', () => {
  test('is one gap and one event, however often and in whichever words it is asked', async () => {
    const agentId = await fixture.newAgent();
    const before = await metric();
    await ask('Do you sell tandem bicycles?', agentId);
    await ask('do you SELL tandem bicycle', agentId);
    await ask('Tandem bicycles - do you sell them please?', agentId);
    const gaps = await gapsOf(agentId);
    expect(gaps).toMatchObject([
      { question: 'Do you sell tandem bicycles?', status: 'open', answer: null, count: 3 },
    ]);
    const [gap] = gaps;
    expect(await eventsOf(agentId)).toEqual([
      {
        gap_id: gap.id,
        conversation_id: gap.conversation_id,
        agent_id: agentId,
        question: 'Do you sell tandem bicycles?',
        top_score: expect.any(Number),
        channel: 'chat',
      },
    ]);
    expect((await metric()) - before).toBe(1);
    await ask('Is there a workshop for children?', agentId);
    expect(await gapsOf(agentId)).toHaveLength(2);
  });

  test('that comes again was asked just now', async () => {
    const agentId = newUuid();
    await detect(agentId, 'Where is Svalbard?');
    await fixture.engine.pool.query(
      `update knowledge_gaps set last_asked_at = last_asked_at - interval '1 hour' where agent_id = $1`,
      [agentId],
    );
    const [before] = await gapsOf(fromUuid('agt', agentId));
    await detect(agentId, 'Where is Svalbard?');
    const [after] = await gapsOf(fromUuid('agt', agentId));
    expect(after.last_asked_at).not.toBe(before.last_asked_at);
  });

  test('asked in twenty conversations at once is one gap, counted twenty times', async () => {
    const agentId = newUuid();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => detect(agentId, 'Where is Svalbard?')),
    );
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(results.map(({ gapId }) => gapId)).size).toBe(1);
    const publicId = fromUuid('agt', agentId);
    expect(await gapsOf(publicId)).toMatchObject([{ count: 20 }]);
    expect(await eventsOf(publicId)).toHaveLength(1);
  });

  test('nearly the same is the same one, another is not, and each agent has its own', async () => {
    const agentId = newUuid();
    const { gapId } = await detect(agentId, 'Do you ship parcels to Svalbard in winter?');
    const near = await detect(agentId, 'do you ship parcel to svalbard in the wintr');
    expect(near).toEqual({ gapId, isNew: false });
    expect((await detect(agentId, 'Do you ship to Madagascar?')).isNew).toBe(true);
    expect((await detect(newUuid(), 'Do you ship parcels to Svalbard in winter?')).isNew).toBe(
      true,
    );
  });

  test('of no words, or of a million characters, is a gap like another', async () => {
    const agentId = newUuid();
    expect((await detect(agentId, '🙂🙂')).isNew).toBe(true);
    expect((await detect(agentId, '🙂🙂')).isNew).toBe(false);
    expect((await detect(agentId, 'x y '.repeat(250_000))).isNew).toBe(true);
    expect((await detect(agentId, `${'ü'.repeat(1_999)}😀`)).isNew).toBe(true);
  });
});

describe('resolving', () => {
  test('with an answer: the next search finds it, and the agent replies from it', async () => {
    const agentId = await fixture.newAgent();
    const other = await fixture.newAgent();
    await ask('Do you sell tandem bicycles?', agentId);
    const [gap] = await gapsOf(agentId);
    const answer = 'Yes, we have four models with two saddles.';
    const { status, body } = await fixture.call('POST', `${GAPS}/${gap.id}/resolve`, {
      json: { answer },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: gap.id, status: 'resolved', answer, resolved_at: expect.any(Number) },
    });
    const [byQuestion] = await search('do you sell tandems or tandem bicycles', agentId);
    expect(byQuestion).toMatchObject({ source_id: gap.id, document_id: gap.id, text: answer });
    expect((await search('models with two saddles', agentId))[0]).toMatchObject({ text: answer });
    expect((await search('tandem bicycle', agentId))[0].score).toBeGreaterThan(0.5);
    expect(await search('tandem saddles', other)).toEqual([]);
    expect(await ask('Do you sell tandem bicycles?', agentId)).toContain(answer);
    expect(await gapsOf(agentId, '&status=open')).toEqual([]);
    const all = await fixture.call('GET', '/v1/knowledge/search?q=tandem%20saddles');
    expect(all.body.data[0]).toMatchObject({ text: answer });
    await ask('Do you sell unicycles?', agentId);
    const [second] = await gapsOf(agentId, '&status=open');
    await fixture.call('POST', `${GAPS}/${second.id}/resolve`, {
      json: { answer: 'No unicycles.' },
    });
    expect((await search('unicycles', agentId))[0]).toMatchObject({ text: 'No unicycles.' });
    expect((await search('tandem saddles', agentId))[0]).toMatchObject({ text: answer });
  });

  test('a second time is 409, also when both come at once', async () => {
    const agentId = await fixture.newAgent();
    await ask('Do you sell tandem bicycles?', agentId);
    const [gap] = await gapsOf(agentId);
    const replies = await Promise.all(
      ['Yes.', 'No.'].map((answer) =>
        fixture.call('POST', `${GAPS}/${gap.id}/resolve`, { json: { answer } }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(replies.find(({ status }) => status === 409)!.body.code).toBe('gap_resolved');
    expect(await search('tandem bicycles', agentId)).toHaveLength(1);
  });

  test('without an answer: the same question opens another gap, with its event', async () => {
    const agentId = await fixture.newAgent();
    await ask('Do you sell tandem bicycles?', agentId);
    const [first] = await gapsOf(agentId);
    const { status } = await fixture.call('POST', `${GAPS}/${first.id}/resolve`);
    expect(status).toBe(200);
    await ask('Do you sell tandem bicycles?', agentId);
    expect(await gapsOf(agentId)).toMatchObject([
      { status: 'open', count: 1 },
      { id: first.id, status: 'resolved', answer: null },
    ]);
    expect(await eventsOf(agentId)).toHaveLength(2);
  });

  test('while it is asked again: that question opens another gap', async () => {
    const agentId = newUuid();
    const { gapId } = await detect(agentId, 'Where is Svalbard?');
    const { pool } = fixture.engine;
    const resolving = await pool.connect();
    try {
      await resolving.query('begin');
      await resolving.query(
        `update knowledge_gaps set status = 'resolved', resolved_at = now() where id = $1`,
        [gapId],
      );
      // It finds the gap open, and waits for what becomes of it.
      const again = detect(agentId, 'Where is Svalbard?');
      await until('it to wait', async () => {
        const { rows } = await pool.query(
          `select 1 from pg_stat_activity where datname = current_database()
              and wait_event_type = 'Lock' and query like '%knowledge_gaps%'`,
        );
        return rows.length > 0;
      });
      await resolving.query('commit');
      expect(await again).toMatchObject({ isNew: true });
    } finally {
      resolving.release();
    }
    expect(await gapsOf(fromUuid('agt', agentId))).toMatchObject([
      { status: 'open', count: 1 },
      { status: 'resolved', count: 1 },
    ]);
  });

  test('refuses an empty answer, and answers a foreign gap like a missing one', async () => {
    const agentId = await fixture.newAgent();
    await ask('Do you sell tandem bicycles?', agentId);
    const [gap] = await gapsOf(agentId);
    const empty = await fixture.call('POST', `${GAPS}/${gap.id}/resolve`, {
      json: { answer: ' ' },
    });
    expect(empty).toMatchObject({ status: 422, body: { errors: [{ pointer: '/answer' }] } });
    const key = await fixture.newKey('other');
    const missing = `${GAPS}/gap_01jd0000000000000000000000`;
    for (const path of ['', '/resolve']) {
      const method = path === '' ? 'GET' : 'POST';
      const foreign = await fixture.call(method, `${GAPS}/${gap.id}${path}`, { key });
      const none = await fixture.call(method, `${missing}${path}`, { key });
      expect(withoutRequestId(foreign)).toEqual(withoutRequestId(none));
      expect(foreign.status).toBe(404);
    }
    expect((await fixture.call('GET', GAPS, { key })).body.data).toEqual([]);
  });

  test('an erased conversation leaves the answer and none of its own words', async () => {
    const agentId = await fixture.newAgent();
    const conversation = await fixture.start({ agent_id: agentId });
    await fixture.say(conversation, 'Do you sell xylophonic tandem bicycles?');
    const [gap] = await gapsOf(agentId, `&conversation_id=${conversation}`);
    const answer = 'Yes, four models.';
    await fixture.call('POST', `${GAPS}/${gap.id}/resolve`, { json: { answer } });
    expect(await search('xylophonic', agentId)).toHaveLength(1);
    await fixture.call('DELETE', `/v1/conversations/${conversation}`);
    expect(await search('xylophonic', agentId)).toEqual([]);
    expect((await search('four models', agentId))[0]).toMatchObject({ text: answer });
    const { rows } = await fixture.engine.pool.query(
      "select lexeme from knowledge_words where lexeme like 'xyloph%'",
    );
    expect(rows).toEqual([]);
  });
});
