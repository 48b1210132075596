import { encodeMuLaw } from '../../../../src/voice/audio/mu-law.ts';

const RATE = 8_000;
/** Start and duration of the cough's two bursts, in seconds. */
const BURSTS = [
  { atSec: 0, sec: 0.12 },
  { atSec: 0.22, sec: 0.09 },
];
const LEVEL = 12_000;

/** Returns a cough as µ-law at 8 kHz: two short, decaying bursts of noise without any voice. */
export function cough(): Uint8Array {
  const samples = new Int16Array(RATE * 0.35);
  let state = 1;
  for (const { atSec, sec } of BURSTS) {
    for (let at = 0; at < sec * RATE; at += 1) {
      // The Park–Miller random number generator produces the same noise each time.
      state = (state * 48_271) % 2_147_483_647;
      const noise = (state / 2_147_483_647) * 2 - 1;
      samples[Math.round(atSec * RATE) + at] = noise * LEVEL * Math.exp((-4 * at) / (sec * RATE));
    }
  }
  return encodeMuLaw(samples);
}
