/** Settings for a recognition stream. */
export type SttStreamOptions = {
  /** Language tag (BCP 47). If absent, the vendor detects the language. */
  language?: string | undefined;
  /** Names and words that the user is likely to say but that are hard to recognize. */
  hints?: readonly string[] | undefined;
  /** Sample rate of the pushed audio in Hz. */
  sampleRate: number;
  /** Called with partial transcripts, if the vendor supports them. Each transcript replaces the previous one. */
  onPartial?: ((text: string) => void) | undefined;
};

/** Recognized text. `ms` is the time from `finish` to the text, and `audioMs` is the length of the audio. */
export type SttResult = { text: string; ms: number; audioMs: number };

/** Recognition of one utterance. */
export type SttStream = {
  /**
   * Adds a copy of the samples: PCM16 of one channel. Returns false if some of them were dropped, because the utterance
   * has reached its maximum length.
   */
  push: (samples: Int16Array) => boolean;
  /**
   * Ends the utterance and resolves to its text. Further calls return the same result.
   * @throws SpeechFailure; an AbortError after `cancel`
   */
  finish: () => Promise<SttResult>;
  /** Discards the utterance and closes open requests immediately. */
  cancel: () => void;
};

/** Service that turns speech into text. It uses one vendor, or several as fallbacks. */
export type Stt = { open: (listening: SttStreamOptions) => SttStream };
