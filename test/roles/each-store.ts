import { describe } from 'vitest';
import { IS_NIGHTLY } from '../nightly.ts';
import { STORES, type StoreName } from './engine.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';

const binaries = await findKubeBinaries();

/**
 * Runs the same tests on both stores of declarations. If the binaries of the Kubernetes API are missing, the tests for
 * Kubernetes are skipped, and findKubeBinaries prints a prominent warning.
 */
export function describeEachStore(promises: (storeName: StoreName) => void): void {
  for (const storeName of STORES) {
    const suite = storeName === 'kubernetes' && !binaries ? describe.skip : describe;
    suite(`declared in ${storeName}`, () => promises(storeName));
  }
}

/**
 * Runs the tests of a kind on both stores at night. Both stores have the same guarantees (test/platform/resources), so
 * `npm test` runs the tests on only one store. On the other, it runs one life cycle per kind (kinds.kube.test.ts).
 */
export function describeKind(promises: (storeName: StoreName) => void): void {
  if (IS_NIGHTLY) describeEachStore(promises);
  else describe('declared in postgres', () => promises('postgres'));
}
