const ROWS = [697, 770, 852, 941];
const COLUMNS = [1_209, 1_336, 1_477, 1_633];
const KEYS = ['123A', '456B', '789C', '*0#D'];
const WINDOW_MS = 20;

/** The keys that are heard in a sound, by the energy at each of the eight frequencies (Goertzel). */
export function keysIn(samples: Int16Array, sampleRate: number): string {
  const size = (WINDOW_MS * sampleRate) / 1_000;
  let keys = '';
  let last: string | undefined;
  for (let at = 0; at + size <= samples.length; at += size) {
    const key = keyIn(samples.subarray(at, at + size), sampleRate);
    if (key !== undefined && key !== last) keys += key;
    last = key;
  }
  return keys;
}

function keyIn(window: Int16Array, sampleRate: number): string | undefined {
  const all = window.reduce((sum, sample) => sum + sample * sample, 0) / window.length;
  if (all < 1_000) return undefined;
  const row = loudest(ROWS, window, sampleRate);
  const column = loudest(COLUMNS, window, sampleRate);
  // Of two pure tones nothing else is there.
  if (row.power + column.power < 0.8 * all) return undefined;
  return KEYS[row.at]![column.at];
}

function loudest(frequencies: readonly number[], window: Int16Array, rate: number) {
  const powers = frequencies.map((hz) => powerAt(hz, window, rate));
  const power = Math.max(...powers);
  return { at: powers.indexOf(power), power };
}

/** Mean square of what of the window is at this frequency. */
function powerAt(hz: number, window: Int16Array, rate: number): number {
  const step = 2 * Math.cos((2 * Math.PI * hz) / rate);
  let before = 0;
  let last = 0;
  for (const sample of window) [before, last] = [last, sample + step * last - before];
  const square = last * last + before * before - step * last * before;
  return (2 * square) / window.length ** 2;
}
