/** Text to synthesize, and the settings for it. */
export type SpeechRequest = {
  /** At most TTS_CHARS_MAX characters. Blank text produces no audio. */
  text: string;
  /** The vendor's name for the voice. If absent, the vendor's default voice is used. */
  voice?: string | undefined;
  /** Speaking rate from 0.25 to 4. The natural rate is 1. */
  speed?: number | undefined;
  /** Language tag (BCP 47), for vendors that need it. */
  language?: string | undefined;
  /** Cancels the synthesis. An abort closes the connection immediately. */
  signal: AbortSignal;
};

/** Service that turns text into speech. It uses one vendor, or several as fallbacks. */
export type Tts = {
  /** Sample rate of the output in Hz. */
  sampleRate: number;
  /**
   * Yields PCM16 as it arrives, in chunks of any length. Closes the connection if the caller stops reading.
   * @throws SpeechFailure, or the signal's reason
   */
  speak: (utterance: SpeechRequest) => AsyncIterable<Int16Array>;
};

/** Maximum text length in OpenAI's API. In practice, text is split into much shorter sentences before it is sent. */
export const TTS_CHARS_MAX = 4_096;
