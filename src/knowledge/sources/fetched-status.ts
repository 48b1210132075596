import {
  hindered,
  notReady,
  ready,
  reconciling,
  type Finding,
} from '../../platform/reconcile/conditions.ts';
import type { KnowledgeSourceStatus } from './knowledge-source.ts';
import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';

/** This module shows syncs in the status of a KnowledgeSource (contract/custom-resources.md#status). */

/** Interval in ms at which the operator updates the status while a sync is unfinished. */
export const SYNCING_LOOK_MS = 5_000;

/**
 * Returns the conditions of a source. The source is ready while the declared content is indexed, even if that content
 * is old. A source that is not ready counts as reconciling while a sync is unfinished or scheduled.
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
      message: isRunning ? 'a sync is running' : 'a sync is queued',
    };
  }
  const ended = { type: 'Syncing', status: false };
  if (syncFailures > 0) return { ...ended, reason: 'Failed', message };
  if (lastSyncedAt === null)
    return { ...ended, reason: 'Pending', message: 'no sync has succeeded yet' };
  return { ...ended, reason: 'Succeeded', message: 'the last sync succeeded' };
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
