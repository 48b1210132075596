import { fromUuid } from '../ids.ts';
import { insertActivation } from './agent-activations.sql.ts';
import type { AgentProjection, AgentRow } from './agents.sql.ts';
import type { Actor } from '../platform/reconcile/actors.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { emitEvent, type Emitted } from '../events/emit-event.ts';

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
  const from = input.row.activeVersion;
  if (target === null || target === from) return undefined;
  const about = { agent_id: fromUuid('agt', agent.id), name: agent.name, version: target };
  const { namespace, id: agentId } = agent;
  // Down is a rollback, up is a publication, whoever acted and however (contract §4).
  const emitted =
    from !== null && target < from
      ? await emitEvent(
          db,
          {
            namespace,
            agentId,
            type: 'agent.rolled_back' as const,
            data: { ...about, from_version: from, actor: by.actor, reason: by.reason },
          },
          nowMs,
        )
      : await emitEvent(
          db,
          {
            namespace,
            agentId,
            type: 'agent.published' as const,
            data: { ...about, previous_version: from, actor: by.actor },
          },
          nowMs,
        );
  await insertActivation(db, {
    agentId,
    action: emitted.type === 'agent.rolled_back' ? 'rolled_back' : 'published',
    fromVersion: from,
    toVersion: target,
    actor: by.actor,
    reason: by.reason,
    eventId: emitted.eventId,
  });
  return emitted;
}
