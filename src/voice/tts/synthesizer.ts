/** What is to be said. */
export type Utterance = {
  /** At most SAID_CHARS_MAX characters. Of blank text nothing comes. */
  text: string;
  /** As the vendor calls it; absent: its default. */
  voice?: string | undefined;
  /** 1 is the natural one; from 0.25 to 4. */
  speed?: number | undefined;
  /** BCP 47; for vendors that want to be told. */
  language?: string | undefined;
  /** Aborted: nobody listens any more. The connection is closed at once. */
  signal: AbortSignal;
};

/** Text becomes sound. One vendor, or several that stand in for each other. */
export type Synthesizer = {
  /** Hz of what comes out. */
  sampleRate: number;
  /**
   * PCM16 as it comes, in chunks of any length. Who reads no further closes the connection.
   * @throws SpeechFailure, or the signal's reason
   */
  speak: (utterance: Utterance) => AsyncIterable<Int16Array>;
};

/** As OpenAI has it. Speech is cut into sentences long before. */
export const SAID_CHARS_MAX = 4_096;
