import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { freePort } from '../../free-port.ts';
import { createCall } from '../../roles/api/api-setup.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../passing-time.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';
import { startStandIn, type StandIn } from './stand-in-carrier.ts';

/**
 * A process that holds calls is killed at each step of a call. Either the carrier connects the caller again, or the
 * call ends as failed once the lease of its line has run out, once and with all its events.
 */

const TO = '+447400123456';

let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture();
});
afterAll(() => phones?.stop());

/** Lets the lease of the line run out, and the lease of the step that dials. */
async function leaseRunsOut(id: string): Promise<void> {
  await phones.api.engine.pool.query(
    `update calls set line_until = line_until - interval '10 s', lease_until = lease_until - interval '10 s'
      where id = $1`,
    [toUuid('call', id)],
  );
}

type Victim = { parley: Parley; carrier: StandIn; url: string };

let victims: Victim[] = [];
afterEach(async () => {
  for (const { parley, carrier } of victims) {
    await parley.kill();
    await carrier.stop();
  }
  victims = [];
});

async function startVictim(failpoints = ''): Promise<Victim> {
  const port = await freePort();
  const parley = await startRole('api', {
    databaseUrl: phones.api.engine.databaseUrl,
    env: {
      PARLEY_PORT: String(port),
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PARLEY_FAILPOINTS: failpoints,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const victim = { parley, url, carrier: await startStandIn(url) };
  victims.push(victim);
  return victim;
}

const SHORT: [string, string, boolean][] = [
  ['as a turn was stored', 'conversation.committing=kill@2', true],
];
const MORE: typeof SHORT = [
  ['before its conversation began', 'line.taken=kill', false],
  ['as its conversation began', 'conversation.committing=kill@1', false],
  ['just after its conversation began', 'conversation.committed=kill@1', true],
  ['just after a turn was stored', 'conversation.committed=kill@2', true],
];
const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;

describe.each([...SHORT, ...(isNightly ? MORE : [])])('killed %s', (_, failpoints, isAnswered) => {
  test('the call ends when the lease of its line has run out, once', async () => {
    const victim = await startVictim(failpoints);
    const phone = await victim.carrier.call(NUMBER);
    const { sid } = phone;
    phones.carrier.statuses.set(sid, 'in-progress');
    if (failpoints.endsWith('@2')) {
      await phone.hears(GREETING);
      phone.say('How much is it?');
    }
    await phone.closed;
    await leaseRunsOut((await phones.callWhen(sid)).id);
    const call = await phones.callWhen(sid, { status: isAnswered ? 'failed' : 'no_answer' });
    await until('its carrier to be told', () => phones.carrier.hungUp.includes(sid));
    if (isAnswered) {
      await until('all events', async () => (await phones.events(call)).length >= 3);
      const types = (await phones.events(call)).filter((type) => type !== 'knowledge.gap.detected');
      expect(types).toEqual([
        'conversation.started',
        'conversation.ended',
        'conversation.transcript.ready',
      ]);
    } else expect(call.conversation_id).toBeNull();
  }, 60_000);
});

test.runIf(isNightly)(
  'a caller whose carrier connects them again goes on with the same conversation',
  async () => {
    const victim = await startVictim();
    const phone = await victim.carrier.call(NUMBER);
    await phone.hears(GREETING);
    phone.say('How much is it?');
    await until('the reply', () => phone.heard.length === 2);
    await victim.parley.kill();
    await phone.closed;
    // The carrier calls the Service, which has other pods.
    const call = await phones.callWhen(phone.sid);
    const sent = {
      AccountSid: 'AC00000000000000000000000000000001',
      CallSid: phone.sid,
      SessionStatus: 'failed',
      CallStatus: 'in-progress',
    };
    const { verbs } = await phones.carrier.post(`/v1/telephony/twilio/voice?call=${call.id}`, sent);
    const again = await phones.carrier.connect(phone.sid, verbs);
    again.say('Are you there?');
    await until('the reply', () => again.heard.length === 1);
    const now = await phones.callWhen(phone.sid, { status: 'in_progress' });
    expect(now.conversation_id).toBe(call.conversation_id);
    await again.hangUp();
    await phones.callWhen(phone.sid, { status: 'completed' });
    expect(await phones.events(call)).toEqual(
      expect.arrayContaining(['conversation.started', 'conversation.ended']),
    );
  },
  60_000,
);

test.each(['call.dialed=kill', ...(isNightly ? ['call.dialing=kill'] : [])])(
  'killed at %s: it rings once',
  async (failpoints) => {
    const { parley, url } = await startVictim(failpoints);
    const place = createCall(url, phones.api.key);
    const json = { agent_id: phones.agentId, provider: 'carrier', to: TO };
    const ringing = async () =>
      (await phones.read('/v1/calls?direction=outbound&status=ringing')).data[0];
    // Every process plays calls, so the test requests calls of the victim until the victim plays one itself.
    const exited = parley.exited.then(() => undefined);
    for (;;) {
      phones.carrier.placed.length = 0;
      await place('POST', '/v1/calls', { json }).catch(() => undefined); // The crash may lose the answer.
      const other = await Promise.race([exited, until('another process to play it', ringing)]);
      if (!other) break;
      await phones.api.call('POST', `/v1/calls/${other.id}/end`);
    }
    const { data: left } = await phones.read('/v1/calls?direction=outbound&status=queued');
    await leaseRunsOut(left[0].id);
    const call = await until('it to ring', ringing);
    expect(phones.carrier.placed).toHaveLength(1);
    expect(call.provider_call_id).toBe(phones.carrier.placed[0]!['CallSid']);
    await phones.api.call('POST', `/v1/calls/${call.id}/end`);
  },
  60_000,
);
