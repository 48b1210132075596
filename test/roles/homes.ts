import { describe } from '@jest/globals';
import { STORES, type Home } from './engine.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';

const binaries = await findKubeBinaries();

/**
 * The same promises in both homes of declared things. Without the programs of a Kubernetes API
 * its half is skipped, and findKubeBinaries says so loudly.
 */
export function describeEachHome(promises: (home: Home) => void): void {
  for (const home of STORES) {
    const suite = home === 'kubernetes' && !binaries ? describe.skip : describe;
    suite(`declared in ${home}`, () => promises(home));
  }
}
