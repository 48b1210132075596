/**
 * Frequencies of DTMF tones. The tone of a key is the sum of two sines, one for its row and one for its column (ITU-T
 * Q.23).
 */

const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633];
const KEYS = ['123A', '456B', '789C', '*0#D'];

/** Duration in ms of a tone and of the gap after it. ITU-T Q.24 requires at least 40 ms for each. */
const TONE_MS = 100;
const GAP_MS = 80;
/** Length in ms of the pause that `w` stands for. */
const WAIT_MS = 500;
/** Amplitude of each sine, relative to full scale. The sum of two sines clips if each is above 0.5. */
const LEVEL = 0.25;

/** Returns the DTMF tones for the keys, one after the other, as PCM16. Skips unknown keys. `sampleRate` is in Hz. */
export function soundOfKeys(keys: string, sampleRate: number): Int16Array {
  const parts = keys.split('').map((key) => soundOf(key, sampleRate));
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function soundOf(key: string, sampleRate: number): Int16Array {
  const samplesOf = (ms: number): number => Math.round((ms * sampleRate) / 1_000);
  if (key === 'w') return new Int16Array(samplesOf(WAIT_MS));
  const row = KEYS.findIndex((keys) => keys.includes(key));
  if (row < 0) return new Int16Array();
  const low = (2 * Math.PI * ROWS_HZ[row]!) / sampleRate;
  const high = (2 * Math.PI * COLUMNS_HZ[KEYS[row]!.indexOf(key)]!) / sampleRate;
  const sound = new Int16Array(samplesOf(TONE_MS + GAP_MS));
  for (let at = 0; at < samplesOf(TONE_MS); at += 1) {
    sound[at] = Math.round(LEVEL * 32_767 * (Math.sin(low * at) + Math.sin(high * at)));
  }
  return sound;
}
