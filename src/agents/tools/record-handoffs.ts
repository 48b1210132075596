import type { Db } from '../../platform/postgres/pool.ts';
import { readVersion } from '../agent-versions.sql.ts';
import type { AgentProjection } from '../agents.sql.ts';
import { findHandoffTargets, lastHandoffs, type Handoff } from './handoffs.sql.ts';

/**
 * Returns the handoff targets to record for a version that goes live, or `null` if it has no handoffs. A publication
 * records the current live versions of the targets. A rollback reuses the targets that the last activation of the
 * version recorded. If such a target no longer exists or has no recorded version, the rollback records the agent that
 * currently has its name. A tool that declares a version of its target gets that version, unless it was recalled. Costs
 * one read, or three for a version with handoffs.
 */
export async function recordHandoffs(
  db: Db,
  activation: {
    agent: Pick<AgentProjection, 'id' | 'namespace'>;
    version: number;
    isBack: boolean;
  },
): Promise<Handoff[] | null> {
  const { agent, version, isBack } = activation;
  const key = { agentId: agent.id, version };
  const { content } = (await readVersion(db, key)) ?? {};
  const tools = (content?.tools ?? []).filter(({ type }) => type === 'handoff');
  if (tools.length === 0) return null;
  const before = isBack ? await lastHandoffs(db, key) : [];
  const names = tools.map((tool) => tool.agent ?? '');
  const found = await findHandoffTargets(db, { namespace: agent.namespace, names });
  return tools.map(({ name, agent: target = '', version: named }) => {
    const was = before.find((one) => one.tool === name && one.agent === target);
    if (was) return was;
    const now = found.find((one) => one.name === target);
    const declared = named !== undefined && now?.recalled.includes(named) ? undefined : named;
    return {
      tool: name,
      agent: target,
      agentId: now?.id ?? null,
      version: declared ?? now?.activeVersion ?? null,
    };
  });
}
