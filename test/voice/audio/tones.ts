/** Sounds made for tests. */

export type Tone = { hz: number; rate: number; sec: number; level?: number };

/** A sine of PCM16; `level`: its peak, of 1. */
export function toneOf({ hz, rate, sec, level = 0.5 }: Tone): Int16Array {
  return Int16Array.from({ length: Math.round(sec * rate) }, (_, at) =>
    Math.round(level * 32_767 * Math.sin((2 * Math.PI * hz * at) / rate)),
  );
}

/** White noise that is the same each time. */
export function noiseOf({ rate, sec, level = 0.1 }: Omit<Tone, 'hz'>): Int16Array {
  let seed = 1;
  return Int16Array.from({ length: Math.round(sec * rate) }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.round(level * 32_767 * ((2 * seed) / 0x7fffffff - 1));
  });
}

export function silenceOf({ rate, sec }: { rate: number; sec: number }): Int16Array {
  return new Int16Array(Math.round(sec * rate));
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** dB below the loudest sine there is. */
export function levelDb(samples: ArrayLike<number>): number {
  const sum = Array.from(samples).reduce((total, one) => total + one * one, 0);
  return 10 * Math.log10((2 * sum) / samples.length / 32_767 ** 2);
}

/** Without its first and last 20 ms, where a filter sees the silence around. */
export function middleOf(samples: Int16Array, rate: number): Int16Array {
  return samples.slice(rate / 50, -rate / 50);
}

/** What is left of samples when the sine of one frequency that fits best is taken away. */
export function withoutTone(samples: Int16Array, hz: number, rate: number): Float64Array {
  // Least squares: over no whole number of waves sine and cosine are not independent.
  let [ss, sc, cc, sy, cy] = [0, 0, 0, 0, 0];
  const angles = Float64Array.from(samples, (_, at) => (2 * Math.PI * hz * at) / rate);
  samples.forEach((sample, at) => {
    const [sine, cosine] = [Math.sin(angles[at]!), Math.cos(angles[at]!)];
    ss += sine * sine;
    sc += sine * cosine;
    cc += cosine * cosine;
    sy += sine * sample;
    cy += cosine * sample;
  });
  const determinant = ss * cc - sc * sc;
  const inPhase = (sy * cc - cy * sc) / determinant;
  const quadrature = (cy * ss - sy * sc) / determinant;
  return Float64Array.from(
    samples,
    (sample, at) => sample - inPhase * Math.sin(angles[at]!) - quadrature * Math.cos(angles[at]!),
  );
}
