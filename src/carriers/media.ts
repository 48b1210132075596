/** A frame of sound on a carrier's socket, whatever the carrier calls it: mono µ-law at 8 kHz. */

export type MediaFrame =
  /** A frame without use here. */
  | { event: 'connected' }
  | { event: 'start'; start: StartFrame }
  | { event: 'media'; media: Media }
  | { event: 'dtmf'; dtmf: { digit: string } }
  /** The carrier has played or dropped all sound before this mark. */
  | { event: 'mark'; mark: { name: string } }
  | { event: 'stop' };

export type StartFrame = {
  streamSid: string;
  callSid: string;
  /** Parameters from the answer to the call. */
  customParameters?: Record<string, unknown> | null | undefined;
  mediaFormat?: MediaFormat | null | undefined;
};

export type MediaFormat = { encoding: string; sampleRate: number; channels?: number | undefined };

export type Media = {
  track?: string | undefined;
  /** Number of this frame, from 1, and its start in ms of the stream. */
  chunk?: number | undefined;
  timestamp?: number | undefined;
  /** Base64. */
  payload: string;
};

/**
 * Returns whether the sound is mono µ-law at 8 kHz, the only format by telephone. A carrier that does not report a
 * format sends this one.
 */
export function isMuLaw({ mediaFormat }: StartFrame): boolean {
  if (!mediaFormat) return true;
  const { encoding, sampleRate, channels = 1 } = mediaFormat;
  return encoding === 'audio/x-mulaw' && sampleRate === 8_000 && channels === 1;
}

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
