import { assertLeader } from '../../platform/postgres/leadership.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { resolveSecret } from '../../platform/reconcile/references.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
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

/** Why the Secrets that tools name cannot be used; undefined: they can. */
export async function toolSecretProblem(
  store: Store,
  namespace: string,
  tools: Tools,
): Promise<Problem | undefined> {
  for (const tool of tools) {
    const secrets = await resolveRequestSecrets(store, namespace, tool);
    if ('reason' in secrets) return secrets;
  }
  return undefined;
}

export function secretRefsOf({ tools = [] }: Pick<AgentSpec, 'tools'>): SecretRef[] {
  return tools.flatMap(({ secretRef, signingSecretRef }) =>
    [secretRef, signingSecretRef].flatMap((ref) => ref ?? []),
  );
}

/** What is to be done for the Secrets of an agent's tools. */
export type ToolSecretChanges = {
  /** Of all of them. */
  names: ReadonlySet<string>;
  /** In the transaction in which the agent goes live: no call of a tool finds it without them. */
  write: (db: Db) => Promise<void>;
  /** What was not written so far, in a transaction of its own. */
  settle: () => Promise<void>;
};

/**
 * Copies the Secrets of an agent's tools, sealed, to where calls of tools find them; also those that only
 * earlier versions name, which conversations and rollbacks go on with. One that is gone, or may not be
 * used any more, is taken away.
 *
 * Costs one read when there is nothing to do and a read of each Secret.
 */
export async function readToolSecretChanges(
  deps: { pool: Pool; sealer: Sealer; store: Store },
  agent: { id: string; namespace: string; epoch: number; spec: Pick<AgentSpec, 'tools'> },
): Promise<ToolSecretChanges> {
  const { id: agentId, namespace, epoch } = agent;
  const known = await listToolSecrets(deps.pool, agentId);
  const named = new Set(secretRefsOf(agent.spec).map(keyOf));
  const wanted = new Map<string, SecretRef>();
  for (const ref of [...known, ...secretRefsOf(agent.spec)]) wanted.set(keyOf(ref), ref);
  const changes: (ToolSecret & { isNamed: boolean })[] = [];
  for (const [key, { name, key: part }] of wanted) {
    const ref = { name, key: part };
    const place = toolSecretPlace({ namespace, agentId, ...ref });
    const stored = known.find((one) => keyOf(one) === key);
    const found = await resolveSecret(deps.store, namespace, ref);
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

/** What no key opens any more is as good as gone: it is sealed anew. */
function opened(sealer: Sealer, sealed: Buffer | null, place: string): string | null | undefined {
  if (sealed === null) return null;
  try {
    return sealer.open(sealed, place);
  } catch {
    return undefined;
  }
}
