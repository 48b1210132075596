import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { COMPILE_CACHE } from '../../compile-cache.ts';
import { freePort } from '../../free-port.ts';
import { createCall, type Reply } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { refund } from './refund-script.ts';
import { scriptedResponder } from './scripted-responder.ts';

/**
 * A process is killed at each step of a turn that calls a tool with an effect; another one lives. What
 * is told is whole, the same key finishes it, and nothing is done twice.
 */

const STEPS = [
  'turn.claimed',
  'turn.noting',
  'turn.noted',
  'turn.noting=kill@2',
  'turn.noted=kill@2',
  'turn.streaming',
  'turn.streaming=kill@2',
  'turn.storing',
  'transaction.begun',
  'transaction.committing',
  'transaction.committed',
  'turn.stored',
  'api.answering',
];
/** These come after the commit. */
const STORED = ['transaction.committed', 'turn.stored', 'api.answering'];

const responder = scriptedResponder();
let fixture: ConversationFixture;
let folder: string;
let calls: string;
let killed: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
  calls = path.join(folder, 'calls');
  fixture = await startConversationFixture({ responder });
  responder.play(refund(() => writeFileSync(calls, 'refunded\n', { flag: 'a' })));
});
afterAll(async () => {
  killed?.kill('SIGKILL');
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the message to a process that dies of it. */
async function killedBy(step: string, id: string, key?: string): Promise<void> {
  writeFileSync(calls, '');
  const port = await freePort();
  killed = spawn(process.execPath, [path.join(import.meta.dirname, 'scripted-api.ts')], {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: fixture.engine.databaseUrl,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PORT: String(port),
      CALLS: calls,
      KILL_AT: step.includes('=') ? step : `${step}=kill`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(killed.stdout!, 'data');
  const gone = once(killed, 'exit');
  const call = createCall(`http://127.0.0.1:${port}`, fixture.key);
  await send(call, id, key).catch(() => undefined);
  expect(await gone).toEqual([null, 'SIGKILL']);
}

const send = (call: ConversationFixture['call'], id: string, key?: string): Promise<Reply> =>
  call('POST', `/v1/conversations/${id}/messages`, {
    json: { text: 'Refund me' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

/** As if lease and mark had run out: nobody waits half a minute here. */
async function timePasses(): Promise<void> {
  const { pool } = fixture.engine;
  await pool.query(`update live_turns set leased_until = '-infinity'`);
  await pool.query(`update idempotency_marks set claimed_at = '-infinity' where answer is null`);
}

const callsMade = (): number => readFileSync(calls, 'utf8').split('\n').length - 1;

async function told(id: string): Promise<string[]> {
  const turns = await fixture.turns(id);
  expect(turns.map(({ index }) => index)).toEqual(turns.map((_, i) => i));
  expect(await fixture.read(id)).toMatchObject({ turn_count: turns.length, status: 'active' });
  return turns.map(({ role, error, tool_result: result }) =>
    [role, ...(error ? [error.code] : []), ...(role === 'tool' && !result ? ['?'] : [])].join(' '),
  );
}

describe.each(IS_NIGHTLY ? STEPS : ['turn.noted=kill@2'])('killed at %s', (step) => {
  const isStored = STORED.includes(step);

  // One statement: nothing begins, nothing is committed by itself.
  const isPlayed = IS_NIGHTLY && !step.startsWith('transaction.');
  test.runIf(isPlayed)(
    'without a key it is told as failed, whole, and the next message goes on',
    async () => {
      const id = await fixture.start();
      await killedBy(step, id);
      await timePasses();
      await until('it is settled', async () => {
        const { rowCount } = await fixture.engine.pool.query('select 1 from live_turns');
        return rowCount === 0;
      });
      const turns = await told(id);
      expect(turns[0]).toBe('user');
      expect(turns.at(-1)).toBe(isStored ? 'agent' : 'agent process_lost');
      // What was done is told, and nothing that was not even noted.
      if (callsMade() > 0) expect(turns[1]).toMatch(/^tool/);
      expect(turns.length).toBeLessThanOrEqual(3);
      expect((await fixture.say(id, 'And now?')).status).toBe(200);
    },
  );

  test('the same key finishes it, and nothing is done twice', async () => {
    const id = await fixture.start();
    const key = `kill-${id}`;
    await killedBy(step, id, key);
    await timePasses();
    const reply = await insist(id, key);
    expect(reply).toMatchObject({ status: 200, body: { conversation: { status: 'active' } } });
    const turns = await told(id);
    expect(turns.filter((turn) => turn === 'user')).toHaveLength(1);
    expect(turns.at(-1)).toBe('agent');
    expect(turns.filter((turn) => turn.startsWith('tool'))).toHaveLength(1);
    expect(callsMade()).toBe(step === 'turn.noted' ? 0 : 1);
    expect((await send(fixture.call, id, key)).body).toEqual(reply.body);
    const { rows } = await fixture.engine.pool.query(
      'select 1 from live_turns where conversation_id = $1',
      [toUuid('conv', id)],
    );
    expect(rows).toEqual([]);
  });
});

/** Until it is answered: the server of the killed process may not have noticed its end yet. */
async function insist(id: string, key: string): Promise<Reply> {
  return until('an answer', async () => {
    const reply = await send(fixture.call, id, key);
    if (reply.body.code !== 'idempotency_in_progress') return reply;
    await timePasses();
    return undefined;
  });
}
