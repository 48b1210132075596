/** Text to speak, and how to speak it. */
export type SpeechRequest = {
  /** At most TTS_CHARS_MAX characters. Blank text produces no audio. */
  text: string;
  /** Vendor's name of the voice. If it is absent, the vendor's default voice is used. */
  voice?: string | undefined;
  /** Speed from 0.25 to 4; 1 is natural. */
  speed?: number | undefined;
  /** Language as BCP 47, for vendors that need it. */
  language?: string | undefined;
  /** Cancels the speech. An abort closes the connection immediately. */
  signal: AbortSignal;
};

/** Service that turns text into speech. It uses one vendor, or several as fallbacks. */
export type Tts = {
  /** Rate of the output in Hz. */
  sampleRate: number;
  /**
   * Yields PCM16 as it arrives, in chunks of any length. If the caller stops reading, the connection is closed.
   * @throws SpeechFailure, or the signal's reason
   */
  speak: (utterance: SpeechRequest) => AsyncIterable<Int16Array>;
};

/** Maximum length of text in OpenAI's API. Text is cut into much shorter sentences before it is sent. */
export const TTS_CHARS_MAX = 4_096;
