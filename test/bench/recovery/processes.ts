import { startOwnPostgres } from '../../platform/postgres/own-postgres.ts';
import { freePort } from '../../free-port.ts';
import { runMigrations, startRole, withUrl, type Parley } from '../../roles/parley-process.ts';

/** API and operator processes on a database of their own. */
export type Processes = {
  databaseUrl: string;
  startApi: (port?: number, env?: Record<string, string>) => Promise<Parley>;
  startOperator: (env?: Record<string, string>) => Promise<Parley>;
};

/** Stops whatever was started and still runs. */
export async function withProcesses(work: (processes: Processes) => Promise<void>): Promise<void> {
  const postgres = await startOwnPostgres();
  const started: Parley[] = [];
  const keep = (one: Parley): Parley => {
    started.push(one);
    return one;
  };
  try {
    await runMigrations(postgres.url);
    await work({
      databaseUrl: postgres.url,
      startApi: async (port, env = {}) => {
        const PARLEY_PORT = String(port ?? (await freePort()));
        const options = { databaseUrl: postgres.url, env: { ...env, PARLEY_PORT } };
        const api = keep(await startRole('api', options));
        return withUrl(api, `http://127.0.0.1:${PARLEY_PORT}`);
      },
      startOperator: async (env = {}) =>
        keep(await startRole('operator', { databaseUrl: postgres.url, env })),
    });
  } finally {
    await Promise.all(started.map((one) => one.stop()));
    await postgres.stop();
  }
}
