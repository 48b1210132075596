import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { passTime } from '../passing-time.ts';
import { startAnother } from './another-api.ts';
import { startMediaFixture, type MediaFixture } from './media-setup.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';

/** A first message that ignores interruptions, and the line's own sentences in the agent's language. */

const responder = scriptedResponder();
const AGENT = { first_message_interruptible: false, language: 'de' };
beforeEach(() => {
  passTime();
  responder.play(echo);
});

describe('by ConversationRelay', () => {
  let phones: PhoneFixture;
  beforeAll(async () => {
    phones = await startPhoneFixture({ responder }, { agent: AGENT });
  });
  afterAll(() => phones?.stop());

  test('its words are not to be interrupted, what is said into them is told, and a reply is as ever', async () => {
    const { sid, verbs } = await phones.carrier.ring(NUMBER);
    expect(verbs[0]!.inside[0]!.attributes).toMatchObject({
      interruptible: 'any',
      reportInputDuringAgentSpeech: 'any',
    });
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    phone.say('Do you have a tandem?');
    await phone.hears('You said: Do you have a tandem?');
    const texts = phone.frames.filter(({ frame }) => frame['type'] === 'text');
    expect(texts.map(({ frame }) => frame)).toEqual([
      { type: 'text', token: GREETING, last: false, interruptible: false },
      { type: 'text', token: '', last: true, interruptible: false },
      { type: 'text', token: 'You said: Do you have a tandem?', last: false },
      { type: 'text', token: '', last: true },
    ]);
    await phone.hangUp();
    expect(await phones.transcript(await phones.callWhen(sid, { status: 'completed' }))).toEqual([
      `agent: ${GREETING}`,
      'user: Do you have a tandem?',
      'agent: You said: Do you have a tandem?',
    ]);
  });

  test('a process that stops says so in the language of the agent', async () => {
    const other = await startAnother(phones, { responder });
    const phone = await other.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const stopped = other.stop();
    await phone.hears('dieser Anruf muss enden');
    await stopped;
  });

  test('so does a number whose agent went away as it rang', async () => {
    const { sid, verbs } = await phones.carrier.ring(NUMBER);
    await phones.api.call('DELETE', `/v1/agents/${phones.agentId}`);
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears('im Moment kann niemand Ihren Anruf annehmen');
    await phones.callWhen(sid, { status: 'failed' });
  });
});

describe('by Media Streams', () => {
  let phones: MediaFixture;
  const greeting =
    'This is the shop and it tells you so at its leisure because the law wants whoever calls it to hear all of it';
  beforeAll(async () => {
    phones = await startMediaFixture(
      { responder },
      { agent: { ...AGENT, first_message: greeting } },
    );
  });
  afterAll(() => phones?.stop());

  test('who speaks into it clears nothing and is answered after it', async () => {
    const phone = await phones.ring();
    await phone.hears(greeting);
    await phone.say('Do you have a tandem?', 0.6);
    await phone.heardWhole('You said: Do you have a tandem?');
    expect(phone.heard()).toEqual([greeting, 'You said: Do you have a tandem?']);
    // The whole greeting, at ten ms a character.
    expect(phone.framesOf(greeting)).toBe(Math.ceil(greeting.length / 2));
    expect(phone.came.some(({ event }) => event === 'clear')).toBe(false);
    await phone.hangUp();
    expect(
      await phones.transcript(await phones.callWhen(phone.sid, { status: 'completed' })),
    ).toEqual([
      `agent: ${greeting}`,
      'user: Do you have a tandem?',
      'agent: You said: Do you have a tandem?',
    ]);
  });
});
