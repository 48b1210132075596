import { decodeMuLaw } from '../../../../src/voice/audio/mu-law.ts';

/**
 * Machine-readable audio of words. Each word is a run of identical 20 ms frames that lasts as long as the spoken word
 * would. Each frame encodes the index of the word in the list of all words spoken so far. The index is encoded in two
 * loudness levels, which telephone lines preserve.
 */
export type WordSound = {
  /** Returns the audio of the words, as PCM16 at 8 kHz. */
  speak: (text: string) => Int16Array;
  /** Returns the words in µ-law audio. A word that was cut off counts if more than half of its frames are present. */
  read: (sound: Uint8Array) => string;
};

const FRAME_BYTES = 160;
const HALF = FRAME_BYTES / 2;
/** Number of frames per letter at a natural speaking rate of about 65 ms per letter. */
const FRAMES_PER_CHAR = 65 / 20;
/**
 * Number of distinct loudness levels. Each level is the µ-law byte of a positive sample: 0x80 is the loudest, and each
 * following byte is softer.
 */
const LEVELS = 64;
const levelOf = (digit: number): number => 0x80 + digit;

export function createWordSound(): WordSound {
  const words: string[] = [];
  const numberOf = (word: string): number => {
    if (!words.includes(word)) words.push(word);
    return words.indexOf(word);
  };
  const framesOf = (word: string): number => Math.round((word.length + 1) * FRAMES_PER_CHAR);

  return {
    speak: (text) => {
      const frames = text
        .split(/\s+/)
        .filter(Boolean)
        .flatMap((word) => {
          const number = numberOf(word);
          const frame = new Uint8Array(FRAME_BYTES).fill(levelOf(Math.floor(number / LEVELS)));
          frame.fill(levelOf(number % LEVELS), HALF);
          return Array.from({ length: framesOf(word) }, () => frame);
        });
      return decodeMuLaw(Buffer.concat(frames));
    },
    read: (sound) => {
      const heard: { word: string; frames: number }[] = [];
      for (let at = 0; at + FRAME_BYTES <= sound.length; at += FRAME_BYTES) {
        const word = words[(sound[at]! - 0x80) * LEVELS + sound[at + HALF]! - 0x80];
        const last = heard.at(-1);
        if (word === undefined) continue;
        if (last?.word === word && last.frames < framesOf(word)) last.frames += 1;
        else heard.push({ word, frames: 1 });
      }
      return heard
        .filter(({ word, frames }) => frames > framesOf(word) / 2)
        .map(({ word }) => word)
        .join(' ');
    },
  };
}
