/** Voice of the drill: speech engines, or recordings with a stand-in that recognizes them. */
export type Voice = {
  /** OpenAI-compatible base URL for speech and recognition. */
  baseUrl: string;
  /** Returns a caller's sentence as µ-law at 8 kHz, without silence at its ends. */
  utter: (text: string) => Promise<Uint8Array>;
  /** Transcribes the agent's sound, µ-law at 8 kHz. */
  hear: (sound: Uint8Array) => Promise<string>;
  /**
   * Returns the played part of a text, from the times of its words in the voice; the last word may be cut. Returns
   * undefined if the sound is not the voice's rendering of the text.
   */
  played: (sound: Uint8Array, text: string) => Promise<string | undefined>;
  /** Share of words that `hear` may get wrong; 0 means none. */
  mishears: number;
  /** Maximum synthesis time of a sentence in ms, which is also the longest silence between two sentences. */
  pauseMs: number;
  /** Returns Parley's requests so far. */
  asked: () => readonly Asked[];
};

/** Request to the voice. Times are ms since 1970. */
export type Asked = {
  use: 'speech' | 'transcription';
  /** Text to speak, or recognized text. */
  text: string;
  startMs: number;
  /** Time of the first sound, or of the text of a transcription. */
  firstMs: number;
};
