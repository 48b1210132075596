/**
 * µ-law of ITU-T G.711: eight bits for a sample, as telephones speak at 8 kHz. A byte is a sign, one of
 * eight segments, each twice as wide as the one before, and one of sixteen steps in it, all bits inverted.
 */

/** What is on a line while nobody speaks. */
export const MU_LAW_SILENCE = 0xff;

/** PCM16 → µ-law, a byte for each sample; what is louder than 32,635 becomes the loudest. */
export function encodeMuLaw(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length);
  for (let at = 0; at < samples.length; at += 1) {
    const sample = samples[at]!;
    // G.711 counts in 14 bits. A negative number is turned over bit by bit, as in ITU-T G.191.
    bytes[at] = sample < 0 ? ENCODED[~sample >> 2]! & POSITIVE_TO_NEGATIVE : ENCODED[sample >> 2]!;
  }
  return bytes;
}

/** µ-law → PCM16. */
export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) samples[at] = DECODED[bytes[at]!]!;
  return samples;
}

const POSITIVE_TO_NEGATIVE = 0x7f;
/** In 14 bits: half a step of the second segment, so that all segments begin at a power of two. */
const BIAS = 33;
const LOUDEST = 8_158;

/** By byte, in 16 bits. */
const DECODED = Int16Array.from({ length: 256 }, (_, byte) => {
  const value = magnitudeOf(~byte & 0x7f) * 4;
  return byte & 0x80 ? value : -value;
});

/** By magnitude in 14 bits, as the bytes of positive samples. */
const ENCODED = Uint8Array.from({ length: 8_192 }, (_, magnitude) => {
  const biased = Math.min(magnitude, LOUDEST) + BIAS;
  const segment = 31 - Math.clz32(biased) - 5;
  const step = (biased >> (segment + 1)) & 0x0f;
  return ~((segment << 4) | step) & 0xff;
});

/** The middle of a step, in 14 bits. */
function magnitudeOf(code: number): number {
  const segment = code >> 4;
  const step = code & 0x0f;
  return ((2 * step + BIAS) << segment) - BIAS;
}
