/** The drill's voice: either real speech engines, or a stand-in that plays recordings and recognizes them. */
export type Voice = {
  /** OpenAI-compatible base URL for speech and transcription. */
  baseUrl: string;
  /** Returns a caller's sentence as µ-law at 8 kHz, without silence at its beginning and end. */
  utter: (text: string) => Promise<Uint8Array>;
  /** Transcribes the agent's audio, which is µ-law at 8 kHz. */
  hear: (sound: Uint8Array) => Promise<string>;
  /**
   * Returns the part of a text that `sound` contains. The last word of this part may be cut off. The voice can
   * determine the part, because it synthesized the audio. Returns undefined if the audio does not belong to this text.
   */
  played: (sound: Uint8Array, text: string) => Promise<string | undefined>;
  /** Share of words that `hear` may transcribe incorrectly. 0 means none. */
  mishears: number;
  /**
   * Maximum time in ms to synthesize a sentence, and therefore the longest silence between two sentences of a reply. A
   * reply counts as ended after a longer silence.
   */
  pauseMs: number;
  /** Returns the requests that Parley has made so far. */
  asked: () => readonly Asked[];
};

/** A request from Parley to the voice. Times are Unix ms. */
export type Asked = {
  use: 'speech' | 'transcription';
  /** Text to speak, or recognized text. */
  text: string;
  startMs: number;
  /** Time at which the first audio or the transcript was sent. */
  firstMs: number;
};
