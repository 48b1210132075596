import type { CommitHook } from '../platform/postgres/commit-hook.ts';
import { recordAudit, type AuditedBy, type AuditLine } from './audit-log.sql.ts';

/**
 * Returns an action that runs `act` and adds an audit log line in the same transaction, so that both are always
 * committed together. `act` must pass the given hook to a service that runs it before the commit (commit-hook.ts).
 * `line` builds the line from the result. The caller of the returned action passes a further hook, such as one that
 * stores the response for an `Idempotency-Key`. A repeated request gets that stored response: it does not run the
 * action and adds no line.
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
