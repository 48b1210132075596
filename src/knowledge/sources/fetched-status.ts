import {
  hindered,
  notReady,
  ready,
  reconciling,
  type Finding,
} from '../../platform/reconcile/conditions.ts';
import type { KnowledgeSourceStatus } from './knowledge-source.ts';
import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';

/** What the status of a KnowledgeSource shows of its syncs (contract/custom-resources.md#status). */

/** How often the operator looks how far an unfinished sync is. */
export const SYNCING_LOOK_MS = 5_000;

/**
 * Ready while what is declared is indexed, however long ago. Else it is being mended as long as it is
 * tried again by itself.
 */
export function findingsOfSyncs(row: KnowledgeSourceRow): Finding[] {
  const { reason, message } = row;
  const why = { reason, message };
  if (row.ready) return [ready(why), syncing(row)];
  const isTriedAgain = row.sync !== null || row.nextSyncAt !== null;
  return [notReady(why), isTriedAgain ? reconciling(why) : hindered(why), syncing(row)];
}

function syncing({ sync, syncFailures, lastSyncedAt, message }: KnowledgeSourceRow): Finding {
  if (sync) {
    const isRunning = sync.status === 'running';
    return {
      type: 'Syncing',
      status: true,
      reason: isRunning ? 'Running' : 'Queued',
      message: isRunning ? 'it is being read' : 'it waits for its turn',
    };
  }
  const ended = { type: 'Syncing', status: false };
  if (syncFailures > 0) return { ...ended, reason: 'Failed', message };
  if (lastSyncedAt === null) return { ...ended, reason: 'Pending', message: 'it was never read' };
  return { ...ended, reason: 'Succeeded', message: 'the last sync read it whole' };
}

export function fetchedStatus({
  sync,
  syncFailures,
  lastSyncedAt,
}: KnowledgeSourceRow): Partial<KnowledgeSourceStatus> {
  const result = syncFailures > 0 ? 'failed' : lastSyncedAt === null ? undefined : 'succeeded';
  return {
    ...(result && { lastSyncResult: result }),
    ...(sync && { sync: { phase: sync.status, found: sync.found, read: sync.read } }),
  };
}
