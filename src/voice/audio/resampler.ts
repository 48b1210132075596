/**
 * Converts PCM16 from one sample rate to another, chunk by chunk, without audible chunk boundaries. The chunk sizes do
 * not affect the output.
 */
export type Resampler = {
  /**
   * Returns the output samples that later input can no longer change. The last 32 samples at the lower rate (4 ms at 8
   * kHz) wait for more input.
   */
  push: (samples: Int16Array) => Int16Array;
  /** Returns the remaining output, as if silence followed. The next input begins a new stream. */
  end: () => Int16Array;
};

/** Supported sample rates in Hz. Telephones use 8,000. PCM16 files and browsers use any of these rates. */
export const RATES: readonly number[] = [
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400,
  192_000,
];

/**
 * Creates a resampler. Its low-pass filter is a sinc with a Kaiser window, computed only at the output samples.
 * Frequencies up to 84% of half the lower rate pass unchanged (at 8,000 Hz, up to 3,360 of 4,000 Hz). Above that, the
 * filter falls off, and above half the lower rate less than a thousandth remains.
 * @throws RangeError for a rate outside `RATES`, which is a bug, because users cannot choose the rates
 */
export function createResampler({ from, to }: { from: number; to: number }): Resampler {
  if (!RATES.includes(from) || !RATES.includes(to)) {
    throw new RangeError(`cannot resample from ${from} to ${to} Hz`);
  }
  if (from === to) return { push: (samples) => samples.slice(), end: () => new Int16Array() };
  const filter = filterOf(from, to);
  const { half } = filter;
  // Input samples that the filter still needs. `keptFrom` is the stream index of the first one, which is initially
  // before the start of the stream.
  let kept = new Float32Array(half - 1);
  let keptFrom = 1 - half;
  let taken = 0;
  let given = 0;

  const giveUpTo = (count: number): Int16Array => {
    const out = new Int16Array(count - given);
    for (let at = 0; at < out.length; at += 1) {
      out[at] = sampleAt(filter, kept, keptFrom, given + at);
    }
    given = count;
    const unread = Math.floor((given * filter.down) / filter.up) + 1 - half;
    if (unread > keptFrom) {
      kept = kept.slice(unread - keptFrom);
      keptFrom = unread;
    }
    return out;
  };
  const take = (samples: ArrayLike<number>): void => {
    const next = new Float32Array(kept.length + samples.length);
    next.set(kept);
    next.set(samples, kept.length);
    kept = next;
  };

  return {
    push: (samples) => {
      take(samples);
      taken += samples.length;
      // The filter reads `half` samples past the position of its last output.
      const last = ((taken - half) * filter.up) / filter.down;
      return giveUpTo(Math.max(given, Math.ceil(last)));
    },
    end: () => {
      take(new Float32Array(half));
      const rest = giveUpTo(Math.ceil((taken * filter.up) / filter.down));
      kept = new Float32Array(half - 1);
      [keptFrom, taken, given] = [1 - half, 0, 0];
      return rest;
    },
  };
}

/** Polyphase filter. `up / down` is the ratio of the rates. Each of the `phases` has `2 × half` coefficients. */
type Filter = { up: number; down: number; half: number; phases: readonly Float32Array[] };

/**
 * Half-width of the filter in samples of the lower rate: approximately the number of zero crossings of the sinc on each
 * side.
 */
const CROSSINGS = 32;
/** Cut-off relative to half the lower rate, in the middle of the transition band. */
const CUTOFF = 0.92;
/** Parameter of the Kaiser window for an attenuation of 70 dB. */
const KAISER_BETA = 6.8;

const filters = new Map<string, Filter>();

function filterOf(from: number, to: number): Filter {
  const name = `${from}/${to}`;
  const filter = filters.get(name) ?? makeFilter(from, to);
  filters.set(name, filter);
  return filter;
}

function makeFilter(from: number, to: number): Filter {
  const common = greatestCommonDivisor(from, to);
  const [up, down] = [to / common, from / common];
  const half = Math.ceil(CROSSINGS * Math.max(1, from / to));
  const cutoff = CUTOFF * Math.min(1, to / from);
  const phases = Array.from({ length: up }, (_, phase) => {
    const factors = Float32Array.from({ length: 2 * half }, (_factor, at) => {
      const distance = at - (half - 1) - phase / up;
      return cutoff * sinc(cutoff * distance) * kaiser(distance / half);
    });
    // Normalizes the factors of each phase. Without this, a constant input would produce a hum at the rate at which the
    // phases repeat.
    const sum = factors.reduce((total, one) => total + one, 0);
    return factors.map((one) => one / sum);
  });
  return { up, down, half, phases };
}

function sampleAt(filter: Filter, kept: Float32Array, keptFrom: number, index: number): number {
  const place = index * filter.down;
  const factors = filter.phases[place % filter.up]!;
  const start = Math.floor(place / filter.up) - (filter.half - 1) - keptFrom;
  let sum = 0;
  for (let at = 0; at < factors.length; at += 1) sum += factors[at]! * kept[start + at]!;
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Returns the value of the window at `x`, which is 0 outside the range from -1 to 1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Returns the modified Bessel function of order 0, computed from its series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-10; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
