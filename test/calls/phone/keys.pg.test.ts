import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { until as untilInRealTime } from '../../until.ts';
import { passTime, until } from '../passing-time.ts';
import { startAnother } from './another-api.ts';
import { dialled } from './dialled.ts';
import { startMediaFixture, type MediaFixture } from './media-setup.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';

/** The agent presses keys, and a process that does not hold the line requests transfers. */

const responder = scriptedResponder();
let phones: PhoneFixture;
beforeEach(() => {
  passTime();
  responder.play(echo);
});

const press = ({ id }: { id: string }, digits: string) =>
  phones.api.call('POST', `/v1/calls/${id}/dtmf`, { json: { digits } });

describe('by ConversationRelay', () => {
  beforeAll(async () => {
    phones = await startPhoneFixture({ responder });
  });
  afterAll(() => phones?.stop());

  let other: Awaited<ReturnType<typeof startAnother>> | undefined;
  afterEach(async () => {
    await other?.stop();
    other = undefined;
  });

  test('keys go to the carrier, in their order', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    expect(await press(call, '1w2#')).toMatchObject({ status: 202, body: { id: call.id } });
    await press(call, '*A');
    await until('the keys', () => keysSentTo(phone) === '1w2#*A');
    expect(await phones.transcript(call)).toEqual([`agent: ${GREETING}`]);
    await phone.hangUp();
    expect(await press(call, '1')).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  });

  test('a line that another process holds does what is asked at once', async () => {
    other = await startAnother(phones, { responder });
    const phone = await other.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    await press(call, '42');
    // Held time does not pass meanwhile, so the keys cannot come by a renewal of the lease.
    await untilInRealTime('the keys', () => keysSentTo(phone) === '42');
    await phones.api.call('POST', `/v1/calls/${call.id}/transfer`, {
      json: { to: '+442079460000' },
    });
    const { verbs } = await phone.handedOff();
    expect(dialled(phones.carrier, phone.sid, verbs).to).toBe('+442079460000');
  });

  test('where the word of it is lost, the next renewal of its lease brings it', async () => {
    // Started while time is held, so that its renewals are held too.
    other = await startAnother(phones, { responder });
    const phone = await other.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    await phones.api.engine.pool.query(`update calls set keys_to_press = '7' where id = $1`, [
      toUuid('call', call.id),
    ]);
    await until('the key', () => keysSentTo(phone) === '7');
    await phone.hangUp();
  });

  test.each(['x', '1 2', 'W', '1'.repeat(33), 'a'])('%j is no keys', async (digits) => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    const refused = await press(call, digits);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/digits' }] } });
    await phone.hangUp();
  });

  test('keys that nobody presses are not more and more', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    await phone.cut();
    for (let times = 0; times < 4; times += 1)
      expect((await press(call, '1'.repeat(32))).status).toBe(202);
    expect(await press(call, '1')).toMatchObject({
      status: 409,
      body: { code: 'call_not_connected' },
    });
  });
});

describe('by Media Streams', () => {
  let media: MediaFixture;
  beforeAll(async () => {
    media = await startMediaFixture({ responder });
    phones = media;
  });
  afterAll(() => media?.stop());

  test('keys are tones in the sound, after what was said before and before what is said then', async () => {
    const phone = await media.ring();
    await phone.hears(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    await press(call, '1w9#');
    await until('the keys', () => phone.keys() === '19#');
    await phone.say('Hello?');
    await phone.heardWhole('You said: Hello?');
    expect(phone.heard()).toEqual([GREETING, '♪', '♪', '♪', 'You said: Hello?']);
    expect(await phones.transcript(call)).toEqual([
      `agent: ${GREETING}`,
      'user: Hello?',
      'agent: You said: Hello?',
    ]);
    await phone.hangUp();
  });

  test('who speaks into the keys does not stop them, nor those that wait behind a reply', async () => {
    const phone = await media.ring();
    await phone.heardWhole(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    await press(call, '1234567');
    await until('the first key', () => phone.keys().startsWith('1'));
    await phone.say('Please listen carefully.', 0.9);
    await until('all keys', () => phone.keys() === '1234567');
    await phone.heardWhole('You said: Please listen carefully.');
    expect((await phones.transcript(call)).slice(1)).toEqual([
      'user: Please listen carefully.',
      'agent: You said: Please listen carefully.',
    ]);
    const story =
      'This is a sentence that is told at leisure, until somebody falls in with a question.';
    responder.play(async ({ emitToken }) => {
      emitToken(`${story} ${story}`);
      return { text: `${story} ${story}` };
    });
    await phone.say('Tell me.');
    await phone.hears(story);
    await press(call, '89');
    responder.play(echo);
    await phone.say('Stop, please!', 0.9);
    await until('the keys behind it', () => phone.keys() === '123456789');
    await phone.hangUp();
  });

  test('a call is given away, comes back, and is given away again', async () => {
    const phone = await media.ring();
    await phone.heardWhole(GREETING);
    const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
    const transfer = () =>
      phones.api.call('POST', `/v1/calls/${call.id}/transfer`, { json: { to: '+442079460000' } });
    expect((await transfer()).status).toBe(202);
    const dial = dialled(phones.carrier, phone.sid, (await phone.handedOff()).verbs);
    const { verbs } = await dial.over('no-answer');
    const again = await media.connect(phone.sid, verbs);
    await again.heardWhole('How else can I help you?');
    expect(again.heard()).toEqual([
      'I am sorry, nobody answered there.',
      'How else can I help you?',
    ]);
    expect((await transfer()).status).toBe(202);
    const second = dialled(phones.carrier, phone.sid, (await again.handedOff()).verbs);
    await second.pickUp();
    await second.over('completed', 'completed');
    await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
  });
});

function keysSentTo({ frames }: { frames: { frame: Record<string, unknown> }[] }): string {
  const sent = frames.filter(({ frame }) => frame['type'] === 'sendDigits');
  return sent.map(({ frame }) => String(frame['digits'])).join('');
}
