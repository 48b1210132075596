/** Frame on an audio socket, in a form that is the same for all carriers. The audio is mono µ-law at 8 kHz. */

export type MediaFrame =
  /** A known frame that Parley does not use. */
  | { event: 'connected' }
  | { event: 'start'; start: StartFrame }
  | { event: 'media'; media: Media }
  | { event: 'dtmf'; dtmf: { digit: string } }
  /** Reports that all audio before this mark was played or dropped. */
  | { event: 'mark'; mark: { name: string } }
  | { event: 'stop' };

export type StartFrame = {
  streamSid: string;
  callSid: string;
  /** Parameters from the XML that opened the socket. */
  customParameters?: Record<string, unknown> | null | undefined;
  mediaFormat?: MediaFormat | null | undefined;
};

export type MediaFormat = { encoding: string; sampleRate: number; channels?: number | undefined };

export type Media = {
  track?: string | undefined;
  /** Number of the frame, starting at 1. `timestamp` is its start in ms since the beginning of the stream. */
  chunk?: number | undefined;
  timestamp?: number | undefined;
  /** Audio encoded as base64. */
  payload: string;
};

/**
 * Returns true if the audio is mono µ-law at 8 kHz, the only supported format. Carriers that do not report the format
 * use this one.
 */
export function isMuLaw({ mediaFormat }: StartFrame): boolean {
  if (!mediaFormat) return true;
  const { encoding, sampleRate, channels = 1 } = mediaFormat;
  return encoding === 'audio/x-mulaw' && sampleRate === 8_000 && channels === 1;
}

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
