import { z } from 'zod';

/**
 * Frames of Media Streams, which Twilio and Fonoster send alike: JSON, one object each, with numbers as
 * strings. Members that we do not use are not looked at.
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

/** Those that Telnyx sends alike. */
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
      /** The number of this frame, from 1, and the ms of the stream that it begins at. */
      chunk: whole.optional(),
      timestamp: whole.optional(),
      payload: z.string(),
    }),
  }),
]);

export type MediaFrame = z.output<typeof Frame>;
export type StartFrame = z.output<typeof Start>['start'];
export type Media = Extract<MediaFrame, { event: 'media' }>['media'];

/** undefined: it is no frame that we know; a carrier may send new ones. */
export function readMediaFrame(text: string): MediaFrame | undefined {
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** µ-law of one channel at 8 kHz: all that there is by telephone. What a carrier does not say is that. */
export function isMuLaw({ mediaFormat }: StartFrame): boolean {
  if (!mediaFormat) return true;
  const { encoding, sampleRate, channels = 1 } = mediaFormat;
  return encoding === 'audio/x-mulaw' && sampleRate === 8_000 && channels === 1;
}

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

export const soundFrame = (streamSid: string, bytes: Uint8Array): string =>
  JSON.stringify({ event: 'media', streamSid, media: { payload: base64Of(bytes) } });
export const markFrame = (streamSid: string, name: string): string =>
  JSON.stringify({ event: 'mark', streamSid, mark: { name } });
export const clearFrame = (streamSid: string): string =>
  JSON.stringify({ event: 'clear', streamSid });
