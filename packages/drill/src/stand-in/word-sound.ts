import { decodeMuLaw } from '../../../../src/voice/audio/mu-law.ts';

/**
 * Words as sound that a machine can read: every word is frames of 20 ms, as many as it takes to say it, each
 * of which has its number in two levels. A telephone leaves them as they are.
 */
export type WordSound = {
  /** PCM16 of 8 kHz. */
  speak: (text: string) => Int16Array;
  /** What was heard of it, in µ-law: whole words, and one that is cut if half of it is there. */
  read: (sound: Uint8Array) => string;
};

const FRAME_BYTES = 160;
const HALF = FRAME_BYTES / 2;
/** As people speak: some 65 ms for a letter. */
const FRAMES_PER_CHAR = 65 / 20;
/** Levels that differ, all loud: bytes of µ-law with the highest bit (positive), from the loudest. */
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
