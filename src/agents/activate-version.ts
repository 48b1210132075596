import { emitEvent, type Emitted } from '../events/emit-event.ts';
import { fromUuid } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { Actor } from '../platform/reconcile/actors.ts';
import { insertActivation } from './agent-activations.sql.ts';
import type { AgentSpec } from './agent.ts';
import type { AgentProjection, AgentRow } from './agents.sql.ts';
import type { RecalledTarget } from './recalls/recalled-version.ts';
import { recordHandoffs } from './tools/record-handoffs.ts';

export type ActivationDecision = {
  /** Version to make live; `null` if no version should be live yet. */
  target: number | null;
  /**
   * `none`: no version is pinned. `held`: `target` is the pinned version. `unknown`: the pin has no effect, because the
   * pinned version does not exist or was recalled.
   */
  pin: 'none' | 'held' | 'unknown';
  /** Version that the declaration selects, but that was recalled and therefore does not go live. */
  recalled?: RecalledTarget;
};

/**
 * Decides which version should be live (contract/agents.md#publishing). With a pin, the pinned version goes live, or
 * nothing changes if it does not exist. Without a pin, the version of the declared content goes live, or nothing
 * changes if the policy is `Manual` or the content cannot be used. A recalled version never goes live
 * (contract/recalls.md#never-live-again); the current live version then stays live.
 */
export function decideActivation(input: {
  policy: AgentSpec['publishPolicy'];
  pinnedVersion: number | undefined;
  /** Version of the declared content; `null` if the content cannot be used and therefore has no version. */
  contentVersion: number | null;
  latestVersion: number;
  activeVersion: number | null;
  recalled: ReadonlySet<number>;
}): ActivationDecision {
  const { pinnedVersion, activeVersion, recalled } = input;
  if (pinnedVersion !== undefined) {
    if (recalled.has(pinnedVersion)) {
      const wanted = { version: pinnedVersion, by: 'pin' } as const;
      return { target: activeVersion, pin: 'unknown', recalled: wanted };
    }
    // Version numbers have no gaps, so every version up to the latest exists.
    return pinnedVersion <= input.latestVersion
      ? { target: pinnedVersion, pin: 'held' }
      : { target: activeVersion, pin: 'unknown' };
  }
  const isHeld = input.policy === 'Manual' || input.contentVersion === null;
  const target = isHeld ? activeVersion : input.contentVersion;
  if (!isHeld && target !== null && recalled.has(target)) {
    const wanted = { version: target, by: 'content' } as const;
    return { target: activeVersion, pin: 'none', recalled: wanted };
  }
  return { target, pin: 'none' };
}

/**
 * Makes `target` live. Writes one log entry and one event in the caller's transaction, under the agent's row lock.
 * Returns the event to announce after the commit, or `undefined` if `target` is `null` or already live.
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
  // Activating a version with a lower number than the live version is a rollback. Activating one with a higher number
  // is a publication (contract/agents.md#activations).
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
    handoffs: await recordHandoffs(db, { agent, version: target, isBack }),
  });
  return emitted;
}
