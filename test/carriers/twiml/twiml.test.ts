import { expect, test } from 'vitest';
import {
  dialTwiml,
  goodbyeTwiml,
  relayTwiml,
  streamTwiml,
} from '../../../src/carriers/twiml/twiml.ts';
import { readTwiml } from '../../calls/phone/read-twiml.ts';

test('the socket, what it is handed, and who is asked when it is over', () => {
  const xml = relayTwiml(
    {
      url: 'wss://parley.example/v1/telephony/twilio/relay',
      action: 'https://parley.example/v1/telephony/twilio/voice?call=call_1&x="<>',
      language: 'en-GB',
      token: `a"b'c&d`,
    },
    { ttsProvider: 'ElevenLabs' },
  );
  expect(readTwiml(xml)).toEqual([
    {
      name: 'Connect',
      attributes: { action: 'https://parley.example/v1/telephony/twilio/voice?call=call_1&x="<>' },
      text: '',
      inside: [
        {
          name: 'ConversationRelay',
          attributes: {
            url: 'wss://parley.example/v1/telephony/twilio/relay',
            language: 'en-GB',
            ttsProvider: 'ElevenLabs',
            interruptible: 'any',
            ignoreBackchannel: 'true',
            dtmfDetection: 'true',
          },
          text: '',
          inside: [
            {
              name: 'Parameter',
              attributes: { name: 'token', value: `a"b'c&d` },
              text: '',
              inside: [],
            },
          ],
        },
      ],
    },
  ]);
});

test('another number is rung, and who picks up is told of', () => {
  const [dial, ...more] = readTwiml(
    dialTwiml({
      to: '+442079460000',
      callerId: '+442071838750',
      ringSec: 30,
      action: 'https://parley.example/v1/telephony/twilio/voice?call=call_1&transfer=2',
      answered: 'https://parley.example/v1/telephony/twilio/status?call=call_1&transfer=2',
    }),
  );
  expect(more).toEqual([]);
  expect(dial).toEqual({
    name: 'Dial',
    attributes: {
      action: 'https://parley.example/v1/telephony/twilio/voice?call=call_1&transfer=2',
      callerId: '+442071838750',
      timeout: '30',
    },
    text: '',
    inside: [
      {
        name: 'Number',
        attributes: {
          statusCallback:
            'https://parley.example/v1/telephony/twilio/status?call=call_1&transfer=2',
          statusCallbackEvent: 'answered',
        },
        text: '+442079460000',
        inside: [],
      },
    ],
  });
});

test('what a tenant wrote is said, and is no XML', () => {
  const said = `<Dial>+1900</Dial> & "so" on \u0000\u000b\ud800 ☎`;
  const [say, hangUp] = readTwiml(goodbyeTwiml(said, 'de'));
  expect(say).toEqual({
    name: 'Say',
    attributes: { language: 'de-DE' },
    text: '<Dial>+1900</Dial> & "so" on  ☎',
    inside: [],
  });
  expect(hangUp?.name).toBe('Hangup');
});

test('a stream of sound, with what it is handed', () => {
  const url = 'wss://parley.example/v1/telephony/twilio/media';
  const action = 'https://parley.example/v1/telephony/twilio/voice?call=call_1&stream=1';
  const parameter = { name: 'Parameter', attributes: { name: 'token', value: 't<' } };
  const stream = { name: 'Stream', attributes: { url }, text: '' };
  expect(readTwiml(streamTwiml({ url, action, token: 't<' }))).toEqual([
    {
      name: 'Connect',
      attributes: { action },
      text: '',
      inside: [{ ...stream, inside: [{ ...parameter, text: '', inside: [] }] }],
    },
  ]);
});

test('a language without a region has one wherever a carrier reads it', () => {
  const relay = relayTwiml({ url: 'wss://x', action: 'https://x', language: 'de', token: 't' });
  const [connect] = readTwiml(relay);
  expect(connect!.inside[0]!.attributes).toMatchObject({ language: 'de-DE' });
  const [say] = readTwiml(goodbyeTwiml('Auf Wiederhören.', 'de'));
  expect(say!.attributes).toEqual({ language: 'de-DE' });
});

test('without a language the carrier takes its own', () => {
  const relay = relayTwiml({
    url: 'wss://x',
    action: 'https://x',
    language: undefined,
    token: 't',
  });
  expect(relay).not.toContain('language');
  expect(goodbyeTwiml('Goodbye.')).not.toContain('language');
});
