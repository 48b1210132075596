import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { echo, hesitate, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';
import { toUuid } from '../../../src/ids.ts';
import { createContext } from '../../../src/roles/context.ts';
import { passTime, until } from '../passing-time.ts';
import { startAnother } from './another-api.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';

/** Sockets that break, processes that stop, and a database that is away during a call. */

const responder = scriptedResponder();
let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture({ responder });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

test('a socket that is cut in the middle of a word is opened again, and the conversation goes on', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  responder.play(hesitate);
  phone.say('How much is it?');
  await until('the reply to begin', () => phone.heard.at(-1) === 'Well, ');
  const { verbs } = await phone.cut();
  responder.play(echo);
  const again = await phones.carrier.connect(phone.sid, verbs);
  again.say('Are you there?');
  await again.hears('You said: Are you there?');
  expect(again.heard).toEqual(['You said: Are you there?']);
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  expect((await phones.transcript(call)).filter((turn) => turn.startsWith('user'))).toEqual([
    'user: How much is it?',
    'user: Are you there?',
  ]);
  await again.hangUp();
  await phones.callWhen(phone.sid, { status: 'completed' });
});

test('a socket that is cut and not opened again ends the call, as its carrier says it ended', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phones.carrier.statuses.set(phone.sid, 'completed');
  await phone.cut();
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  await timePasses(call.id);
  expect(await phones.callWhen(phone.sid, { status: 'completed' })).toMatchObject({
    ended_reason: 'user_hangup',
  });
  expect(await phones.events(call)).toContain('conversation.ended');
});

test('a call that nobody holds, though it goes on, is ended as failed and hung up', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phones.carrier.statuses.set(phone.sid, 'in-progress');
  await phone.cut();
  const call = await phones.callWhen(phone.sid);
  await timePasses(call.id);
  expect(await phones.callWhen(phone.sid, { status: 'failed' })).toMatchObject({
    ended_reason: 'platform_error',
  });
  expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
    status: 'failed',
  });
  await until('the carrier to be told', () => phones.carrier.hungUp.includes(phone.sid));
});

test('a line whose socket breaks is kept for ten seconds', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.cutOff();
  const { rows } = await until('the line to be given back', async () => {
    const kept = await phones.api.engine.pool.query(
      `select round(extract(epoch from line_until - clock_timestamp()) / 10)::int as tens from calls
        where provider_call_id = $1 and line_holder is null`,
      [phone.sid],
    );
    return kept.rowCount === 1 && kept;
  });
  // The job that ends it runs every second, so the call ends within 15 s.
  expect(rows).toEqual([{ tens: 1 }]);
  phones.carrier.statuses.set(phone.sid, 'completed');
});

test('a call whose socket never came was not answered', async () => {
  const { sid } = await phones.carrier.ring(NUMBER);
  const call = await phones.callWhen(sid, { status: 'ringing' });
  await timePasses(call.id);
  expect(await phones.callWhen(sid, { status: 'no_answer' })).toMatchObject({
    conversation_id: null,
  });
});

test('a process that stops opens no line, waits for its calls, and ends those that outlast the time', async () => {
  const other = await another({ callDrainMs: 700 });
  const phone = await other.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const { sid, verbs } = await other.carrier.ring(NUMBER);
  const stopped = other.stop();
  phone.say('Do you stop?');
  await phone.hears('You said: Do you stop?');
  const refused = await other.carrier.connect(sid, verbs);
  expect(await refused.closed).toBe(1008);
  await phone.hears('this call has to end');
  expect(await phone.closed).toBe(1000);
  await stopped;
  const call = await phones.callWhen(phone.sid, { status: 'failed' });
  expect(call).toMatchObject({ ended_reason: 'platform_error' });
  expect(await phones.transcript(call)).toContain('agent: You said: Do you stop?');
});

test('a process that stops is gone as soon as its calls are over', async () => {
  const other = await another({ callDrainMs: 600_000 });
  const phone = await other.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const stopped = other.stop();
  phone.say('Goodbye.');
  await phone.hears('You said: Goodbye.');
  await phone.hangUp();
  await stopped;
  expect(await phones.callWhen(phone.sid)).toMatchObject({ status: 'completed' });
});

test('the database is away in a call: the caller is told to wait, and nothing is lost', async () => {
  const proxy = await startFaultProxy(phones.api.engine.databaseUrl);
  const other = await another({ proxy });
  const phone = await other.carrier.call(NUMBER);
  await phone.hears(GREETING);
  proxy.refuse();
  proxy.cut();
  phone.say('How much is it?');
  await phone.hears('One moment, please.');
  phone.say('Hello?');
  proxy.accept();
  await phone.hears('You said: Hello?');
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  expect((await phones.transcript(call)).filter((turn) => turn.startsWith('user'))).toEqual([
    'user: How much is it?',
    'user: Hello?',
  ]);
  await phone.hangUp();
  await phones.callWhen(phone.sid, { status: 'completed' });
  await other.stop();
  await proxy.stop();
});

test('who breaks in while the database is away is noted once it is back', async () => {
  const proxy = await startFaultProxy(phones.api.engine.databaseUrl);
  const other = await another({ proxy });
  const phone = await other.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is it?');
  await phone.hears('You said: How much is it?');
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  await until('the reply to be stored', async () =>
    (await phones.transcript(call)).includes('agent: You said: How much is it?'),
  );
  proxy.refuse();
  proxy.cut();
  phone.interrupt('You said: How');
  phone.say('Hello?');
  await phone.hears('One moment, please.');
  proxy.accept();
  await phone.hears('You said: Hello?');
  const told = 'agent: You said: How (interrupted)';
  await until('what was heard', async () => (await phones.transcript(call)).includes(told));
  await phone.hangUp();
  await other.stop();
  await proxy.stop();
});

/** Starts another API with its own carrier. With `proxy`, it reaches the database through that proxy. */
async function another({ callDrainMs = 0, proxy }: { callDrainMs?: number; proxy?: FaultProxy }) {
  const context = proxy && contextBehind(proxy);
  const { carrier, stop } = await startAnother(phones, { ...context, responder, callDrainMs });
  return {
    carrier,
    stop: async () => {
      await stop();
      await context?.close();
    },
  };
}

function contextBehind(proxy: FaultProxy) {
  return createContext({
    role: 'api',
    databaseUrl: proxy.through(phones.api.engine.databaseUrl),
    encryptionKey: Buffer.alloc(32, 1),
    egressAllow: ['127.0.0.0/8'],
    logLevel: 'silent',
    poolMax: 10,
  });
}

/** Lets the lease of the line run out without a wait of ten seconds. */
async function timePasses(id: string): Promise<void> {
  await phones.api.engine.pool.query(
    `update calls set line_until = clock_timestamp() where id = $1`,
    [toUuid('call', id)],
  );
}
