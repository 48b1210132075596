import { createLogger } from '../../../../src/platform/observability/logger.ts';
import { migrate } from '../../../../src/platform/postgres/migrate.ts';
import { startOwnPostgres, type OwnPostgres } from '../../postgres/own-postgres.ts';

/** Migrated databases of one PostgreSQL in the namespace. The first database starts the server. */
export type Databases = {
  /** Returns its URL. */
  create: (name: string) => Promise<string>;
  stop: () => Promise<void>;
};

export function createDatabases(): Databases {
  let started: Promise<OwnPostgres> | undefined;

  async function start(): Promise<OwnPostgres> {
    const postgres = await startOwnPostgres({ settings: { fsync: 'off' } });
    await postgres.query('create database migrated');
    const databaseUrl = urlOf(postgres, 'migrated');
    await migrate({ databaseUrl, log: createLogger('error', 'test') });
    return postgres;
  }

  return {
    create: async (name) => {
      const postgres = await (started ??= start());
      await postgres.query(`create database ${name} template migrated`);
      return urlOf(postgres, name);
    },
    stop: async () => (await started)?.stop(),
  };
}

function urlOf({ url }: OwnPostgres, name: string): string {
  return url.replace(/\/postgres$/, `/${name}`);
}
