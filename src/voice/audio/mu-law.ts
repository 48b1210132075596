/**
 * µ-law encoding of ITU-T G.711: eight bits per sample. Telephones use it at 8 kHz. A byte consists of a sign, a
 * segment and a step. Each of the eight segments is twice as wide as the previous one and has sixteen steps. All bits
 * are inverted.
 */

/** Byte that encodes silence. */
export const MU_LAW_SILENCE = 0xff;

/** Encodes PCM16 as µ-law, one byte per sample. Amplitudes above 32,635 are clipped. */
export function encodeMuLaw(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length);
  for (let at = 0; at < samples.length; at += 1) {
    const sample = samples[at]!;
    // G.711 encodes 14-bit samples. The bits of negative samples are complemented, as in ITU-T G.191.
    bytes[at] = sample < 0 ? ENCODED[~sample >> 2]! & POSITIVE_TO_NEGATIVE : ENCODED[sample >> 2]!;
  }
  return bytes;
}

/** Decodes µ-law to PCM16. */
export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) samples[at] = DECODED[bytes[at]!]!;
  return samples;
}

const POSITIVE_TO_NEGATIVE = 0x7f;
/** Value added to each magnitude, in 14-bit units. The addition makes every segment begin at a power of two. */
const BIAS = 33;
const LOUDEST = 8_158;

/** Decoded 16-bit sample for each of the 256 bytes. */
const DECODED = Int16Array.from({ length: 256 }, (_, byte) => {
  const value = magnitudeOf(~byte & 0x7f) * 4;
  return byte & 0x80 ? value : -value;
});

/** Encoded byte for each positive 14-bit magnitude. */
const ENCODED = Uint8Array.from({ length: 8_192 }, (_, magnitude) => {
  const biased = Math.min(magnitude, LOUDEST) + BIAS;
  const segment = 31 - Math.clz32(biased) - 5;
  const step = (biased >> (segment + 1)) & 0x0f;
  return ~((segment << 4) | step) & 0xff;
});

/** Returns the middle of the step that a code represents, in 14-bit units. */
function magnitudeOf(code: number): number {
  const segment = code >> 4;
  const step = code & 0x0f;
  return ((2 * step + BIAS) << segment) - BIAS;
}
