import { startLender } from '../platform/kubernetes/kube-lender.ts';
import startPostgres from './start-postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

/** PostgreSQL, and API servers from the moment the first test borrows one. */
export default async function startKubeAndPostgres(): Promise<void> {
  await startPostgres();
  const lender = await startLender(async () => {
    const { startKube } = await import('../platform/kubernetes/kube.ts');
    return startKube();
  });
  atEndOfRun(lender.stop);
}
