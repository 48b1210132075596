import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import { createTakeTurn, type TakeTurn } from '../../src/conversations/turns/take-turn.ts';
import { toUuid } from '../../src/ids.ts';
import { createCall } from '../../src/calls/create-call.ts';
import { createCallPlayer } from '../../src/calls/play-calls.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { addPool, passTime, until } from './passing-time.ts';
import { SIMULATED_ONLY } from './simulated-only.ts';

/** The player alone, with turns that take as long as a test wants. */

let engine: Engine;
let removePool: () => void;
let player: ReturnType<typeof createCallPlayer>;
let takeTurn: TakeTurn;
let realTurn: TakeTurn;

beforeEach(async () => {
  engine = await startEngine();
  await engine.startOperator();
  removePool = addPool(engine.pool);
  const conversations = {
    ...engine,
    announce: () => undefined,
    changed: () => undefined,
    judge: () => undefined,
    nowMs: Date.now,
    baseUrl: () => 'http://localhost',
  };
  const respond = createExtractiveResponder({ nowMs: Date.now });
  realTurn = createTakeTurn({ ...conversations, clockMs: Date.now, respond });
  player = createCallPlayer({
    ...conversations,
    takeTurn: (input, settle) => takeTurn(input, settle),
    ...SIMULATED_ONLY,
  });
  player.start();
});
afterEach(async () => {
  removePool();
  await player.stop();
  await engine.stop();
});

test('a turn that takes long keeps its lease, and is waited for when the process stops', async () => {
  const begun = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  takeTurn = async (input, settle) => {
    begun.resolve();
    await allowed.promise;
    return realTurn(input, settle);
  };
  await place();
  await begun.promise;
  const first = await leaseUntil();
  await until('the lease to be renewed', async () => (await leaseUntil()) > first);

  let isStopped = false;
  const stopped = player.stop().then(() => (isStopped = true));
  await engine.pool.query('select 1');
  expect(isStopped).toBe(false);
  expect(await userTurns()).toBe(0);
  allowed.resolve();
  await stopped;
  expect(await userTurns()).toBe(1);
  const { rows } = await engine.pool.query('select lease_until, step from calls');
  expect(rows).toEqual([{ lease_until: null, step: 3 }]);
});

test('a turn that fails is tried again, and stored once', async () => {
  let tries = 0;
  takeTurn = async (input, settle) => {
    tries += 1;
    if (tries === 1) throw new Error('the model is away');
    return realTurn(input, settle);
  };
  await place();
  await until('the end', async () => {
    const { rows } = await engine.pool.query('select status from calls');
    return rows[0].status === 'completed';
  });
  expect(tries).toBe(2);
  expect(await userTurns()).toBe(1);
});

async function place(): Promise<void> {
  await engine.declareAgent('support', { prompt: 'Be kind.' });
  const agent = await engine.settled('Agent', 'support');
  passTime();
  await createCall(
    { ...SIMULATED_ONLY, pool: engine.pool, nowMs: Date.now, wakeCalls: player.wake },
    {
      namespace: 'default',
      agentId: toUuid('agt', String(agent.status['agentId']))!,
      direction: 'outbound',
      from: null,
      to: '+442071838750',
      provider: 'simulated',
      providerOptions: { turns: [{ text: 'Hello?' }] },
      userId: null,
      variables: {},
      metadata: {},
    },
  );
}

async function leaseUntil(): Promise<number> {
  const { rows } = await engine.pool.query('select lease_until as until from calls');
  return rows[0].until;
}

async function userTurns(): Promise<number> {
  const { rows } = await engine.pool.query(`select count(*) from turns where role = 'user'`);
  return rows[0].count;
}
