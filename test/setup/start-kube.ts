import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { startLender } from '../platform/kubernetes/kube-lender.ts';
import { startPostgres } from './start-postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

export { stopServers as teardown } from './stop-servers.ts';

/**
 * Starts PostgreSQL and a lender of Kubernetes API servers. An API server starts when a test borrows one. On a new
 * machine, this also builds their binaries, which would take longer than the time limit of a test.
 */
export async function setup(): Promise<void> {
  started ??= start();
  await started;
}

let started: Promise<void> | undefined;

async function start(): Promise<void> {
  await findKubeBinaries();
  await startPostgres();
  const lender = await startLender(async () => {
    const { startKube } = await import('../platform/kubernetes/kube.ts');
    return startKube();
  });
  atEndOfRun(lender.stop);
}
