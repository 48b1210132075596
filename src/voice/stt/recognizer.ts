/** What is known before anybody speaks. */
export type Listening = {
  /** BCP 47; absent: the vendor finds out. */
  language?: string | undefined;
  /** Names and words that are likely, and hard to hear. */
  hints?: readonly string[] | undefined;
  /** Hz of what is pushed. */
  sampleRate: number;
  /** What is understood so far, of vendors that say it; each replaces the one before. */
  onPartial?: ((text: string) => void) | undefined;
};

/** `ms`: from `finish` to the text. `audioMs`: how much was listened to. */
export type Recognized = { text: string; ms: number; audioMs: number };

/** One utterance. */
export type RecognizerSession = {
  /** PCM16 of one channel; it is copied. False: as much as one utterance may have is there already. */
  push: (samples: Int16Array) => boolean;
  /**
   * The utterance is over. Asked again it answers the same.
   * @throws SpeechFailure; an AbortError after `cancel`
   */
  finish: () => Promise<Recognized>;
  /** Nobody wants to know; whatever is open is closed at once. */
  cancel: () => void;
};

/** Speech becomes text. One vendor, or several that stand in for each other. */
export type Recognizer = { open: (listening: Listening) => RecognizerSession };
