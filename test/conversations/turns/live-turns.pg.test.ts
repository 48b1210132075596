import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { startAnother, type Call, type Reply } from '../../roles/api/api-setup.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { aborted, echo, hesitate, scriptedResponder, toolTurn } from './scripted-responder.ts';

/** Turns whose reply takes its time (docs/decisions/0034): claimed, canceled, lost, finished. */

const responder = scriptedResponder();
const otherResponder = scriptedResponder();
let fixture: ConversationFixture;
let other: Pick<ConversationFixture, 'call'>;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await startConversationFixture({ responder });
  stops.push(fixture.stop);
  const second = await startAnother(fixture, { key: fixture.key, responder: otherResponder });
  stops.push(second.stop);
  other = second;
});
beforeEach(() => {
  responder.play(echo);
  otherResponder.play(echo);
  responder.asked.length = 0;
  otherResponder.asked.length = 0;
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const say = (call: Call, id: string, text: string, key?: string): Promise<Reply> =>
  call('POST', `/v1/conversations/${id}/messages`, {
    json: { text },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

async function told(id: string): Promise<string[][]> {
  const turns = await fixture.turns(id);
  return turns.map(({ role, text, interrupted, error }) => [
    role,
    text,
    ...((interrupted && ['interrupted']) || (error && [error.code]) || []),
  ]);
}

async function liveTurns(id: string): Promise<number> {
  const { rowCount } = await fixture.engine.pool.query(
    'select 1 from live_turns where conversation_id = $1',
    [toUuid('conv', id)],
  );
  return rowCount ?? 0;
}

const underWay = (id: string): Promise<unknown> =>
  until(`a turn of ${id} is under way`, async () => (await liveTurns(id)) === 1);

const underWayWith = (id: string, text: string): Promise<unknown> =>
  until(`the turn of ${text} is under way`, async () => {
    const { rowCount } = await fixture.engine.pool.query(
      'select 1 from live_turns where conversation_id = $1 and message = $2',
      [toUuid('conv', id), text],
    );
    return rowCount === 1;
  });

test('a turn is claimed while it is thought of, and nothing is left of the claim', async () => {
  const id = await fixture.start();
  let during = -1;
  responder.play(async (request) => {
    during = await liveTurns(id);
    return echo(request);
  });
  expect(await say(fixture.call, id, 'Hello')).toMatchObject({ status: 200 });
  expect({ during, after: await liveTurns(id) }).toEqual({ during: 1, after: 0 });
  expect(await told(id)).toEqual([
    ['user', 'Hello'],
    ['agent', 'You said: Hello'],
  ]);
});

test('a newer message cancels at once, and has what was interrupted in its history', async () => {
  const id = await fixture.start();
  let history: (string | undefined)[] = [];
  responder.play(async (request) => {
    history = (await request.readHistory(2)).map(({ text }) => text);
    return request.text === 'First' ? hesitate(request) : echo(request);
  });
  const asked = responder.asked.length;
  const first = say(fixture.call, id, 'First');
  await underWay(id);
  await until('it has begun', async () => responder.asked.length >= asked + 1);
  holdTime(); // Nothing polls.
  const second = await say(fixture.call, id, 'Second');
  expect(await first).toMatchObject({ status: 200, body: { turns: [{}, { interrupted: true }] } });
  expect(second).toMatchObject({ status: 200 });
  expect(await told(id)).toEqual([
    ['user', 'First'],
    ['agent', 'Well, ', 'interrupted'],
    ['user', 'Second'],
    ['agent', 'You said: Second'],
  ]);
  expect(history).toEqual(['First', 'Well, ']);
});

test('of many messages at once each is stored, and the last one is answered', async () => {
  const id = await fixture.start();
  responder.play(async (request) => (request.text === 'm4' ? echo(request) : hesitate(request)));
  const texts = ['m0', 'm1', 'm2', 'm3', 'm4'];
  const replies: Promise<Reply>[] = [];
  for (const text of texts) {
    replies.push(say(fixture.call, id, text));
    if (text !== 'm4') await underWayWith(id, text); // They come in this order.
  }
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(texts.map(() => 200));
  const turns = await told(id);
  expect(turns.filter(([role]) => role === 'user').map(([, text]) => text)).toEqual(texts);
  expect(turns.at(-1)).toEqual(['agent', 'You said: m4']);
});

test('a message by another process cancels, and takes its turn after what was interrupted', async () => {
  const id = await fixture.start();
  responder.play(hesitate);
  const first = say(fixture.call, id, 'First');
  await underWay(id);
  holdTime(); // Nothing polls.
  expect(await say(other.call, id, 'Second')).toMatchObject({ status: 200 });
  expect(await first).toMatchObject({ status: 200, body: { turns: [{}, { interrupted: true }] } });
  expect(await told(id)).toEqual([
    ['user', 'First'],
    ['agent', 'Well, ', 'interrupted'],
    ['user', 'Second'],
    ['agent', 'You said: Second'],
  ]);
});

test('a responder that never settles does not hold the conversation', async () => {
  const id = await fixture.start();
  responder.play(async ({ text, emitToken, ...rest }) => {
    if (text !== 'First') return echo({ text, emitToken, ...rest });
    emitToken('Hm');
    return new Promise(() => undefined);
  });
  const first = say(fixture.call, id, 'First');
  await underWay(id);
  const time = holdTime();
  const second = say(fixture.call, id, 'Second');
  await time.armed(500); // What a canceled reply may take to settle by itself.
  await time.advance(500);
  await second;
  expect(await first).toMatchObject({ status: 200 });
  expect((await told(id))[1]).toEqual(['agent', 'Hm', 'interrupted']);
});

test('an escalation from outside silences a turn under way; what there is of it is stored', async () => {
  const id = await fixture.start();
  responder.play(hesitate);
  const first = say(fixture.call, id, 'First');
  await underWay(id);
  const asked = await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  expect(asked.status).toBe(201);
  expect(await first).toMatchObject({
    status: 200,
    body: { conversation: { status: 'escalated' } },
  });
  expect(await told(id)).toEqual([
    ['system', 'A human has been asked to take over.'],
    ['user', 'First'],
    ['agent', 'Well, ', 'interrupted'],
  ]);
  expect(await liveTurns(id)).toBe(0);
});

test('an end stores what was said before it, and nothing after it', async () => {
  const id = await fixture.start();
  let late: unknown;
  const { promise: noted, resolve } = Promise.withResolvers<void>();
  responder.play(async (request) => {
    await request.noteTools([toolTurn('refund', 'done')]);
    resolve();
    await aborted(request.signal);
    late = await request.noteTools([toolTurn('refund', 'again')]).catch((error: unknown) => error);
    return { text: 'Too late' };
  });
  const first = say(fixture.call, id, 'First');
  await noted;
  expect(await fixture.end(id)).toMatchObject({ status: 200, body: { turn_count: 3 } });
  expect(await first).toMatchObject({ status: 409, body: { code: 'conversation_ended' } });
  expect(late).toBeInstanceOf(Error);
  expect(await told(id)).toEqual([
    ['user', 'First'],
    ['tool', ''],
    ['agent', '', 'interrupted'],
  ]);
});

test('the words of a turn under way go with an erased conversation', async () => {
  const id = await fixture.start();
  responder.play(hesitate);
  const first = say(fixture.call, id, 'My secret');
  await underWay(id);
  expect((await fixture.call('DELETE', `/v1/conversations/${id}`)).status).toBe(204);
  expect((await first).status).toBe(404);
  const uuid = toUuid('conv', id);
  const { rows } = await fixture.engine.pool.query(
    `select (select count(*) from turns where conversation_id = $1)::int as turns,
            (select count(*) from live_turns where conversation_id = $1)::int as live`,
    [uuid],
  );
  expect(rows).toEqual([{ turns: 0, live: 0 }]);
});

test('the agent ends the conversation with its reply', async () => {
  const id = await fixture.start();
  responder.play(async () => ({ text: 'Goodbye', ends: 'agent_hangup' }));
  const { body } = await say(fixture.call, id, 'Bye', `hangup-${id}`);
  expect(body.conversation).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
  expect(await fixture.eventTypes(id)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
  expect(await say(fixture.call, id, 'Still there?')).toMatchObject({ status: 409 });
});

/** As if its process were gone: nothing renews it, and its lease is over. */
const lose = (id: string) =>
  fixture.engine.pool.query(
    `update live_turns set leased_until = '-infinity', token = gen_random_uuid() where conversation_id = $1`,
    [toUuid('conv', id)],
  );

/** A turn of a process that never comes back, which has called a tool. */
async function killed(id: string, key?: string): Promise<void> {
  responder.play(async ({ noteTools, emitToken }) => {
    await noteTools([toolTurn('refund')]);
    await noteTools([toolTurn('refund', 'refunded')]);
    emitToken('I have');
    return new Promise(() => undefined);
  });
  void say(fixture.call, id, 'Refund me', key).catch(() => undefined);
  await until('its tool was noted', async () => {
    const { rowCount } = await fixture.engine.pool.query(
      `select 1 from live_turns where conversation_id = $1 and tools->0->'toolResult'->>'content' = 'refunded'`,
      [toUuid('conv', id)],
    );
    return rowCount === 1;
  });
  responder.play(echo);
}

const FAILED = 'I am sorry, I could not finish my answer. Please say that again.';

test('the turn of a killed process is told as failed, and the next message goes on', async () => {
  const id = await fixture.start();
  await killed(id);
  await lose(id);
  await until('it is settled', async () => (await liveTurns(id)) === 0);
  expect(await told(id)).toEqual([
    ['user', 'Refund me'],
    ['tool', ''],
    ['agent', FAILED, 'process_lost'],
  ]);
  expect(await say(other.call, id, 'And now?')).toMatchObject({ status: 200 });
  expect((await told(id)).at(-1)).toEqual(['agent', 'You said: And now?']);
});

test('the same key finishes a failed turn: the message is not said again, no tool called again', async () => {
  const id = await fixture.start();
  await killed(id, `lost-${id}`);
  await lose(id);
  await until('it is settled', async () => (await liveTurns(id)) === 0);
  let noted: unknown;
  let history: unknown[] = [];
  otherResponder.play(async (request) => {
    noted = request.notedTools.map(({ toolResult }) => toolResult);
    history = await request.readHistory(5);
    return { text: 'Your money is on its way.', toolTurns: request.notedTools };
  });
  const repeated = await say(other.call, id, 'Refund me', `lost-${id}`);
  expect(repeated).toMatchObject({ status: 200, body: { turns: [{ index: 3, role: 'agent' }] } });
  expect(noted).toEqual([{ ok: true, content: 'refunded', duration_ms: 3 }]);
  expect(history).toEqual([]);
  expect(await told(id)).toEqual([
    ['user', 'Refund me'],
    ['tool', ''],
    ['agent', FAILED, 'process_lost'],
    ['agent', 'Your money is on its way.'],
  ]);
  expect((await say(other.call, id, 'Refund me', `lost-${id}`)).body).toEqual(repeated.body);
});

test('the same key takes over a turn whose process is gone', async () => {
  const id = await fixture.start();
  await killed(id, `over-${id}`);
  otherResponder.play(async ({ notedTools }) => ({ text: 'Done.', toolTurns: notedTools }));
  await lose(id);
  await fixture.engine.pool.query(
    `update idempotency_marks set claimed_at = '-infinity' where answer is null`,
  );
  expect(await say(other.call, id, 'Refund me', `over-${id}`)).toMatchObject({ status: 200 });
  const turns = await told(id);
  // A reaper may have been quicker: then the failed one is there too.
  expect(turns.filter(([, , error]) => error !== 'process_lost')).toEqual([
    ['user', 'Refund me'],
    ['tool', ''],
    ['agent', 'Done.'],
  ]);
});

test('the same key while the turn is under way is told so, and cancels nothing', async () => {
  const id = await fixture.start();
  const { promise: enough, resolve: goOn } = Promise.withResolvers<void>();
  responder.play(async (request) => {
    await enough;
    return echo(request);
  });
  const first = say(fixture.call, id, 'Hello', `twice-${id}`);
  await underWay(id);
  const again = await say(other.call, id, 'Hello', `twice-${id}`);
  expect(again.body).toMatchObject({ code: 'idempotency_in_progress' });
  // Even when its mark was let go, as after a minute without the database.
  await fixture.engine.pool.query(
    `update idempotency_marks set claimed_at = '-infinity' where answer is null`,
  );
  const late = await say(other.call, id, 'Hello', `twice-${id}`);
  expect(late.body).toMatchObject({ code: 'idempotency_in_progress' });
  goOn();
  await first;
  expect(responder.asked.map(({ signal }) => signal.aborted)).toEqual([false]);
});

test('a process whose turn is somebody else’s by now stores nothing', async () => {
  const id = await fixture.start();
  const { promise: taken, resolve: goOn } = Promise.withResolvers<void>();
  responder.play(async () => {
    await taken;
    return { text: 'Too late' };
  });
  const first = say(fixture.call, id, 'Hello');
  await underWay(id);
  const uuid = toUuid('conv', id);
  await fixture.engine.pool.query(
    'update live_turns set token = gen_random_uuid() where conversation_id = $1',
    [uuid],
  );
  goOn();
  expect(await first).toMatchObject({ status: 503 });
  expect(await told(id)).toEqual([]);
  await lose(id);
});

test('a lease is renewed for as long as the turn lasts, and silence is not counted', async () => {
  const { pool } = fixture.engine;
  const time = holdTime();
  const own = scriptedResponder();
  const { promise: enough, resolve: goOn } = Promise.withResolvers<void>();
  own.play(async (request) => {
    await enough;
    return echo(request);
  });
  const holder = await startAnother(fixture, { key: fixture.key, responder: own });
  stops.push(holder.stop); // When time passes again.
  const [id, silent] = [await fixture.start(), await fixture.start()];
  const first = say(holder.call, id, 'Hello');
  await underWay(id);
  // As if much time had passed: the lease is nearly over, and so is the patience with silence.
  const uuids = [id, silent].map((one) => toUuid('conv', one));
  await pool.query(
    `update live_turns set leased_until = clock_timestamp() + interval '11 seconds'
        where conversation_id = $1`,
    [uuids[0]],
  );
  await pool.query(`update conversations set expires_at = clock_timestamp() where id = any($1)`, [
    uuids,
  ]);
  await time.advance(10_000);
  await until('the lease is renewed', async () => {
    await time.advance(1_000);
    const { rows } = await pool.query(
      `select 1 from live_turns
          where conversation_id = $1 and leased_until > clock_timestamp() + interval '20 seconds'`,
      [uuids[0]],
    );
    return rows.length === 1;
  });
  await until('the other one has ended', async () => {
    await time.advance(1_000);
    return (await fixture.read(silent)).status === 'ended';
  });
  expect(await fixture.read(id)).toMatchObject({ status: 'active' });
  goOn();
  expect(await first).toMatchObject({ status: 200 });
  expect((await fixture.read(id)).status).toBe('active');
});
