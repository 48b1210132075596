import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../audit/record-declared.ts';
import { fromUuid } from '../ids.ts';
import { agentGone, recordAgent } from './audit-agent.ts';
import { findVersionByHash, insertVersion } from './agent-versions.sql.ts';
import {
  deleteAgent,
  lockAgent,
  markAgentDeleted,
  readAgent,
  updateAgent,
  type AgentProjection,
  type AgentRow,
} from './agents.sql.ts';
import { requireRoom, type QuotaDeps } from '../platform/declare/quota.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import type { Notifier } from '../platform/postgres/notifications.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { tellProjected } from '../platform/postgres/projected.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { Actor, WhoElse } from '../platform/reconcile/actors.ts';
import { activateVersion, decideActivation, type ActivationDecision } from './activate-version.ts';
import { recalledMessage, VERSION_RECALLED } from './recalls/recalled-version.ts';
import { readRecalledVersions } from './recalls/recalls.sql.ts';
import { applyRollout } from './rollouts/apply-rollout.ts';
import { deleteToolSecrets } from './tools/tool-secrets.sql.ts';
import { contentHash, contentOf, HASH_VERSION } from './content-hash.ts';
import type { Announce, Emitted } from '../events/emit-event.ts';

export type PublishAgentDeps = QuotaDeps & {
  pool: Pool;
  notifier: Notifier;
  announce: Announce;
  nowMs: () => number;
};

export type PublishAgentInput = {
  /** Epoch of the leader. Writes with an older epoch are rejected. */
  epoch: number;
  agent: AgentProjection;
  /**
   * Actors to record when the live version changes: `content` if the declared content caused the change, `pin` if the
   * pin caused it.
   */
  actors: { content: Actor; pin: Actor };
  /** Runs in the transaction that publishes the agent, after the agent's row is written. */
  beforeCommit?: ((db: Db) => Promise<void>) | undefined;
  whoElse: WhoElse;
  /**
   * Reason why the declared content cannot be used: a reference is missing, or the agent is suspended. No version is
   * created from the content, and the live version stays. If `pinCounts` is true, a change to the pin still takes
   * effect: the pinned version already exists and does not depend on the current content, so a rollback works.
   */
  blocked?: { reason: string; message: string; pinCounts: boolean };
};

export type PublishAgentResult = {
  activeVersion: number | null;
  latestVersion: number;
  pin: ActivationDecision['pin'];
  recalled?: ActivationDecision['recalled'];
};

/**
 * Updates an agent's row, versions and activations to match its declaration. One transaction writes the version (if the
 * content is new), the activation, its event and the event's deliveries. Each activation therefore creates exactly one
 * event, despite crashes and concurrent writers. The row lock serializes writers, the epoch check rejects a former
 * leader, and a version that is already live is not activated again. A repeated call does nothing.
 *
 * Costs one read and no transaction if nothing changed. Otherwise it runs up to ten statements, plus two for a new
 * agent, and one for the audit entry if the declaration was not made through the API.
 */
export async function publishAgent(
  deps: PublishAgentDeps,
  input: PublishAgentInput,
): Promise<PublishAgentResult> {
  const known = input.blocked ? undefined : await readAgent(deps.pool, input.agent);
  if (known && isUpToDate(known, input.agent)) {
    const { activeVersion, latestVersion } = known;
    const pin = input.agent.spec.pinnedVersion === undefined ? 'none' : 'held';
    return { activeVersion, latestVersion, pin };
  }
  const { result, emitted } = await inTransaction(deps.pool, (db) => publish(db, deps, input));
  for (const one of emitted) deps.announce(one);
  const { uid, namespace, id } = input.agent;
  tellProjected(deps, { resource: 'agents', namespace, id }, [uid]);
  return result;
}

async function publish(
  db: Db,
  deps: PublishAgentDeps,
  { epoch, agent, actors, whoElse, blocked, beforeCommit }: PublishAgentInput,
): Promise<{ result: PublishAgentResult; emitted: Emitted[] }> {
  await assertLeader(db, epoch);
  await requireRoom(db, deps, 'agents', agent);
  const before = await readAgent(db, agent);
  const row = await lockAgent(db, agent);
  const { contentVersion, latestVersion } = blocked
    ? { contentVersion: null, latestVersion: row.latestVersion }
    : await recordVersion(db, row, agent, actors.content);
  const decision = decideActivation({
    policy: agent.spec.publishPolicy,
    pinnedVersion: blocked?.pinCounts === false ? undefined : agent.spec.pinnedVersion,
    contentVersion,
    latestVersion,
    activeVersion: row.activeVersion,
    recalled: await readRecalledVersions(db, agent.id),
  });
  const { pin, recalled } = decision;
  // A pin that is active or was just removed is the cause of the change. Without such a pin, the content is the cause.
  const byPin = pin === 'held' || (pin === 'none' && row.spec.pinnedVersion !== undefined);
  const by = byPin ? actors.pin : actors.content;
  const nowMs = deps.nowMs();
  const { target, emitted: rolledBack } = await applyRollout(db, {
    agent,
    row,
    decision,
    // Like content that cannot be used, recalled content has no effect on rollouts.
    contentVersion: recalled?.by === 'content' ? null : contentVersion,
    by,
    nowMs,
  });
  const activated = await activateVersion(db, { row, agent, target, by, nowMs });
  const emitted = [rolledBack, activated].filter((one) => one !== undefined);
  const result = { activeVersion: target, latestVersion, pin, ...(recalled && { recalled }) };
  const condition = blocked
    ? { ready: false, reason: blocked.reason, message: blocked.message }
    : conditionOf(agent, result);
  await updateAgent(db, { ...agent, activeVersion: target, latestVersion, ...condition });
  await beforeCommit?.(db);
  await recordAgent(db, { row: before, agent, live: result, whoElse });
  return { result, emitted };
}

/** Returns the version of the declared content: an existing one with the same hash, or a new one. */
async function recordVersion(
  db: Db,
  row: AgentRow,
  agent: AgentProjection,
  by: Actor,
): Promise<{ contentVersion: number; latestVersion: number }> {
  const content = contentOf(agent.spec);
  const key = { agentId: agent.id, hashVersion: HASH_VERSION, contentHash: contentHash(content) };
  const known = await findVersionByHash(db, key);
  if (known !== undefined) return { contentVersion: known, latestVersion: row.latestVersion };
  const version = row.latestVersion + 1;
  await insertVersion(db, { ...key, version, content, createdBy: by.actor });
  return { contentVersion: version, latestVersion: version };
}

function conditionOf(
  agent: AgentProjection,
  { activeVersion, latestVersion, pin, recalled }: PublishAgentResult,
): Pick<AgentRow, 'ready' | 'reason' | 'message'> {
  if (recalled) {
    return { ready: false, reason: VERSION_RECALLED, message: recalledMessage(recalled) };
  }
  if (pin === 'unknown') {
    const message = `version ${agent.spec.pinnedVersion} is pinned but does not exist; the latest is ${latestVersion}`;
    return { ready: false, reason: 'VersionNotFound', message };
  }
  if (activeVersion === null) {
    const message = `version ${latestVersion} is not published yet`;
    return { ready: true, reason: 'NotPublished', message };
  }
  const message = pin === 'held' ? 'is pinned' : 'is live';
  return { ready: true, reason: 'Published', message: `version ${activeVersion} ${message}` };
}

/** Returns true if the row already has this declaration and is ready. */
function isUpToDate(row: AgentRow, agent: AgentProjection): boolean {
  const { namespace, name, uid, generation, managedBy, spec } = row;
  return (
    row.ready &&
    isDeepStrictEqual({ id: row.id, namespace, name, uid, generation, managedBy, spec }, agent)
  );
}

/**
 * Hides an agent whose declaration was deleted. Its versions and activations stay, because other records refer to them
 * and the agent may be declared again. With `deletionPolicy: Delete`, this function deletes the agent together with
 * its versions and activations. A repeated call does nothing.
 */
export async function removeAgent(
  deps: { pool: Pool; notifier: Notifier },
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const gone = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const removed = await markAgentDeleted(db, input);
    if (removed) {
      const { id, namespace, managedBy } = removed;
      const about = { noun: 'agent', namespace, target: fromUuid('agt', id) } as const;
      await recordUndeclared(db, { ...about, managedBy, ...agentGone(removed) });
    }
    if (removed) await deleteToolSecrets(db, removed.id);
    if (removed?.spec.deletionPolicy === 'Delete') await deleteAgent(db, removed.id);
    return removed;
  });
  if (gone) tellProjected(deps, { resource: 'agents', namespace: gone.namespace, id: gone.id });
}
