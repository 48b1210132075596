import { z } from 'zod';
import type { MediaFrames } from '../carrier.ts';
import { base64Of, type MediaFrame } from '../media.ts';

/**
 * Schema of a number in a Media Streams frame. Twilio and Fonoster send the same frames: each is a JSON object in which
 * numbers may be strings. Unknown properties are ignored.
 */
export const whole = z.coerce.number().int().min(0);

const Start = z.object({
  event: z.literal('start'),
  start: z.object({
    streamSid: z.string().min(1).max(256),
    callSid: z.string().min(1).max(256),
    customParameters: z.record(z.string(), z.unknown()).nullish(),
    mediaFormat: z
      .object({ encoding: z.string(), sampleRate: whole, channels: whole.optional() })
      .nullish(),
  }),
});

/** Schemas of frames that have the same form at Twilio and Telnyx. */
export const ALIKE = [
  z.object({ event: z.literal('connected') }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().max(1) }) }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string().max(256) }) }),
  z.object({ event: z.literal('stop') }),
] as const;

const Frame = z.discriminatedUnion('event', [
  ...ALIKE,
  Start,
  z.object({
    event: z.literal('media'),
    media: z.object({
      track: z.string().optional(),
      chunk: whole.optional(),
      timestamp: whole.optional(),
      payload: z.string(),
    }),
  }),
]);

/** Parses a frame. Returns undefined for an unknown frame. Carriers may introduce new ones at any time. */
export function readMediaFrame(text: string): MediaFrame | undefined {
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const soundFrame = (streamSid: string, bytes: Uint8Array): string =>
  JSON.stringify({ event: 'media', streamSid, media: { payload: base64Of(bytes) } });
export const markFrame = (streamSid: string, name: string): string =>
  JSON.stringify({ event: 'mark', streamSid, mark: { name } });
export const clearFrame = (streamSid: string): string =>
  JSON.stringify({ event: 'clear', streamSid });

export const TWILIO_MEDIA: MediaFrames = {
  read: readMediaFrame,
  sound: soundFrame,
  mark: markFrame,
  clear: clearFrame,
};
