import type { CommitHook } from '../platform/postgres/commit-hook.ts';
import { recordAudit, type AuditedBy, type AuditLine } from './audit-log.sql.ts';

/**
 * Adds an audit log line to the transaction of a service with a commit hook (commit-hook.ts), so that the two are
 * always committed together. `line` builds the line from the result. `act` may pass a further hook, such as one that
 * stores the response for an `Idempotency-Key`. A repeated request that gets the stored response does nothing and adds
 * no line.
 */
export function audited<R>(
  by: AuditedBy,
  // The hook takes `unknown`, not R, so that TypeScript infers R only from the result of `act`.
  act: (beforeCommit: CommitHook<unknown>) => Promise<R>,
  line: (result: R) => AuditLine,
): (beforeCommit: CommitHook<unknown>) => Promise<R> {
  return (beforeCommit) =>
    act(async (db, result) => {
      await recordAudit(db, by, line(result as R));
      await beforeCommit(db, result);
    });
}
