import { createNoiseFloor } from './noise-floor.ts';
import { createWindowLevels } from './window-level.ts';

/** Voice activity detector (VAD) for one stream of audio. */
export type Vad = {
  /** Adds PCM16 in chunks of any length. Returns the events that occurred in the chunk, in order. */
  push: (samples: Int16Array) => readonly VadEvent[];
  isSpeaking: () => boolean;
  /** Returns the length of the current speech, from its beginning to its last sound; 0 during silence. */
  speechMs: () => number;
};

/**
 * Event in a stream. `started` is reported after `minSpeechMs` of speech. Its `preRoll` is for the recognizer and
 * contains all audio since shortly before the speech began. `ended` is reported after `silenceMs` without speech. Its
 * `speechMs` is the time from the beginning of the speech to its last sound. `atMs` is the position of the event in the
 * stream.
 */
export type VadEvent =
  | { kind: 'started'; atMs: number; preRoll: Int16Array }
  | { kind: 'ended'; atMs: number; speechMs: number };

export type VadOptions = {
  /** Sample rate of the audio: 8,000 or 16,000 Hz. */
  sampleRate: number;
  /** Minimum length of speech. A shorter sound is a cough or a click. Default 160. */
  minSpeechMs?: number;
  /** Length of the silence that ends speech. Shorter gaps occur within words. Default 400. */
  silenceMs?: number;
  /**
   * Length of the audio in `preRoll` before the first loud sound. It is included because speech begins softly. Default
   * 250.
   */
  preRollMs?: number;
};

export const WINDOW_MS = 32;
/** Levels in dB above the noise at which speech begins (`START_DB`) and continues (`GO_ON_DB`). */
const START_DB = 9;
const GO_ON_DB = 5;
const VOICED = 0.6;
/**
 * Minimum share of voiced windows at the beginning of speech. The share is above 0, because noise has no voiced
 * windows. It is below 1, because many consonants are not voiced.
 */
const VOICED_SHARE = 0.4;
/**
 * Number of windows without speech that are allowed between the first windows with speech, because speech has short
 * gaps.
 */
const GAP_WINDOWS = 3;

/** Creates a detector that uses only level and pitch (docs/decisions/0058). It takes about 0.2% of a core per call. */
export function createVad(options: VadOptions): Vad {
  const { sampleRate, minSpeechMs = 160, silenceMs = 400, preRollMs = 250 } = options;
  const windowSize = (sampleRate * WINDOW_MS) / 1_000;
  const levelOf = createWindowLevels(sampleRate);
  const noise = createNoiseFloor();
  const needed = Math.ceil(minSpeechMs / WINDOW_MS);
  const beginning = createBeginning(needed);
  const heardMax = needed + GAP_WINDOWS + Math.ceil(preRollMs / WINDOW_MS);
  let heard: Int16Array[] = [];
  let rest = new Int16Array();
  let windows = 0;
  let isSpeaking = false;
  let begunAt = 0;
  let lastAt = 0;

  const listen = (above: number, voicing: () => number): VadEvent | undefined => {
    const isLoud = above > GO_ON_DB;
    const begunAgo = beginning.note({
      isLoud,
      isStrong: above > START_DB,
      isVoiced: isLoud && voicing() > VOICED,
    });
    if (begunAgo === undefined) return undefined;
    isSpeaking = true;
    begunAt = windows - begunAgo;
    lastAt = windows;
    const preRoll = joined(heard.slice(-begunAgo - 1 - Math.ceil(preRollMs / WINDOW_MS)));
    heard = [];
    return { kind: 'started', atMs: (windows + 1) * WINDOW_MS, preRoll };
  };
  const speechMs = (): number => (lastAt + 1 - begunAt) * WINDOW_MS;
  const follow = (above: number): VadEvent | undefined => {
    if (above > GO_ON_DB) lastAt = windows;
    if ((windows - lastAt) * WINDOW_MS < silenceMs) return undefined;
    isSpeaking = false;
    return { kind: 'ended', atMs: (windows + 1) * WINDOW_MS, speechMs: speechMs() };
  };
  const look = (window: Int16Array): VadEvent | undefined => {
    const { db, voicing } = levelOf(window);
    const above = db - noise.level();
    noise.note(db);
    heard.push(window.slice());
    if (heard.length > heardMax) heard.shift();
    const event = isSpeaking ? follow(above) : listen(above, voicing);
    windows += 1;
    return event;
  };

  return {
    push: (samples) => {
      const all = joined([rest, samples]);
      const events: VadEvent[] = [];
      let at = 0;
      for (; at + windowSize <= all.length; at += windowSize) {
        const event = look(all.subarray(at, at + windowSize));
        if (event) events.push(event);
      }
      rest = all.slice(at);
      return events;
    },
    isSpeaking: () => isSpeaking,
    speechMs: () => (isSpeaking ? speechMs() : 0),
  };
}

type Sound = { isLoud: boolean; isStrong: boolean; isVoiced: boolean };

/**
 * Creates a detector for the beginning of speech. Once speech is detected, `note` returns how many windows ago it
 * began, and detection starts again.
 */
function createBeginning(needed: number): { note: (sound: Sound) => number | undefined } {
  let recent: Sound[] = [];
  return {
    note: (sound) => {
      recent.push(sound);
      if (recent.length > needed + GAP_WINDOWS) recent.shift();
      const loud = recent.filter(({ isLoud }) => isLoud);
      const strong = loud.filter(({ isStrong }) => isStrong).length;
      const voiced = loud.filter(({ isVoiced }) => isVoiced).length;
      const isSpeech =
        loud.length >= needed && strong >= needed / 2 && voiced >= needed * VOICED_SHARE;
      if (!isSpeech) return undefined;
      const ago = recent.length - 1 - recent.findIndex(({ isLoud }) => isLoud);
      recent = [];
      return ago;
    },
  };
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
