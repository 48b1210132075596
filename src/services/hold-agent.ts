import { lockAgent, updateAgent, type AgentCondition, type AgentProjection } from '../store/agents.ts';
import { assertLeader } from '../store/leadership.ts';
import { CHANNELS, type Notifier } from '../store/notifications.ts';
import type { Pool } from '../store/pool.ts';
import { inTransaction } from '../store/transaction.ts';

/**
 * Shows a declaration that cannot be put in force yet (something it refers to is missing, or it
 * is suspended) and why. What is live stays live.
 */
export async function holdAgent(
  deps: { pool: Pool; notifier: Notifier },
  input: { epoch: number; agent: AgentProjection; condition: AgentCondition },
): Promise<{ activeVersion: number | null; latestVersion: number }> {
  const versions = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const { activeVersion, latestVersion } = await lockAgent(db, input.agent);
    await updateAgent(db, { ...input.agent, activeVersion, latestVersion, ...input.condition });
    return { activeVersion, latestVersion };
  });
  deps.notifier.notify(CHANNELS.projected, [input.agent.uid]);
  return versions;
}
