/** True under `npm run test:nightly`, which runs the long cases and the fault tests at full length. */
export const IS_NIGHTLY = process.env['PARLEY_NIGHTLY'] !== undefined;

/** Returns how often a fault test repeats its fault: FAULT_ROUNDS, by default 50 at night and `short` in `npm test`. */
export function roundsOf(short: number): number {
  return Number(process.env['FAULT_ROUNDS'] ?? (IS_NIGHTLY ? 50 : short));
}
