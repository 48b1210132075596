import { simulated } from '../../src/calls/transports/simulated.ts';

/** Dependencies of calls without any TelephonyProvider. */
export const SIMULATED_ONLY = {
  transportOf: () => simulated,
  accounts: { byName: () => Promise.resolve(undefined), numbersOf: () => Promise.resolve([]) },
};
