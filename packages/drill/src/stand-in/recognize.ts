import { samplesOfWav } from './wav-samples.ts';

/** Something that was recorded before. */
export type Recording = { text: string; samples: Int16Array };

const RATE = 8_000;
/** What is looked for in recordings first: the loudest place of what was heard. */
const PIECE = RATE * 0.1;
/** Of every eighth sample; less is looked at no closer. */
const UNLIKE = 0.5;
const COARSE = 8;
/** Of two that are the same from end to end. */
const LIKE = 0.8;
/** Softer than that nobody says anything. */
const SILENT = 200;

type Piece = { samples: Int16Array; at: number };

/** Which of the recordings is heard in a WAV, by its samples; '': none. */
export function recognize(recordings: readonly Recording[], wav: Buffer): string {
  const heard = samplesOfWav(wav, RATE);
  const piece = loudestOf(heard);
  if (piece === undefined) return '';
  const [best] = recordings
    .map(({ text, samples }) => {
      const place = placeOf(piece.samples, samples);
      const likeness = place === undefined ? 0 : likenessOf(heard, samples, piece.at - place);
      return { text, likeness };
    })
    .toSorted((a, b) => b.likeness - a.likeness);
  return best && best.likeness >= LIKE ? best.text : '';
}

function loudestOf(samples: Int16Array): Piece | undefined {
  let best: { energy: number; at: number } | undefined;
  for (let at = 0; at + PIECE <= samples.length; at += PIECE / 2) {
    const energy = energyOf(samples, at, at + PIECE);
    if (!best || energy > best.energy) best = { energy, at };
  }
  if (!best || Math.sqrt(best.energy / PIECE) < SILENT) return undefined;
  return { samples: samples.subarray(best.at, best.at + PIECE), at: best.at };
}

function energyOf(samples: Int16Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += samples[at]! ** 2;
  return sum;
}

/** Where in a recording a piece is most likely, by the correlation of the two; undefined: nowhere. */
function placeOf(piece: Int16Array, samples: Int16Array): number | undefined {
  const own = Math.sqrt(energyOf(piece));
  let best = UNLIKE;
  let place: number | undefined;
  let energy = samples.length >= PIECE ? energyOf(samples, 0, PIECE) : 0;
  for (let at = 0; at + PIECE <= samples.length; at += 1) {
    const level = own * Math.sqrt(energy);
    const guess = (COARSE * productOf(piece, samples, at, COARSE)) / level;
    const likeness = guess > UNLIKE ? productOf(piece, samples, at, 1) / level : 0;
    if (likeness > best) {
      best = likeness;
      place = at;
    }
    energy += (samples[at + PIECE] ?? 0) ** 2 - samples[at]! ** 2;
  }
  return place;
}

/** Of every so many samples. */
function productOf(piece: Int16Array, samples: Int16Array, at: number, step: number): number {
  let sum = 0;
  for (let i = 0; i < piece.length; i += step) sum += piece[i]! * samples[at + i]!;
  return sum;
}

/** How much all that was heard is all of a recording which begins at `from`: 1, the same. */
function likenessOf(heard: Int16Array, samples: Int16Array, from: number): number {
  let sum = 0;
  for (const [at, sample] of samples.entries()) sum += sample * (heard[from + at] ?? 0);
  return sum / Math.sqrt(energyOf(heard) * energyOf(samples));
}
