import { expect, test } from '@jest/globals';
import {
  goodbyeTwiml,
  relayTwiml,
  streamTwiml,
} from '../../../../src/calls/carriers/twilio/twiml.ts';
import { readTwiml } from './read-twiml.ts';

test('the socket, what it is handed, and who is asked when it is over', () => {
  const xml = relayTwiml({
    url: 'wss://parley.example/v1/telephony/twilio/relay',
    action: 'https://parley.example/v1/telephony/twilio/voice?call=call_1&x="<>',
    language: 'en-GB',
    voice: undefined,
    ttsProvider: 'ElevenLabs',
    parameters: { token: `a"b'c&d` },
  });
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

test('what a tenant wrote is said, and is no XML', () => {
  const said = `<Dial>+1900</Dial> & "so" on \u0000\u000b\ud800 ☎`;
  const [say, hangUp] = readTwiml(goodbyeTwiml(said, 'de'));
  expect(say).toEqual({
    name: 'Say',
    attributes: { language: 'de' },
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
  expect(readTwiml(streamTwiml({ url, action, parameters: { token: 't<' } }))).toEqual([
    {
      name: 'Connect',
      attributes: { action },
      text: '',
      inside: [{ ...stream, inside: [{ ...parameter, text: '', inside: [] }] }],
    },
  ]);
});
