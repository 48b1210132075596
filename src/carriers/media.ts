/** Sound on a carrier's socket: µ-law of one channel at 8 kHz, whatever its frames are called. */

export type MediaFrame =
  /** Says nothing that is of use here. */
  | { event: 'connected' }
  | { event: 'start'; start: StartFrame }
  | { event: 'media'; media: Media }
  | { event: 'dtmf'; dtmf: { digit: string } }
  /** All sound before this mark was played, or dropped. */
  | { event: 'mark'; mark: { name: string } }
  | { event: 'stop' };

export type StartFrame = {
  streamSid: string;
  callSid: string;
  /** What the answer to the call handed over. */
  customParameters?: Record<string, unknown> | null | undefined;
  mediaFormat?: MediaFormat | null | undefined;
};

export type MediaFormat = { encoding: string; sampleRate: number; channels?: number | undefined };

export type Media = {
  track?: string | undefined;
  /** The number of this frame, from 1, and the ms of the stream that it begins at. */
  chunk?: number | undefined;
  timestamp?: number | undefined;
  /** Base64. */
  payload: string;
};

/** µ-law of one channel at 8 kHz: all that there is by telephone. What a carrier does not say is that. */
export function isMuLaw({ mediaFormat }: StartFrame): boolean {
  if (!mediaFormat) return true;
  const { encoding, sampleRate, channels = 1 } = mediaFormat;
  return encoding === 'audio/x-mulaw' && sampleRate === 8_000 && channels === 1;
}

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
