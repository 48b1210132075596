/** Sample rate of a talk's audio in Hz. Sound cards use floats from -1 to 1, and talks use PCM16. */

export const TALK_RATE = 16_000;

export function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (one) =>
    Math.max(-32_768, Math.min(32_767, Math.round(one * 32_767))),
  );
}

export function toFloat(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (one) => one / 32_768);
}

/** Returns the audio level on a logarithmic scale from 0 (silence, below -60 dB) to 1 (the maximum). */
export function levelOf(samples: Int16Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (const one of samples) sum += one * one;
  const rms = Math.sqrt(sum / samples.length) / 32_768;
  return Math.max(0, Math.min(1, 1 + (20 * Math.log10(rms || 1e-9)) / 60));
}
