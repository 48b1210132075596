import { describe } from 'vitest';
import { IS_NIGHTLY } from '../nightly.ts';
import { STORES, type StoreName } from './engine.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';

const binaries = await findKubeBinaries();

/**
 * Runs the same tests on both stores of declarations. Without the programs of a Kubernetes API its half is skipped, and
 * findKubeBinaries reports that prominently.
 */
export function describeEachStore(promises: (storeName: StoreName) => void): void {
  for (const storeName of STORES) {
    const suite = storeName === 'kubernetes' && !binaries ? describe.skip : describe;
    suite(`declared in ${storeName}`, () => promises(storeName));
  }
}

/**
 * Runs the tests of a kind: by night on both stores. The stores promise the same (test/platform/resources), so
 * `npm test` runs them on one, and one life of each kind on the other (kinds.kube.test.ts).
 */
export function describeKind(promises: (storeName: StoreName) => void): void {
  if (IS_NIGHTLY) describeEachStore(promises);
  else describe('declared in postgres', () => promises('postgres'));
}
