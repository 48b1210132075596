import { z } from 'zod';
import type { MediaFrames } from '../carrier.ts';
import { base64Of, type MediaFrame } from '../media.ts';
import { ALIKE, whole } from '../twiml/media-frames.ts';

/**
 * Frames that Telnyx sends on an audio socket. They are Twilio's frames with different property names, and with the
 * stream ID at the top level. Unknown properties are ignored. The `timestamp` of a media frame is also ignored, because
 * its unit is not documented.
 */
const Start = z.object({
  event: z.literal('start'),
  stream_id: z.string().min(1).max(256),
  start: z.object({
    call_control_id: z.string().min(1).max(256),
    custom_parameters: z.record(z.string(), z.unknown()).nullish(),
    media_format: z
      .object({ encoding: z.string(), sample_rate: whole, channels: whole.optional() })
      .nullish(),
  }),
});

const Frame = z.discriminatedUnion('event', [
  ...ALIKE,
  Start,
  z.object({
    event: z.literal('media'),
    media: z.object({
      track: z.string().optional(),
      chunk: whole.optional(),
      payload: z.string(),
    }),
  }),
]);

/** Names of audio encodings. Telnyx uses PCMU, which is the RTP name for µ-law. */
const ENCODINGS: Record<string, string> = { PCMU: 'audio/x-mulaw' };

function read(text: string): MediaFrame | undefined {
  try {
    const frame = Frame.safeParse(JSON.parse(text)).data;
    return frame?.event === 'start' ? startOf(frame) : frame;
  } catch {
    return undefined;
  }
}

/** Converts a start frame to Twilio's form. */
function startOf({ start, stream_id: streamSid }: z.output<typeof Start>): MediaFrame {
  const { call_control_id: callSid, custom_parameters: customParameters, media_format } = start;
  const mediaFormat = media_format && {
    encoding: ENCODINGS[media_format.encoding] ?? media_format.encoding,
    sampleRate: media_format.sample_rate,
    channels: media_format.channels,
  };
  return { event: 'start', start: { streamSid, callSid, customParameters, mediaFormat } };
}

export const TELNYX_MEDIA: MediaFrames = {
  read,
  sound: (_, bytes) => JSON.stringify({ event: 'media', media: { payload: base64Of(bytes) } }),
  mark: (_, name) => JSON.stringify({ event: 'mark', mark: { name } }),
  clear: () => JSON.stringify({ event: 'clear' }),
};
