import { afterAll, beforeAll, expect, test } from 'vitest';
import { NUMBER, startPhoneFixture, type PhoneFixture } from '../phone/phone-setup.ts';
import { until } from '../../until.ts';

/** A number is answered only in its hours. */

let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture();
});
afterAll(() => phones?.stop());

const ALWAYS = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from: '00:00',
  to: '24:00',
};
const OPEN = { time_zone: 'Europe/Berlin', open: [ALWAYS] };

/** Returns today's date in the zone, with the days before and after, so that the test does not fail at midnight. */
function closedNow(zone: string): string[] {
  const day = (ahead: number): string =>
    new Date(Date.now() + ahead * 86_400_000).toLocaleDateString('sv-SE', { timeZone: zone });
  return [day(-1), day(0), day(1)];
}

async function declare(hours: object | undefined, inbound: object | null = null) {
  const { data } = await phones.read('/v1/telephony_providers');
  const numbers = [{ number: NUMBER, agent: 'shop', ...(hours && { hours }) }];
  const path = `/v1/telephony_providers/${data[0].id}`;
  const patched = await phones.api.call('PATCH', path, { json: { numbers, inbound } });
  expect([patched.status, patched.body]).toMatchObject([200, { ready: true }]);
  return patched.body;
}

/** Rings until the first verb of the answer is this one: an API uses a changed provider within a second. */
const answered = (first: object) =>
  until(`an answer with ${JSON.stringify(first)}`, async () => {
    const { verbs } = await phones.carrier.ring(NUMBER);
    return isMatch(verbs[0], first) && verbs;
  });

const isMatch = (verb: unknown, wanted: object): boolean =>
  Object.entries(wanted).every(([name, value]) => Object(verb)[name] === value);

test('outside its hours a caller hears when somebody is back, and nothing is made of it', async () => {
  const hours = {
    ...OPEN,
    closed_on: closedNow('Europe/Berlin'),
    closed_message: 'We are back {{opens}}.',
  };
  expect(await declare(hours)).toMatchObject({ numbers: [{ number: NUMBER, hours }] });
  const { verbs } = await phones.carrier.ring(NUMBER);
  expect(verbs).toMatchObject([
    {
      name: 'Say',
      text: expect.stringMatching(/^We are back on .+ at 00:00 \(Europe\/Berlin\)\.$/),
    },
    { name: 'Hangup' },
  ]);
  expect((await phones.read('/v1/calls')).data).toEqual([]);
  expect((await phones.read('/v1/conversations')).data).toEqual([]);
});

test('without words of its own those of its provider are said, or it is not answered at all', async () => {
  const hours = { ...OPEN, closed_on: closedNow('Europe/Berlin') };
  await declare(hours, { closed_message: 'Nobody is here.' });
  const said = await answered({ name: 'Say', text: 'Nobody is here.' });
  expect(said.map(({ name }) => name)).toEqual(['Say', 'Hangup']);
  await declare(hours);
  expect(await answered({ name: 'Reject' })).toHaveLength(1);
});

test('in its hours, and without any, it is answered', async () => {
  await declare(OPEN);
  await answered({ name: 'Connect' });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears('Hello');
  await phone.hangUp();
  expect(await declare(undefined)).toMatchObject({ numbers: [{ number: NUMBER, agent: 'shop' }] });
  await (await phones.carrier.call(NUMBER)).hangUp();
});

test('a time zone that nobody knows is refused at its place', async () => {
  const { data } = await phones.read('/v1/telephony_providers');
  const hours = { ...OPEN, time_zone: 'Europe/Atlantis' };
  const numbers = [{ number: NUMBER, agent: 'shop', hours }];
  const refused = await phones.api.call('PATCH', `/v1/telephony_providers/${data[0].id}`, {
    json: { numbers },
  });
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/numbers/0/hours/time_zone', code: 'unknown_time_zone' }] },
  });
});
