/** Text to speak, and how. */
export type SpeechRequest = {
  /** At most TTS_CHARS_MAX characters. Blank text produces no audio. */
  text: string;
  /** Vendor's name of the voice; if absent, the vendor's default. */
  voice?: string | undefined;
  /** Speed from 0.25 to 4; 1 is natural. */
  speed?: number | undefined;
  /** Language as BCP 47, for vendors that need it. */
  language?: string | undefined;
  /** Aborts the speech and closes the connection immediately. */
  signal: AbortSignal;
};

/** Service that turns text into speech, with one vendor, or several as fallbacks. */
export type Tts = {
  /** Rate of the output in Hz. */
  sampleRate: number;
  /**
   * Yields PCM16 as it arrives, in chunks of any length. A caller that stops reading closes the connection.
   * @throws SpeechFailure, or the signal's reason
   */
  speak: (utterance: SpeechRequest) => AsyncIterable<Int16Array>;
};

/** Limit of OpenAI's API. Speech is cut into sentences long before it. */
export const TTS_CHARS_MAX = 4_096;
