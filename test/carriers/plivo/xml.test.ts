import { expect, test } from 'vitest';
import { tokenIn } from '../../../src/carriers/plivo/extra-headers.ts';
import { PLIVO_ANSWERS } from '../../../src/carriers/plivo/plivo-xml.ts';
import { readTwiml } from '../../calls/phone/read-twiml.ts';

/** Instructions for Plivo. */

const ACTION = 'https://parley.example/v1/telephony/plivo/voice?call=call_1&stream=1';

test('a stream goes both ways and is followed by the question what is next', () => {
  const url = 'wss://parley.example/v1/telephony/plivo/media';
  const verbs = readTwiml(PLIVO_ANSWERS.stream({ url, action: ACTION, token: 't-1_' }));
  expect(verbs).toEqual([
    {
      name: 'Stream',
      attributes: {
        bidirectional: 'true',
        audioTrack: 'inbound',
        keepCallAlive: 'true',
        contentType: 'audio/x-mulaw;rate=8000',
        extraHeaders: expect.stringMatching(/^token=[0-9a-f]+$/),
      },
      text: url,
      inside: [],
    },
    { name: 'Redirect', attributes: { method: 'POST' }, text: ACTION, inside: [] },
  ]);
  expect(tokenIn(verbs[0]!.attributes['extraHeaders'])).toBe('t-1_');
});

test('another number is rung without plus signs, and whoever picks up is reported', () => {
  const answered = 'https://parley.example/v1/telephony/plivo/status?call=call_1&transfer=1';
  const dial = { to: '+442079460000', callerId: '+442071838750', ringSec: 30, action: ACTION };
  expect(readTwiml(PLIVO_ANSWERS.dial({ ...dial, answered }))).toEqual([
    {
      name: 'Dial',
      attributes: {
        action: ACTION,
        method: 'POST',
        callerId: '442071838750',
        timeout: '30',
        callbackUrl: answered,
        callbackMethod: 'POST',
      },
      text: '',
      inside: [{ name: 'Number', attributes: {}, text: '442079460000', inside: [] }],
    },
  ]);
});

test('what is said is spoken before the call is hung up, in a language with a region', () => {
  expect(readTwiml(PLIVO_ANSWERS.goodbye('Auf <Wiederhören> & so', 'de'))).toEqual([
    {
      name: 'Speak',
      attributes: { language: 'de-DE' },
      text: 'Auf <Wiederhören> & so',
      inside: [],
    },
    { name: 'Hangup', attributes: {}, text: '', inside: [] },
  ]);
  expect(readTwiml(PLIVO_ANSWERS.goodbye('Goodbye.'))[0]!.attributes).toEqual({});
  expect(readTwiml(PLIVO_ANSWERS.goodbye())).toMatchObject([{ name: 'Hangup' }]);
});

test('a call that is rejected is not answered', () => {
  for (const reason of ['busy', 'rejected'] as const)
    expect(readTwiml(PLIVO_ANSWERS.reject(reason))).toMatchObject([
      { name: 'Hangup', attributes: { reason } },
    ]);
  expect(readTwiml(PLIVO_ANSWERS.nothing)).toEqual([]);
  expect(readTwiml(PLIVO_ANSWERS.noted)).toEqual([]);
});
