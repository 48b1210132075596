import type { Elect } from './operator/run.ts';
import type { RecordEvent } from '../platform/resources/resource-events.ts';
import { createValidator, type Validator } from '../platform/resources/schema/validate.ts';
import { createLeadership } from '../platform/postgres/leadership.ts';
import {
  createPostgresResourceStore,
  type PostgresResourceStore,
} from '../platform/resources/resources.sql.ts';
import { KINDS } from './kinds.ts';
import type { Context } from './context.ts';

/** Declared things without a cluster: tables, our own validator, a lock that elects the leader. */
export type PostgresDeclarations = {
  store: PostgresResourceStore;
  validator: Validator;
  elect: Elect;
  /** There is nobody to look for Events; conditions say the same. */
  record: RecordEvent;
};

export function createPostgresDeclarations({
  pool,
  databaseUrl,
  sealer,
  log,
}: Context): PostgresDeclarations {
  const validator = createValidator(KINDS);
  const { validate } = validator;
  return {
    store: createPostgresResourceStore({ pool, databaseUrl, sealer, validate, log }),
    validator,
    elect: (callbacks) => createLeadership({ databaseUrl, log, ...callbacks }),
    record: () => undefined,
  };
}
