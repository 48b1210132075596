import { simulated } from '../../src/calls/transports/simulated.ts';

/** What calls need where no TelephonyProvider is declared. */
export const SIMULATED_ONLY = {
  transportOf: () => simulated,
  accounts: { byName: () => Promise.resolve(undefined), numbersOf: () => Promise.resolve([]) },
};
