import { startOwnPostgres, type OwnPostgres } from '../../postgres/own-postgres.ts';

/** Migrated databases of one PostgreSQL in the namespace. The first database starts the server. */
export type Databases = {
  /** Creates a database and returns its URL. */
  create: (name: string) => Promise<string>;
  stop: () => Promise<void>;
};

export function createDatabases(): Databases {
  let started: Promise<OwnPostgres> | undefined;

  return {
    create: async (name) => {
      const postgres = await (started ??= startOwnPostgres({
        inMemory: true,
        settings: { fsync: 'off' },
      }));
      await postgres.query(`create database ${name} template postgres`);
      return urlOf(postgres, name);
    },
    stop: async () => (await started)?.stop(),
  };
}

function urlOf({ url }: OwnPostgres, name: string): string {
  return url.replace(/\/postgres$/, `/${name}`);
}
