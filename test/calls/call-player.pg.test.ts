import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import { createTakeTurn, type TakeTurn } from '../../src/conversations/turns/take-turn.ts';
import { toUuid } from '../../src/ids.ts';
import { createCall } from '../../src/calls/create-call.ts';
import { createCallPlayer } from '../../src/calls/play-calls.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { addPools, passTime, until } from './passing-time.ts';
import { SIMULATED_ONLY } from './simulated-only.ts';

/** The player alone, with turns that take as long as a test wants. */

let engine: Engine;
let removePools: () => void;
let player: ReturnType<typeof createCallPlayer>;
let takeTurn: TakeTurn;
let realTurn: TakeTurn;

beforeEach(async () => {
  engine = await startEngine();
  await engine.startOperator();
  removePools = addPools(engine.pool);
  const conversations = {
    ...engine,
    batchPool: engine.pool,
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
  removePools();
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

test('a namespace whose turns hang leaves places for the calls of others', async () => {
  const allowed = Promise.withResolvers<void>();
  const begun: string[] = [];
  takeTurn = async (input, settle) => {
    begun.push(input.namespace);
    if (input.namespace === 'noisy') await allowed.promise;
    return realTurn(input, settle);
  };
  const [noisy, quiet] = [await declareAgent('noisy'), await declareAgent('quiet')];
  passTime();
  for (let i = 0; i < 12; i += 1) await call('noisy', noisy);
  await until('the share of a namespace', () => begun.length === 8);
  await call('quiet', quiet);
  await until('the turn of the other namespace', () => begun.includes('quiet'));
  expect(begun.toSorted()).toEqual([...Array.from({ length: 8 }, () => 'noisy'), 'quiet']);
  allowed.resolve();
  await until('the turns that were waiting', () => begun.length === 13);
});

async function place(): Promise<void> {
  const agentId = await declareAgent('default');
  passTime();
  await call('default', agentId);
}

async function declareAgent(namespace: string): Promise<string> {
  await engine.declareAgent('support', { prompt: 'Be kind.' }, 'kubectl', namespace);
  const agent = await engine.settled('Agent', 'support', namespace);
  return toUuid('agt', String(agent.status['agentId']))!;
}

async function call(namespace: string, agentId: string): Promise<void> {
  await createCall(
    { ...SIMULATED_ONLY, pool: engine.pool, nowMs: Date.now, wakeCalls: player.wake },
    {
      namespace,
      agentId,
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
