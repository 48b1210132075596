import {
  lockAgent,
  updateAgent,
  type AgentCondition,
  type AgentProjection,
  type AgentRow,
} from './agents.sql.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../platform/postgres/notifications.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { activateVersion, type Actor } from './activate-version.ts';
import type { Announce } from '../events/emit-event.ts';

/**
 * Shows a declaration that cannot be put in force yet (something it refers to is missing, or it
 * is suspended) and why. What is live stays live, unless the pin says otherwise: a version that
 * exists needs nothing of the present content, and a rollback must work when that is broken.
 */
export async function holdAgent(
  deps: { pool: Pool; notifier: Notifier; announce: Announce; nowMs: () => number },
  input: {
    epoch: number;
    agent: AgentProjection;
    condition: AgentCondition;
    /** Who to name when the pin moves what is live; null: it does not. */
    pin: Actor | null;
  },
): Promise<{ activeVersion: number | null; latestVersion: number }> {
  const { agent, pin } = input;
  const { versions, emitted } = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const row = await lockAgent(db, agent);
    const target = pin === null ? row.activeVersion : pinnedOf(agent, row);
    const by = pin ?? { actor: '', reason: null }; // Without a pin nothing moves.
    const emitted = await activateVersion(db, { row, agent, target, by, nowMs: deps.nowMs() });
    const versions = { activeVersion: target, latestVersion: row.latestVersion };
    await updateAgent(db, { ...agent, ...versions, ...input.condition });
    return { versions, emitted };
  });
  if (emitted) deps.announce(emitted);
  deps.notifier.notify(CHANNELS.projected, [agent.uid]);
  return versions;
}

function pinnedOf({ spec }: AgentProjection, row: AgentRow): number | null {
  const { pinnedVersion } = spec;
  const exists = pinnedVersion !== undefined && pinnedVersion <= row.latestVersion;
  return exists ? pinnedVersion : row.activeVersion;
}
