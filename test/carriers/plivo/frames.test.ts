import { expect, test } from 'vitest';
import { toHeaderValue, tokenIn } from '../../../src/carriers/plivo/extra-headers.ts';
import { PLIVO_MEDIA } from '../../../src/carriers/plivo/plivo-frames.ts';

/** Frames of Plivo's audio streaming. */

const read = (frame: unknown) =>
  PLIVO_MEDIA.read(typeof frame === 'string' ? frame : JSON.stringify(frame));
const TOKEN = 'a-token_of.the call';
const start = {
  event: 'start',
  sequenceNumber: 1,
  start: {
    callId: 'c-1',
    streamId: 's-1',
    accountId: 'MA1',
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
  },
  extra_headers: `token=${toHeaderValue(TOKEN)}`,
};

test('a stream starts with its call and the token that the answer handed over', () => {
  expect(read(start)).toEqual({
    event: 'start',
    start: {
      streamSid: 's-1',
      callSid: 'c-1',
      customParameters: { token: TOKEN },
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
    },
  });
  expect(read({ ...start, extra_headers: undefined })).toMatchObject({
    start: { customParameters: { token: undefined } },
  });
});

test.each([
  [
    {
      event: 'media',
      streamId: 's-1',
      media: { track: 'inbound', timestamp: '1705312200000', chunk: 41, payload: '/w==' },
    },
    {
      event: 'media',
      media: { track: 'inbound', timestamp: 1_705_312_200_000, chunk: 41, payload: '/w==' },
    },
  ],
  [
    { event: 'media', media: { payload: '/w==' } },
    { event: 'media', media: { payload: '/w==' } },
  ],
  [
    { event: 'dtmf', streamId: 's-1', dtmf: { track: 'inbound', digit: '5' } },
    { event: 'dtmf', dtmf: { digit: '5' } },
  ],
  [
    { event: 'playedStream', streamId: 's-1', name: 's4' },
    { event: 'mark', mark: { name: 's4' } },
  ],
  [{ event: 'clearedAudio', streamId: 's-1' }, { event: 'connected' }],
  [{ event: 'stop' }, { event: 'stop' }],
  [{ event: 'emotion' }, undefined],
  [{ event: 'playedStream' }, undefined],
  [{ ...start, start: { ...start.start, callId: '' } }, undefined],
  [{ ...start, start: { ...start.start, streamId: '' } }, undefined],
  ['{"event":"stop"', undefined],
])('%j', (frame, said) => {
  expect(read(frame)).toEqual(said);
});

test('sound, checkpoints and a clear are frames of Plivo', () => {
  expect(JSON.parse(PLIVO_MEDIA.sound('s-1', new Uint8Array([255, 0])))).toEqual({
    event: 'playAudio',
    media: { contentType: 'audio/x-mulaw', sampleRate: 8000, payload: '/wA=' },
  });
  expect(JSON.parse(PLIVO_MEDIA.mark('s-1', 's4'))).toEqual({
    event: 'checkpoint',
    streamId: 's-1',
    name: 's4',
  });
  expect(JSON.parse(PLIVO_MEDIA.clear('s-1'))).toEqual({ event: 'clearAudio', streamId: 's-1' });
});

const HEX = toHeaderValue(TOKEN);
test.each([
  [`token=${HEX}`, TOKEN],
  [`a=1;token=${HEX};b=2`, TOKEN],
  [`a=1,token=${HEX}`, TOKEN],
  [`{X-PH-token: ${HEX}}`, TOKEN],
  [`{"x-ph-token":"${HEX}"}`, TOKEN],
  [`other=${HEX}`, undefined],
  [`mytoken=${HEX}`, undefined],
  ['token=', undefined],
  ['token=no-hex', undefined],
  ['', undefined],
  [undefined, undefined],
])('extra headers %s', (headers, token) => {
  expect(tokenIn(headers)).toBe(token);
});

test('a token has letters and digits only on its way', () => {
  expect(HEX).toMatch(/^[A-Za-z0-9]+$/);
});
