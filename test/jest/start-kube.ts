import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { startLender } from '../platform/kubernetes/kube-lender.ts';
import startPostgres from './start-postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

/**
 * PostgreSQL, and API servers from the moment the first test borrows one. On a new machine they are
 * built here: whichever test came first would run out of its own time meanwhile.
 */
export default async function startKubeAndPostgres(): Promise<void> {
  await findKubeBinaries();
  await startPostgres();
  const lender = await startLender(async () => {
    const { startKube } = await import('../platform/kubernetes/kube.ts');
    return startKube();
  });
  atEndOfRun(lender.stop);
}
