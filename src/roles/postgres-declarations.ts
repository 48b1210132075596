import type { Elect } from './operator/terms.ts';
import type { RecordEvent } from '../platform/resources/resource-store.ts';
import { createValidator, type Validator } from '../platform/resources/schema/validate.ts';
import { createLeadership } from '../platform/postgres/leadership.ts';
import {
  createPostgresResourceStore,
  type PostgresResourceStore,
} from '../platform/resources/resources.sql.ts';
import { KINDS, type Kinds } from './kinds.ts';
import type { Context } from './context.ts';

/**
 * Services for declared objects without a cluster: a store in database tables, our own validator, and leader election
 * with a database lock.
 */
export type PostgresDeclarations = {
  store: PostgresResourceStore;
  validate: Validator;
  elect: Elect;
  /** Discards Events, because nothing displays them without a cluster. Conditions contain the same information. */
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
    elect: ({ onLead, onLost }) => createLeadership({ databaseUrl, log, onLead, onLost }),
    record: () => undefined,
  };
}
