import { found } from '../../errors.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { readCall, type CallRow } from '../calls.sql.ts';
import { addKeys, KEYS_WAITING_MAX } from './acts.sql.ts';
import { notConnected, requireConnected, type ActDeps } from './transfer-call.ts';

/**
 * Sends DTMF tones in a call. The process that holds the call's line sends them, at most once: if that process is
 * killed, no other process repeats them.
 * @throws ApiError not_found, call_ended, call_not_connected, call_transferring
 */
export async function pressKeys(
  deps: Pick<ActDeps, 'pool' | 'accounts' | 'wakeLine'>,
  asked: { namespace: string; id: string; keys: string },
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  const call = found(await readCall(deps.pool, asked), 'call');
  await requireConnected(deps, call);
  const pressing = await inOneCommit(deps.pool, beforeCommit, async (db) => {
    const row = await addKeys(db, asked);
    if (row) return row;
    throw notConnected(
      `The call changed at the same time, or it already has ${KEYS_WAITING_MAX} keys waiting. Read the call again.`,
    );
  });
  deps.wakeLine(call.id);
  return pressing;
}
