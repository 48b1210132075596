import { z } from 'zod';
import type { MediaFrames } from '../carrier.ts';
import { base64Of, type MediaFrame } from '../media.ts';
import { tokenIn } from './extra-headers.ts';

const whole = z.coerce.number().int().min(0);

/** Frames that Plivo sends on an audio socket. Unknown properties are ignored. */
const Start = z.object({
  event: z.literal('start'),
  start: z.object({
    callId: z.string().min(1).max(256),
    streamId: z.string().min(1).max(256),
    mediaFormat: z.object({ encoding: z.string(), sampleRate: whole }).nullish(),
  }),
  extra_headers: z.string().max(1_024).nullish(),
});

const Frame = z.discriminatedUnion('event', [
  Start,
  z.object({
    event: z.literal('media'),
    media: z.object({
      track: z.string().optional(),
      chunk: whole.optional(),
      /** Unix time in ms. */
      timestamp: whole.optional(),
      payload: z.string(),
    }),
  }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().max(1) }) }),
  z.object({ event: z.literal('playedStream'), name: z.string().max(256) }),
  z.object({ event: z.literal('clearedAudio') }),
  z.object({ event: z.literal('stop') }),
]);

function read(text: string): MediaFrame | undefined {
  try {
    const frame = Frame.safeParse(JSON.parse(text)).data;
    return frame && neutral(frame);
  } catch {
    return undefined;
  }
}

function neutral(frame: z.output<typeof Frame>): MediaFrame {
  switch (frame.event) {
    case 'start': {
      const { callId, mediaFormat, streamId } = frame.start;
      const customParameters = { token: tokenIn(frame.extra_headers ?? undefined) };
      const start = { streamSid: streamId, callSid: callId, customParameters, mediaFormat };
      return { event: 'start', start };
    }
    case 'playedStream':
      return { event: 'mark', mark: { name: frame.name } };
    // Plivo sends this frame after it has dropped audio, and Parley ignores it. Plivo never reports the checkpoints in
    // dropped audio.
    case 'clearedAudio':
      return { event: 'connected' };
    case 'media':
    case 'dtmf':
    case 'stop':
      return frame;
    default:
      return frame satisfies never;
  }
}

export const PLIVO_MEDIA: MediaFrames = {
  read,
  sound: (_, bytes) => {
    const media = { contentType: 'audio/x-mulaw', sampleRate: 8_000, payload: base64Of(bytes) };
    return JSON.stringify({ event: 'playAudio', media });
  },
  mark: (streamId, name) => JSON.stringify({ event: 'checkpoint', streamId, name }),
  clear: (streamId) => JSON.stringify({ event: 'clearAudio', streamId }),
};
