import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { createJudge } from '../../../src/conversations/ending/judge.ts';
import {
  readConversation,
  type ConversationRow,
} from '../../../src/conversations/record/conversations.sql.ts';
import type { FindModel, Model } from '../../../src/models/model.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** Who waits for a judgement, and for how long. The model is the test's own: what is asked for is counted. */

/** Places that one namespace may have. */
const SHARE = 4;
const WAITING = 200;

let fixture: ConversationFixture;
let row: ConversationRow;
beforeAll(async () => {
  fixture = await startConversationFixture();
  const id = await fixture.start();
  await fixture.say(id, 'How long does delivery take?');
  await fixture.end(id);
  const key = { namespace: 'default', id: toUuid('conv', id)! };
  row = (await readConversation(fixture.engine.pool, key))!;
});
afterAll(() => fixture?.stop());

const judging = (model: Model) => judgeBy(async () => model);

function judgeBy(findModel: FindModel) {
  const deps = { announce: () => undefined, changed: () => undefined, nowMs: Date.now };
  const baseUrl = () => fixture.url;
  return createJudge({ ...fixture.engine, ...deps, baseUrl, findModel });
}
const within = (sec: number): ConversationRow => ({ ...row, judgeUntil: Date.now() + sec * 1_000 });

test('those that found no room do not keep the others from being judged', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let asked = 0;
  const judge = judging(async () => {
    asked += 1;
    await gate;
    throw new Error('no answer');
  });
  const take = (count: number): void => {
    for (let i = 0; i < count; i += 1) judge.take({ row: within(60), isOutcomeStated: false });
  };
  // Not completed yet, and nothing that the reaper would look at.
  await fixture.engine.pool.query(
    `update conversations set summary = null, judge_until = clock_timestamp() + interval '1 h'
      where id = $1`,
    [row.id],
  );
  take(SHARE + WAITING);
  await until('four are judged', () => asked === SHARE);
  // Nothing can be settled for as long: those under way end first, then those without room.
  const client = await fixture.engine.pool.connect();
  const blocked = async (): Promise<boolean> => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]!.n > 0;
  };
  await client.query('begin');
  await client.query('select from conversations where id = $1 for update', [row.id]);
  open();
  await until('they wait for the lock', blocked);
  take(20);
  await client.query('rollback');
  client.release();
  await until('all that waited were asked for', () => asked === SHARE + WAITING);
  await judge.stop();
}, 60_000);

test('a provider of one namespace that hangs keeps no other from being judged', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const findModel: FindModel = ({ namespace }) => {
    asked.push(namespace);
    return Promise.resolve(async () => {
      if (namespace === 'noisy') await gate;
      throw new Error('no answer');
    });
  };
  const judge = judgeBy(findModel);
  const take = (namespace: string): void =>
    judge.take({ row: { ...within(60), namespace }, isOutcomeStated: false });
  for (let i = 0; i < 30; i += 1) take('noisy');
  await until('the noisy one has its share', () => asked.length >= SHARE);
  for (let i = 0; i < 3; i += 1) take('quiet');
  await until('the other one is judged', () => asked.length >= SHARE + 3);
  expect(asked.slice(SHARE)).toEqual(['quiet', 'quiet', 'quiet']);
  open();
  await judge.stop();
});

test('a stop waits a while for those under way, and completes the rest by rule at once', async () => {
  const { pool } = fixture.engine;
  await pool.query(
    `update conversations set summary = null, judge_until = clock_timestamp() + interval '1 h'
      where id = $1`,
    [row.id],
  );
  const time = holdTime();
  const judge = judging(
    ({ signal }) =>
      new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        else signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  judge.take({ row: within(60), isOutcomeStated: false });
  await time.armed(30_000); // The time that the model has to answer in.
  const stopped = judge.stop();
  await time.armed(5_000);
  await time.advance(5_000);
  await stopped;
  const { rows } = await pool.query(
    `select summary, judgement #>> '{error,code}' as code from conversations where id = $1`,
    [row.id],
  );
  expect(rows).toEqual([{ summary: expect.any(String), code: 'not_judged' }]);
});

test('who has waited longer than a judgement may take costs no request', async () => {
  let asked = 0;
  const judge = judging(async () => {
    asked += 1;
    throw new Error('no answer');
  });
  judge.take({ row: within(-1), isOutcomeStated: false });
  await judge.stop();
  expect(asked).toBe(0);
});
