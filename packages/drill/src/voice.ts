/** Who speaks and hears in the drill: engines, or recordings and a stand-in that knows them. */
export type Voice = {
  /** Where Parley is to ask for speech and recognition: an OpenAI-compatible base URL. */
  baseUrl: string;
  /** A caller's sentence, µ-law of 8 kHz, from its first sound to its last. */
  utter: (text: string) => Promise<Uint8Array>;
  /** What was said in µ-law of 8 kHz that came from the agent. */
  hear: (sound: Uint8Array) => Promise<string>;
  /**
   * How far a text was played in such sound, by when the voice says each of its words, of which the last may be half;
   * undefined: the sound is not what the voice made of the text.
   */
  played: (sound: Uint8Array, text: string) => Promise<string | undefined>;
  /** The share of words that `hear` may get wrong; 0: none. */
  mishears: number;
  /** How long it may take to speak a sentence: so long it may be quiet between two, ms. */
  pauseMs: number;
  /** What Parley has asked for so far. */
  asked: () => readonly Asked[];
};

/** A request to the voice. Times are ms since 1970. */
export type Asked = {
  use: 'speech' | 'transcription';
  /** What was to be spoken, or was understood. */
  text: string;
  startMs: number;
  /** The first sound was sent; of a transcription its text. */
  firstMs: number;
};
