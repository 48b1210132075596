import { assertLeader } from '../../platform/postgres/leadership.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { resolveSecret } from '../../platform/reconcile/references.ts';
import type { Resource, ResourceStore } from '../../platform/resources/resource-store.ts';
import { ownSecretName } from '../../kinds/given-secret.ts';
import { copyGiven, type OwnSecretDeps } from '../../kinds/own-secret.ts';
import type { AgentSpec } from '../agent.ts';
import { resolveRequestSecrets } from './request-secrets.ts';
import {
  deleteOldToolSecrets,
  listToolSecrets,
  putToolSecret,
  toolSecretPlace,
  type SecretRef,
  type ToolSecret,
} from './tool-secrets.sql.ts';

type Store = Pick<ResourceStore, 'get'>;
type Tools = NonNullable<AgentSpec['tools']>;

/** Returns the reason why the Secrets of an agent's tools cannot be used, or `undefined` if they can. */
export async function toolSecretProblem(
  store: Store,
  namespace: string,
  { tools, own }: { tools: Tools; own: string },
): Promise<Problem | undefined> {
  for (const tool of tools) {
    const secrets = await resolveRequestSecrets(store, namespace, tool, own);
    if ('reason' in secrets) return secrets;
  }
  return undefined;
}

export function secretRefsOf({ tools = [] }: Pick<AgentSpec, 'tools'>): SecretRef[] {
  return tools.flatMap(({ secretRef, signingSecretRef }) =>
    [secretRef, signingSecretRef].flatMap((ref) => ref ?? []),
  );
}

const AGENT = { idPrefix: 'agt' } as const;

/**
 * Copies the tool secrets from a REST request into the agent's own Secret. Keeps the secrets of earlier versions,
 * because conversations and rollbacks still use them. Returns the reason if the Secret cannot be written.
 */
export async function copyToolSecrets(
  deps: OwnSecretDeps,
  agent: Resource<AgentSpec>,
  id: string,
): Promise<Problem | undefined> {
  const own = ownSecretName(AGENT, id);
  const keysOf = (refs: readonly SecretRef[]): string[] =>
    refs.filter(({ name }) => name === own).map(({ key }) => key);
  const keys = keysOf(secretRefsOf(agent.spec));
  if (keys.length === 0) return undefined;
  const kept = keysOf(await listToolSecrets(deps.pool, id));
  return copyGiven(deps, AGENT, { object: agent, id, keys, kept });
}

/** Pending changes to the stored Secrets of an agent's tools. */
export type ToolSecretChanges = {
  /** Names of all Secrets, including those that only earlier versions use. */
  names: ReadonlySet<string>;
  /** Writes the changes. Runs in the transaction that publishes the agent, so that no tool call misses a Secret. */
  write: (db: Db) => Promise<void>;
  /** Writes changes that are still pending, in a separate transaction. */
  settle: () => Promise<void>;
};

/**
 * Prepares encrypted (sealed) copies of the Secrets of an agent's tools, for the table that tool calls read. Includes
 * Secrets that only earlier versions name, because conversations and rollbacks still use those versions. Removes the
 * value of a Secret that was deleted or may no longer be used.
 *
 * Costs one query, and one read per Secret.
 */
export async function readToolSecretChanges(
  deps: { pool: Pool; sealer: Sealer; store: Store },
  agent: { id: string; namespace: string; epoch: number; spec: Pick<AgentSpec, 'tools'> },
): Promise<ToolSecretChanges> {
  const { id: agentId, namespace, epoch } = agent;
  const own = ownSecretName(AGENT, agentId);
  const known = await listToolSecrets(deps.pool, agentId);
  const named = new Set(secretRefsOf(agent.spec).map(keyOf));
  const wanted = new Map<string, SecretRef>();
  for (const ref of [...known, ...secretRefsOf(agent.spec)]) wanted.set(keyOf(ref), ref);
  const changes: (ToolSecret & { isNamed: boolean })[] = [];
  for (const [key, { name, key: part }] of wanted) {
    const ref = { name, key: part };
    const place = toolSecretPlace({ namespace, agentId, ...ref });
    const stored = known.find((one) => keyOf(one) === key);
    const found = await resolveSecret(deps.store, namespace, ref, { own });
    const value = 'value' in found ? found.value : null;
    if (stored && value === opened(deps.sealer, stored.value, place)) continue;
    const sealed = value === null ? null : deps.sealer.seal(value, place);
    changes.push({ ...ref, value: sealed, isNamed: named.has(key) });
  }
  let isWritten = changes.length === 0;
  const write = async (db: Db): Promise<void> => {
    if (isWritten) return;
    for (const change of changes) await putToolSecret(db, { agentId, ...change });
    await deleteOldToolSecrets(db, agentId);
    isWritten = true;
  };
  const settle = async (): Promise<void> => {
    if (isWritten) return;
    await inTransaction(deps.pool, async (db) => {
      await assertLeader(db, epoch);
      await write(db);
    });
  };
  return { names: new Set([...wanted.values()].map(({ name }) => name)), write, settle };
}

function keyOf({ name, key }: SecretRef): string {
  return `${name}/${key}`;
}

/** Decrypts a sealed value. Treats a value that no key can decrypt as missing, so that it is encrypted again. */
function opened(sealer: Sealer, sealed: Buffer | null, place: string): string | null | undefined {
  if (sealed === null) return null;
  try {
    return sealer.open(sealed, place);
  } catch {
    return undefined;
  }
}
