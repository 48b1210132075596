import { EGRESS_MUTANTS } from './egress-mutants.ts';
import { ENGINE_MUTANTS } from './engine-mutants.ts';
import type { Mutant } from './mutant.ts';
import { PRODUCER_MUTANTS } from './producer-mutants.ts';
import { QUEUE_MUTANTS } from './queue-mutants.ts';

/**
 * Check the checker: each is a way in which a delivery engine loses, doubles, delays or leaks what
 * it was trusted with, and each must turn a suite red. `npm run test:mutants` plants them one by one;
 * test/mutants/mutants.test.ts sees to it that they still fit the sources.
 */
export const MUTANTS: readonly Mutant[] = [
  ...PRODUCER_MUTANTS,
  ...QUEUE_MUTANTS,
  ...ENGINE_MUTANTS,
  ...EGRESS_MUTANTS,
];
