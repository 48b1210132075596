import type { CommitHook } from '../platform/postgres/commit-hook.ts';
import { recordAudit, type AuditedBy, type AuditLine } from './audit-log.sql.ts';

/**
 * For a service whose transaction takes something along (commit-hook.ts): the line of the act is
 * committed with it, so that neither is there without the other. `line` tells it from the result.
 * `act` may take more, as the answer that is kept for an `Idempotency-Key`: a repeat that is
 * answered from there does nothing and adds no line.
 */
export function audited<R>(
  by: AuditedBy,
  // Not CommitHook<R>: R is inferred from what `act` returns, which it also passes to the hook.
  act: (beforeCommit: CommitHook<unknown>) => Promise<R>,
  line: (result: R) => AuditLine,
): (beforeCommit: CommitHook<unknown>) => Promise<R> {
  return (beforeCommit) =>
    act(async (db, result) => {
      await recordAudit(db, by, line(result as R));
      await beforeCommit(db, result);
    });
}
