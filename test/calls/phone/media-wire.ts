import { FRAME_MS } from '../paced-sound.ts';
import { ACCOUNT } from './account.ts';

/** Writes the frames of sound that a carrier sends. */
export type Wire = {
  /** `parameters` come from the TwiML. `over` replaces properties of the frame. */
  start: (call: { sid: string; parameters: object; over: object | undefined }) => object;
  /** Writes the frame with this number, from 1. Each has 20 ms. */
  media: (count: number, payload: string) => object;
  dtmf: (digit: string) => object;
  mark: (name: string) => object;
  stop: (sid: string) => object;
};

const streamSid = 'MZ1';

export const TWILIO_WIRE: Wire = {
  start: ({ sid, parameters, over }) => ({
    event: 'start',
    sequenceNumber: '1',
    streamSid,
    start: {
      streamSid,
      accountSid: ACCOUNT,
      callSid: sid,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: parameters,
      ...over,
    },
  }),
  media: (count, payload) => ({
    event: 'media',
    sequenceNumber: String(count + 1),
    streamSid,
    media: {
      track: 'inbound',
      chunk: String(count),
      timestamp: String((count - 1) * FRAME_MS),
      payload,
    },
  }),
  dtmf: (digit) => ({ event: 'dtmf', streamSid, dtmf: { track: 'inbound_track', digit } }),
  mark: (name) => ({ event: 'mark', streamSid, mark: { name } }),
  stop: (sid) => ({ event: 'stop', streamSid, stop: { accountSid: ACCOUNT, callSid: sid } }),
};
