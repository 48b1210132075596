import { emitEvent, type Emitted } from '../events/emit-event.ts';
import { fromUuid } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { Actor } from '../platform/reconcile/actors.ts';
import { insertActivation } from './agent-activations.sql.ts';
import type { AgentSpec } from './agent.ts';
import type { AgentProjection, AgentRow } from './agents.sql.ts';

export type ActivationDecision = {
  /** What is to be live; null: nothing yet. */
  target: number | null;
  pin: 'none' | 'held' | 'unknown';
};

/**
 * Which version is to be live (contract §4). A pin goes before everything; a pin on a version
 * that does not exist leaves the active one; without a pin the content decides, but under
 * `Manual`, and while the content is not in force, nothing moves by itself.
 */
export function decideActivation(input: {
  policy: AgentSpec['publishPolicy'];
  pinnedVersion: number | undefined;
  /** The version the declared content has; null: it is not in force and has none. */
  contentVersion: number | null;
  latestVersion: number;
  activeVersion: number | null;
}): ActivationDecision {
  const { pinnedVersion, activeVersion } = input;
  if (pinnedVersion !== undefined) {
    // Numbers have no gaps, so the latest tells which exist.
    return pinnedVersion <= input.latestVersion
      ? { target: pinnedVersion, pin: 'held' }
      : { target: activeVersion, pin: 'unknown' };
  }
  const isHeld = input.policy === 'Manual' || input.contentVersion === null;
  const target = isHeld ? activeVersion : input.contentVersion;
  return { target, pin: 'none' };
}

/**
 * Moves what is live: one line of the log and one event, in the caller's transaction, under the
 * agent's row lock. Answers the event to announce after the commit; undefined when `target` is
 * live already, or nothing is to be.
 */
export async function activateVersion(
  db: Db,
  input: {
    row: Pick<AgentRow, 'activeVersion'>;
    agent: Pick<AgentProjection, 'id' | 'namespace' | 'name'>;
    target: number | null;
    by: Actor;
    nowMs: number;
  },
): Promise<Emitted | undefined> {
  const { agent, target, by, nowMs } = input;
  const { activeVersion: from } = input.row;
  if (target === null || target === from) return undefined;
  const { namespace, id: agentId, name } = agent;
  const { actor, reason } = by;
  const about = { agent_id: fromUuid('agt', agentId), name, version: target };
  // Down is a rollback, up is a publication, whoever acted and however (contract §4).
  const isBack = from !== null && target < from;
  const event = isBack
    ? {
        type: 'agent.rolled_back' as const,
        data: { ...about, from_version: from, actor, reason },
      }
    : { type: 'agent.published' as const, data: { ...about, previous_version: from, actor } };
  const emitted = await emitEvent(db, { namespace, agentId, ...event }, nowMs);
  await insertActivation(db, {
    agentId,
    action: isBack ? 'rolled_back' : 'published',
    fromVersion: from,
    toVersion: target,
    actor,
    reason,
    eventId: emitted.eventId,
  });
  return emitted;
}
