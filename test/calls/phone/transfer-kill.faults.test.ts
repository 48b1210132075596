import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { freePort } from '../../free-port.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../passing-time.ts';
import { dialled } from './dialled.ts';
import type { Phone } from './phone.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';
import type { Verb } from './read-twiml.ts';
import { ACCOUNT } from './account.ts';
import { startStandIn, type Posted, type StandIn } from './stand-in-carrier.ts';

/**
 * A process is killed at each step of a transfer, and the carrier asks another one. The number is rung once for each
 * request of the carrier, and in the end the caller talks to a person or hears that nobody answered.
 */

const TO = '+442079460000';
const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;

let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture();
});
afterAll(() => phones?.stop());

type Victim = { parley: Parley; carrier: StandIn };

let victim: Victim;
afterEach(async () => {
  await victim.parley.kill();
  await victim.carrier.stop();
});

/** Starts a call whose line the victim holds. */
async function callAtVictim(failpoints: string) {
  const port = await freePort();
  const parley = await startRole('api', {
    databaseUrl: phones.api.engine.databaseUrl,
    env: {
      PARLEY_PORT: String(port),
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PARLEY_FAILPOINTS: failpoints,
    },
  });
  victim = { parley, carrier: await startStandIn(`http://127.0.0.1:${port}`) };
  const phone = await victim.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  const asked = await phones.api.call('POST', `/v1/calls/${call.id}/transfer`, {
    json: { to: TO },
  });
  expect(asked.status).toBe(202);
  return { phone, call };
}

type Call = { id: string; conversation_id: string };

/** Repeats the carrier's request to a process that is alive. */
function ask(
  { sid }: Phone,
  call: Call,
  query: string,
  form: Record<string, string>,
): Promise<Posted> {
  const target = `/v1/telephony/twilio/voice?call=${call.id}${query}`;
  return phones.carrier.post(target, {
    AccountSid: ACCOUNT,
    CallSid: sid,
    CallStatus: 'in-progress',
    ...form,
  });
}

async function talkToTheEnd(phone: Phone, call: Call, verbs: readonly Verb[]): Promise<void> {
  const dial = dialled(phones.carrier, phone.sid, verbs);
  expect(dial.to).toBe(TO);
  await dial.pickUp();
  await dial.over('completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
  const types = await phones.events(call);
  expect(types.filter((type) => type === 'conversation.ended')).toHaveLength(1);
}

test.runIf(isNightly)(
  'killed before it closed the line: the number is rung by the next',
  async () => {
    const { phone, call } = await callAtVictim('transfer.closing=kill');
    await phone.closed;
    const { verbs } = await ask(phone, call, '', { SessionStatus: 'failed' });
    await talkToTheEnd(phone, call, verbs);
  },
  60_000,
);

test.runIf(isNightly)(
  'killed before it closed the line, and nobody asks: the call ends as failed when the lease of its line has run out',
  async () => {
    const { phone, call } = await callAtVictim('transfer.closing=kill');
    await phone.closed;
    phones.carrier.statuses.set(phone.sid, 'in-progress');
    // Passes ten seconds.
    await phones.api.engine.pool.query(
      `update calls set line_until = line_until - interval '10 s' where id = $1`,
      [toUuid('call', call.id)],
    );
    const ended = await phones.callWhen(phone.sid, { status: 'failed' });
    expect(ended).toMatchObject({
      ended_reason: 'platform_error',
      transfer: { status: 'canceled' },
    });
    await until('the end', async () => (await phones.events(call)).includes('conversation.ended'));
  },
  60_000,
);

test.runIf(isNightly)(
  'killed before it told whom to ring: the next one tells',
  async () => {
    const { phone, call } = await callAtVictim('transfer.ringing=kill');
    await expect(phone.handedOff()).rejects.toThrow();
    const { verbs } = await ask(phone, call, '', { SessionStatus: 'ended' });
    await talkToTheEnd(phone, call, verbs);
  },
  60_000,
);

test.runIf(isNightly)(
  'killed as the caller came back: the next one connects them, and they are told once',
  async () => {
    const { phone, call } = await callAtVictim('transfer.back=kill');
    const dial = dialled(victim.carrier, phone.sid, (await phone.handedOff()).verbs);
    await expect(dial.over('busy')).rejects.toThrow();
    const { verbs } = await ask(phone, call, '&transfer=1', { DialCallStatus: 'busy' });
    const again = await phones.carrier.connect(phone.sid, verbs);
    await again.hears('nobody answered there');
    const turns = await phones.transcript(call);
    expect(turns.filter((turn) => turn.includes('nobody answered'))).toHaveLength(1);
    await again.hangUp();
    await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'user_hangup' });
  },
  60_000,
);

// Kills at the second commit of a conversation; the first is its beginning.
test.each([
  'conversation.committing=kill@2',
  ...(isNightly ? ['conversation.committed=kill@2'] : []),
])(
  '%s, as somebody picked up: the end of their talk brings what is missing',
  async (failpoints) => {
    const { phone, call } = await callAtVictim(failpoints);
    const dial = dialled(victim.carrier, phone.sid, (await phone.handedOff()).verbs);
    await expect(dial.pickUp()).rejects.toThrow();
    await ask(phone, call, '&transfer=1', { DialCallStatus: 'completed' });
    await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
    await until('all events', async () => (await phones.events(call)).length === 3);
    expect(await phones.events(call)).toEqual([
      'conversation.started',
      'conversation.ended',
      'conversation.transcript.ready',
    ]);
  },
  60_000,
);
