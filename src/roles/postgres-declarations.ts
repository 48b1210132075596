import type { Elect } from './operator/run.ts';
import type { RecordEvent } from '../platform/resources/resource-store.ts';
import { createValidator, type Validator } from '../platform/resources/schema/validate.ts';
import { createLeadership } from '../platform/postgres/leadership.ts';
import {
  createPostgresResourceStore,
  type PostgresResourceStore,
} from '../platform/resources/resources.sql.ts';
import { KINDS, type Kinds } from './kinds.ts';
import type { Context } from './context.ts';

/** Declared things without a cluster: tables, our own validator, a lock that elects the leader. */
export type PostgresDeclarations = {
  store: PostgresResourceStore;
  validate: Validator;
  elect: Elect;
  /** Nobody looks for Events here; conditions say the same. */
  record: RecordEvent;
};

export function createPostgresDeclarations({
  pool,
  databaseUrl,
  sealer,
  log,
  kinds = KINDS,
}: Context & Kinds): PostgresDeclarations {
  const validate = createValidator(kinds);
  return {
    store: createPostgresResourceStore({ pool, databaseUrl, sealer, validate, log }),
    validate,
    elect: (callbacks) => createLeadership({ databaseUrl, log, ...callbacks }),
    record: () => undefined,
  };
}
