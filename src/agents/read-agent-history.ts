import type { AgentStatus } from './agent.ts';
import { rfc3339 } from '../platform/resources/schema/field-types.ts';
import { lastActivations, listActivations } from './agent-activations.sql.ts';
import { hashesOfVersions } from './agent-versions.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

type History = Pick<
  AgentStatus,
  'history' | 'activeContentHash' | 'lastPublishedTime' | 'lastRollback'
>;

/**
 * Returns the fields about past activations for the status of an Agent. `history` has the latest `limit` activations,
 * newest first. `lastPublishedTime` and `lastRollback` are set even if these activations are too old for `history`.
 */
export async function readAgentHistory(
  { pool }: { pool: Pool },
  agentId: string,
  limit: number,
): Promise<History> {
  const activations = await listActivations(pool, { agentId, limit });
  if (activations.length === 0) return {};
  const hashes = await hashesOfVersions(
    pool,
    agentId,
    activations.map((a) => a.toVersion),
  );
  const history = activations.map((a) => ({
    version: a.toVersion,
    contentHash: hashes.get(a.toVersion) ?? '',
    action: a.action,
    ...(a.fromVersion !== null && { fromVersion: a.fromVersion }),
    actor: a.actor,
    time: rfc3339(a.at),
  }));
  const last = await lastActivations(pool, agentId);
  const published = last.find(({ action }) => action === 'published');
  const rolledBack = last.find(({ action }) => action === 'rolled_back');
  return {
    history,
    ...(history[0] && { activeContentHash: history[0].contentHash }),
    ...(published && { lastPublishedTime: rfc3339(published.at) }),
    ...(rolledBack &&
      rolledBack.fromVersion !== null && {
        lastRollback: {
          fromVersion: rolledBack.fromVersion,
          toVersion: rolledBack.toVersion,
          actor: rolledBack.actor,
          ...(rolledBack.reason !== null && { reason: rolledBack.reason }),
          time: rfc3339(rolledBack.at),
        },
      }),
  };
}
