import { ApiError, found } from '../../errors.ts';
import type { Announce } from '../../events/emit-event.ts';
import { newUuid } from '../../ids.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { findVersionByHash } from '../agent-versions.sql.ts';
import { readAgent, updateCondition, type AgentRow } from '../agents.sql.ts';
import { contentHash, contentOf, HASH_VERSION } from '../content-hash.ts';
import { isInProgress } from '../rollouts/plan-rollout.ts';
import { abortRollout } from '../rollouts/rollout-acts.ts';
import { lockLiveVersion, readLastRolloutLine } from '../rollouts/rollouts.sql.ts';
import { recalledAgentItem, recalledMessage, VERSION_RECALLED } from './recalled-version.ts';
import { insertRecall, type AgentRecall } from './recalls.sql.ts';

export type RecallDeps = {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  announce: Announce;
  nowMs: () => number;
  metrics: Pick<Metrics, 'rolloutActs'>;
};

/** `since` is in Unix milliseconds, or `null` for all conversations. */
export type RecallInput = Pick<AgentRecall, 'versions' | 'since' | 'reason' | 'actor'> & {
  namespace: string;
  agentId: string;
};

/**
 * Recalls versions in one transaction, under the lock that every change to the live version takes. The same transaction
 * aborts a rollout in progress to one of these versions. Conversations in progress keep their version.
 * @throws ApiError not_found, unknown_version, version_is_live
 */
export async function recallVersions(
  deps: RecallDeps,
  input: RecallInput,
  beforeCommit: CommitHook<AgentRecall>,
): Promise<AgentRecall> {
  const { namespace, agentId, versions, actor, reason } = input;
  const { recall, emitted, name } = await inTransaction(deps.pool, async (db) => {
    found(await lockLiveVersion(db, agentId), 'agent');
    const row = found(await readAgent(db, { namespace, id: agentId }), 'agent');
    requireVersions(row, versions);
    const nowMs = deps.nowMs();
    const last = await readLastRolloutLine(db, agentId);
    const isAborted = isInProgress(last) && versions.includes(last.toVersion);
    const why = reason === null ? '' : `: ${reason}`;
    const emitted = isAborted
      ? await abortRollout(db, {
          agent: row,
          last,
          by: { actor, reason: `version ${last.toVersion} was recalled${why}`, evidence: null },
          nowMs,
        })
      : undefined;
    const recall = await insertRecall(db, { ...input, id: newUuid(nowMs) });
    await reportContent(db, row, versions);
    await beforeCommit(db, recall);
    return { recall, emitted, name: row.name };
  });
  if (emitted) {
    deps.metrics.rolloutActs.inc({ action: 'aborted', by: 'person' });
    deps.announce(emitted);
  }
  const projected = { resource: 'agents', namespace, id: agentId };
  tellProjected(deps, projected, [recalledAgentItem({ namespace, name })]);
  return recall;
}

function requireVersions(row: AgentRow, versions: readonly number[]): void {
  for (const [i, version] of versions.entries()) {
    if (version > row.latestVersion) {
      const detail = `The agent has no version ${version}; the latest is ${row.latestVersion}.`;
      throw new ApiError('unknown_version', detail, {
        errors: [{ pointer: `/versions/${i}`, code: 'unknown_version', detail }],
      });
    }
    if (version === row.activeVersion) {
      const detail = `Version ${version} is live. Roll back or publish another version first, then recall it.`;
      throw new ApiError('version_is_live', detail);
    }
  }
}

/**
 * Marks the agent as not ready if its declared content was just recalled and would otherwise go live. The operator also
 * reports this as a condition of the resource.
 */
async function reportContent(
  db: Db,
  { id, spec, ready }: AgentRow,
  versions: readonly number[],
): Promise<void> {
  if (!ready || spec.pinnedVersion !== undefined || spec.publishPolicy === 'Manual') return;
  const hash = contentHash(contentOf(spec));
  const key = { agentId: id, hashVersion: HASH_VERSION, contentHash: hash };
  const version = await findVersionByHash(db, key);
  if (version === undefined || !versions.includes(version)) return;
  const message = recalledMessage({ version, by: 'content' });
  await updateCondition(db, id, { ready: false, reason: VERSION_RECALLED, message });
}
