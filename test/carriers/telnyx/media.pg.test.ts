import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { passTime } from '../../calls/passing-time.ts';
import { connectMediaPhone } from '../../calls/phone/media-phone.ts';
import type { MediaFixture } from '../../calls/phone/media-setup.ts';
import { GREETING, NUMBER } from '../../calls/phone/phone-setup.ts';
import { startTelnyxMediaFixture } from './telnyx-setup.ts';
import { answerInMarkdown, MARKDOWN, WORDS } from '../../voice/playout/markdown-answer.ts';

/** Sound in both directions over Telnyx' media streaming. */

const responder = scriptedResponder();
let phones: MediaFixture;
beforeAll(async () => {
  phones = await startTelnyxMediaFixture({ responder });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

test('its TeXML asks for sound both ways, as µ-law', async () => {
  const { verbs } = await phones.carrier.ring(NUMBER);
  expect(verbs[0]!.inside).toMatchObject([
    {
      name: 'Stream',
      attributes: {
        url: `${phones.api.url.replace('http', 'ws')}/v1/telephony/telnyx/media`,
        track: 'inbound_track',
        codec: 'PCMU',
        bidirectionalMode: 'rtp',
        bidirectionalCodec: 'PCMU',
      },
      inside: [{ name: 'Parameter', attributes: { name: 'token', value: expect.anything() } }],
    },
  ]);
});

test('a call is greeted, heard, answered and interrupted, and the transcript keeps what was heard', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  await phone.say('How much is Tide 500?');
  await phone.heardWhole('You said: How much is Tide 500?');
  const rest = ['It is a long story.', 'It goes on for a while, and then some more of it comes.'];
  responder.play(async ({ emitToken }) => {
    const text = [...rest, ...Array(5).fill(rest[1])].join(' ');
    emitToken(text);
    return { text };
  });
  await phone.say('Tell me more.');
  await phone.hears(rest[1]!);
  responder.play(echo);
  await phone.say('Stop, please!', 0.9);
  await phone.heardWhole('You said: Stop, please!');
  expect(phone.came.filter(({ event }) => event === 'clear')).toHaveLength(1);
  for (const digit of '42#') phone.press(digit);
  await phone.heardWhole('You said: 42');
  await phone.hangUp();
  const ended = await phones.callWhen(phone.sid, { status: 'completed' });
  const [greeting, asked, answered, more, told, ...after] = await phones.transcript(ended);
  expect([greeting, asked, answered, more]).toEqual([
    `agent: ${GREETING}`,
    'user: How much is Tide 500?',
    'agent: You said: How much is Tide 500?',
    'user: Tell me more.',
  ]);
  expect(told).toMatch(/^agent: It is a long story\. .*\(interrupted\)$/);
  expect(after).toEqual([
    'user: Stop, please!',
    'agent: You said: Stop, please!',
    'user: 42',
    'agent: You said: 42',
  ]);
});

test('of a reply in Markdown the voice gets words, and the transcript keeps it as it is written', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  responder.play(answerInMarkdown);
  await phone.say('How long does it take?');
  for (const sentence of WORDS) await phone.heardWhole(sentence);
  expect(phone.heard().slice(1)).toEqual(WORDS);
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toContain(`agent: ${MARKDOWN}`);
  await phone.hangUp();
});

test('frames that carry nobody’s names are Telnyx’ own: no stream’s id is sent', async () => {
  const { sid, verbs } = await phones.carrier.ring(NUMBER);
  const phone = await connectMediaPhone(phones.carrier, phones.speech, { sid, verbs });
  await phone.heardWhole(GREETING);
  expect(phone.raw.map((frame) => Object.keys(frame).toSorted().join())).toEqual(
    expect.arrayContaining(['event,media', 'event,mark']),
  );
  expect(phone.raw.filter((frame) => 'streamSid' in frame)).toEqual([]);
  await phone.hangUp();
});

test.each([
  ['PCMA', 1003],
  ['G722', 1003],
])('a call in %s is none that we hear', async (encoding, code) => {
  const media_format = { encoding, sample_rate: 8000, channels: 1 };
  const phone = await phones.ring({ start: { media_format } });
  expect(await phone.closed).toBe(code);
});

test('a start without the token of the call opens nothing', async () => {
  const phone = await phones.ring({ start: { custom_parameters: {} } });
  expect(await phone.closed).toBe(1008);
});
