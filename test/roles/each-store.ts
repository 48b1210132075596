import { describe } from 'vitest';
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
