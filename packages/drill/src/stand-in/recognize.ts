import { samplesOfWav } from './wav-samples.ts';

/** A caller's recorded sentence. */
export type Recording = { text: string; samples: Int16Array };

const RATE = 8_000;
/**
 * Length of a piece in samples (0.1 s). To align the audio with a recording, `placeOf` searches the recording for the
 * loudest piece of the audio.
 */
const PIECE = RATE * 0.1;
/**
 * A correlation up to this value is not a match. Each correlation is first estimated from every eighth sample
 * (`COARSE`), and computed exactly only if the estimate exceeds this value.
 */
const UNLIKE = 0.5;
const COARSE = 8;
/** Minimum correlation at which the audio and a recording are considered the same. */
const LIKE = 0.8;
/** RMS of the sample values below which the audio counts as silence. */
const SILENT = 200;

type Piece = { samples: Int16Array; at: number };

/**
 * Compares the samples of a WAV with the recordings. Returns the text of the matching recording, or '' if none matches.
 */
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

/**
 * Returns the position in a recording at which the correlation with the piece is highest, or undefined if no
 * correlation exceeds `UNLIKE`.
 */
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

/** Returns the dot product of the piece and the recording, starting at `at`, computed from every `step`-th sample. */
function productOf(piece: Int16Array, samples: Int16Array, at: number, step: number): number {
  let sum = 0;
  for (let i = 0; i < piece.length; i += step) sum += piece[i]! * samples[at + i]!;
  return sum;
}

/**
 * Returns the correlation of the whole audio with a recording that begins at position `from` in the audio. The result
 * is 1 if the two are identical.
 */
function likenessOf(heard: Int16Array, samples: Int16Array, from: number): number {
  let sum = 0;
  for (const [at, sample] of samples.entries()) sum += sample * (heard[from + at] ?? 0);
  return sum / Math.sqrt(energyOf(heard) * energyOf(samples));
}
