/** Settings of a stream. */
export type SttStreamOptions = {
  /** Language as BCP 47; if absent, the vendor detects it. */
  language?: string | undefined;
  /** Names and words that are likely and hard to recognize. */
  hints?: readonly string[] | undefined;
  /** Sample rate of the pushed audio in Hz. */
  sampleRate: number;
  /** Called with a partial transcript, by vendors that support it. Each replaces the one before. */
  onPartial?: ((text: string) => void) | undefined;
};

/** Recognized text. `ms` is the time from `finish` to the text; `audioMs` is the length of the audio. */
export type SttResult = { text: string; ms: number; audioMs: number };

/** Recognition of one utterance. */
export type SttStream = {
  /** Adds PCM16 of one channel, which is copied. Returns false if the utterance has its maximum length. */
  push: (samples: Int16Array) => boolean;
  /**
   * Ends the utterance. Further calls return the same result.
   * @throws SpeechFailure; an AbortError after `cancel`
   */
  finish: () => Promise<SttResult>;
  /** Discards the utterance and closes open requests immediately. */
  cancel: () => void;
};

/** Service that turns speech into text, with one vendor, or several as fallbacks. */
export type Stt = { open: (listening: SttStreamOptions) => SttStream };
