import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccounts, type Accounts } from '../../../src/calls/providers/find-account.ts';
import {
  deleteNumbers,
  replaceNumbers,
} from '../../../src/calls/providers/telephony-numbers.sql.ts';
import type {
  DeclaredNumber,
  TelephonyProviderSpec,
} from '../../../src/calls/providers/telephony-provider.ts';
import { TELEPHONY_PROVIDER_KIND } from '../../../src/calls/providers/telephony-provider.kind.ts';
import { secretPlace } from '../../../src/kinds/kind-rows.sql.ts';
import { newUuid } from '../../../src/ids.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createSealer } from '../../../src/platform/postgres/sealing.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';

/** The accounts that calls find, and how soon they see a change. */

const { rows } = TELEPHONY_PROVIDER_KIND;
const remove = async (key: { namespace: string; name: string }): Promise<void> =>
  deleteNumbers(pool, (await rows.markDeleted(pool, key))!.id);

const sealer = createSealer(Buffer.alloc(32, 1));
const SPEC: TelephonyProviderSpec = {
  type: 'twilio',
  accountId: 'AC1',
  authTokenSecretRef: { name: 'carrier', key: 'token' },
};
const NUMBER = '+442071838750';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let queries: number;
let nowMs: number;
let accounts: Accounts;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: createLogger('silent', 'test'), max: 4 });
  queries = 0;
  nowMs = 0;
  const counted = {
    query: (...given: Parameters<Pool['query']>) => {
      queries += 1;
      return pool.query(...given);
    },
  } as unknown as Pool;
  accounts = createAccounts({ pool: counted, sealer, nowMs: () => nowMs });
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

type Made = {
  id: string;
  /** The item in a notification about the projection. */
  told: string;
  /** Writes a declaration. A null token is refused, and the previous declaration stays active. */
  write: (token: string | null, over?: Partial<TelephonyProviderSpec>) => Promise<void>;
};

/** Each provider is a millisecond younger than the one before, because ids of the same millisecond have no order. */
let madeMs = Date.now();

function provider(namespace: string, name: string): Made {
  madeMs += 1;
  const id = newUuid(madeMs);
  const uid = newUuid();
  let generation = 0;
  const write: Made['write'] = async (token, over = {}) => {
    generation += 1;
    const spec = { ...SPEC, ...over };
    const { numbers = [{ number: NUMBER, agent: 'desk' }], ...account } = spec;
    const row = { id, namespace, name, uid, generation, managedBy: 'api' as const, spec };
    const why = { ready: token !== null, reason: 'InForce', message: '' };
    const place = secretPlace(TELEPHONY_PROVIDER_KIND, row);
    const active = token === null ? null : { spec: account, secret: sealer.seal(token, place) };
    await rows.upsert(pool, { ...row, ...why }, active);
    if (token !== null) await replaceNumbers(pool, row, numbers);
  };
  return { id, told: `telephony_providers/${namespace}/${id}`, write };
}

async function agent(namespace: string, name: string): Promise<{ id: string; told: string }> {
  const id = newUuid();
  await pool.query(
    `insert into agents (id, namespace, name, uid, generation, managed_by, spec)
     values ($1, $2, $3, $4, 1, 'api', '{}')`,
    [id, namespace, name, newUuid()],
  );
  return { id, told: `agents/${namespace}/${id}` };
}

const bound = (number: string, name = 'desk'): DeclaredNumber => ({ number, agent: name });
const tokensOf = async (number = NUMBER, accountId = 'AC1'): Promise<string[]> =>
  (await accounts.ofNumber(accountId, number)).map(({ account }) => account.authToken);
const agentOf = async (number = NUMBER): Promise<string | null | undefined> =>
  (await accounts.ofNumber('AC1', number))[0]?.bound.agentId;

test('an account is opened and has its defaults, wherever it is found', async () => {
  const { id, write } = provider('default', 'main');
  await write('t-1', { apiUrl: 'https://carrier.example/', outbound: { countries: ['DE'] } });
  const { id: agentId } = await agent('default', 'desk');
  const account = {
    id,
    namespace: 'default',
    name: 'main',
    type: 'twilio' as const,
    accountId: 'AC1',
    authToken: 't-1',
    own: {},
    apiUrl: 'https://carrier.example',
    outbound: {
      countries: ['DE'],
      maxConcurrentCalls: 10,
      maxCallsPerMinute: 60,
      ringSec: 30,
      voicemailMessage: undefined,
    },
    inbound: { maxConcurrentCalls: 100, busyMessage: undefined, closedMessage: undefined },
  };
  const number = { number: NUMBER, agentId, agentVersion: undefined };
  expect(await accounts.byName('default', 'main')).toEqual(account);
  expect(await accounts.byId(id)).toEqual(account);
  expect(await accounts.ofNumber('AC1', NUMBER)).toEqual([{ account, bound: number }]);
  expect(await accounts.numbersOf(account)).toEqual([number]);
});

test('what is declared is used, and what is absent is not called and has the usual address', async () => {
  const { write } = provider('default', 'main');
  const inbound = { maxConcurrentCalls: 2, busyMessage: 'Busy.', closedMessage: 'Closed.' };
  const outbound = {
    countries: ['GB'],
    maxConcurrentCalls: 3,
    maxCallsPerMinute: 4,
    ringSec: 5,
    voicemailMessage: 'Hello.',
  };
  await write('t-1', { inbound, outbound });
  expect(await accounts.byName('default', 'main')).toMatchObject({ inbound, outbound });
  await provider('default', 'other').write('t-2', { numbers: [] });
  expect(await accounts.byName('default', 'other')).toMatchObject({
    apiUrl: 'https://api.twilio.com',
    outbound: undefined,
  });
});

test('a number leads to the accounts of all namespaces that have it under the id at the carrier', async () => {
  await provider('a', 'main').write('t-a');
  await provider('b', 'main').write('t-b');
  await provider('c', 'main').write('t-c', { accountId: 'AC2' });
  await provider('d', 'main').write('t-d', { numbers: [bound('+4930123456')] });
  const inA = await agent('a', 'desk');
  const found = await accounts.ofNumber('AC1', NUMBER);
  expect(found.map(({ account, bound: { agentId } }) => [account.namespace, agentId])).toEqual([
    ['a', inA.id],
    ['b', null],
  ]);
  expect(await tokensOf(NUMBER, 'AC2')).toEqual(['t-c']);
  expect(await tokensOf('+4930123456')).toEqual(['t-d']);
  expect(await accounts.byName('b', 'main')).toMatchObject({ authToken: 't-b' });
  expect(await accounts.byName('x', 'main')).toBeUndefined();
});

test('of more than twenty the oldest are found: who comes later pushes none out', async () => {
  for (let n = 0; n < 22; n += 1) await provider(`ns-${n}`, 'main').write(`t-${n}`);
  expect(await tokensOf()).toEqual(Array.from({ length: 20 }, (_, n) => `t-${n}`));
});

test('what no provider can have costs no query, and what is remembered none either', async () => {
  for (const [accountId, number] of [
    ['AC1', '+1'],
    ['AC1', 'anonymous'],
    ['', NUMBER],
    ['x'.repeat(65), NUMBER],
  ] as const) {
    expect(await accounts.ofNumber(accountId, number)).toEqual([]);
  }
  expect(queries).toBe(0);
  await provider('default', 'main').write('t-1');
  const [one, two] = await Promise.all([1, 2].map(() => accounts.ofNumber('AC1', NUMBER)));
  expect(one).toBe(two);
  expect(queries).toBe(1);
  nowMs = 499;
  expect(await accounts.ofNumber('AC1', NUMBER)).toBe(one);
  expect(await tokensOf('+4930123456')).toEqual([]);
  expect(await tokensOf('+4930123456')).toEqual([]);
  expect(queries).toBe(2);
});

test('a new token is used at once when it was told of, and within a second when not', async () => {
  const { id, told, write } = provider('default', 'main');
  await write('t-1');
  const all = async (): Promise<(string | undefined)[]> => [
    ...(await tokensOf()),
    (await accounts.byName('default', 'main'))?.authToken,
    (await accounts.byId(id))?.authToken,
  ];
  expect(await all()).toEqual(['t-1', 't-1', 't-1']);
  await write('t-2');
  accounts.look([newUuid(), `agents/default/${newUuid()}`]);
  expect((await all()).slice(1)).toEqual(['t-1', 't-1']);
  accounts.look([told]);
  expect(await all()).toEqual(['t-2', 't-2', 't-2']);
  await write('t-3');
  nowMs = 1_000;
  expect(await all()).toEqual(['t-3', 't-3', 't-3']);
  await write('t-4');
  accounts.look(['*']);
  expect(await all()).toEqual(['t-4', 't-4', 't-4']);
});

test('a provider that comes, or that gets a number, is found; one that goes is not', async () => {
  expect(await tokensOf()).toEqual([]);
  expect(await accounts.byName('default', 'main')).toBeUndefined();
  const { id, told, write } = provider('default', 'main');
  await write('t-1');
  accounts.look([told]);
  expect(await tokensOf()).toEqual(['t-1']);
  const account = (await accounts.byName('default', 'main'))!;
  expect(await accounts.numbersOf(account)).toHaveLength(1);
  await write('t-1', { numbers: [bound('+4930999999'), bound('+4930111111')] });
  accounts.look([told]);
  expect(await tokensOf()).toEqual([]);
  const numbers = await accounts.numbersOf(account);
  expect(numbers.map(({ number }) => number)).toEqual(['+4930111111', '+4930999999']);
  await remove({ namespace: 'default', name: 'main' });
  accounts.look([told]);
  expect(await accounts.byName('default', 'main')).toBeUndefined();
  expect(await accounts.byId(id)).toBeUndefined();
  expect(await accounts.numbersOf(account)).toEqual([]);
  expect(await tokensOf('+4930111111')).toEqual([]);
  const { rows } = await pool.query('select auth_token, in_force from telephony_providers');
  expect(rows).toEqual([{ auth_token: null, in_force: null }]);
  expect((await pool.query('select from telephony_numbers')).rows).toEqual([]);
});

test('an agent that comes is found, one that goes is not, and others cost no query', async () => {
  await provider('default', 'main').write('t-1');
  const account = (await accounts.byName('default', 'main'))!;
  const all = async () => [await agentOf(), (await accounts.numbersOf(account))[0]?.agentId];
  expect(await all()).toEqual([null, null]);
  const { id, told } = await agent('default', 'desk');
  accounts.look([told]);
  expect(await all()).toEqual([id, id]);
  const before = queries;
  accounts.look([(await agent('default', 'other')).told, (await agent('else', 'desk')).told]);
  expect(await all()).toEqual([id, id]);
  expect(queries).toBe(before);
  await pool.query('update agents set deleted_at = now() where id = $1', [id]);
  accounts.look([told]);
  expect(await all()).toEqual([null, null]);
});

test('a token that was moved into another row does not open there, and spoils no other account', async () => {
  await provider('a', 'main').write('t-a');
  await provider('b', 'main').write('t-b');
  await pool.query(`update telephony_providers set auth_token =
    (select auth_token from telephony_providers where namespace = 'a') where namespace = 'b'`);
  expect(await tokensOf()).toEqual(['t-a']);
  await expect(accounts.byName('b', 'main')).rejects.toThrow();
  await remove({ namespace: 'a', name: 'main' });
  accounts.look(['*']);
  await expect(tokensOf()).rejects.toThrow();
});

test('without its Secret a new address does not get the old token', async () => {
  const { told, write } = provider('default', 'main');
  await write('t-1');
  await write(null, { apiUrl: 'https://elsewhere.example', numbers: [] });
  accounts.look([told]);
  expect(await accounts.byName('default', 'main')).toMatchObject({
    apiUrl: 'https://api.twilio.com',
    authToken: 't-1',
  });
  expect(await tokensOf()).toEqual(['t-1']);
});

test('a number with a recalled version has the live one, as soon as the recall is told', async () => {
  const { write } = provider('default', 'main');
  await write('t-1', { numbers: [{ ...bound(NUMBER), version: 2 }] });
  const { id, told } = await agent('default', 'desk');
  const version = async () => (await accounts.ofNumber('AC1', NUMBER))[0]?.bound.agentVersion;
  const recall = (versions: number[]) =>
    pool.query(
      `insert into agent_recalls (id, agent_id, namespace, versions, actor) values ($1, $2, 'default', $3, 'a')`,
      [newUuid(), id, versions],
    );
  await recall([1]);
  expect(await version()).toBe(2);
  await recall([2]);
  accounts.look([told]);
  expect(await version()).toBeUndefined();
});
