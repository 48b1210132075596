import type { Db } from '../../platform/postgres/pool.ts';
import type { SealedColumn } from '../../platform/postgres/sealed-values.ts';

export type SecretRef = { name: string; key: string };
/** A stored Secret. `value` is encrypted (sealed); `null` if the Secret was deleted or may no longer be used. */
export type ToolSecret = SecretRef & { value: Buffer | null };

/**
 * Maximum number of stored Secrets per agent. If there are more, those that a declaration named most recently are kept.
 * The number is limited, because every reconcile reads all of them.
 */
export const TOOL_SECRETS_MAX = 200;

/**
 * Returns the text that identifies where a value is stored. The encryption uses this text as associated data, so a
 * value that is copied to a different row cannot be decrypted there (sealing.ts).
 */
export function toolSecretPlace(of: { namespace: string; agentId: string } & SecretRef): string {
  return `tool:${of.namespace}/${of.agentId}/${of.name}/${of.key}`;
}

export async function listToolSecrets(db: Db, agentId: string): Promise<ToolSecret[]> {
  const { rows } = await db.query<ToolSecret>(
    'select name, key, value from tool_secrets where agent_id = $1 order by name, key',
    [agentId],
  );
  return rows;
}

/**
 * Stores a Secret. Does nothing for an agent without a row. `isNamed` says whether the current declaration names the
 * Secret.
 */
export async function putToolSecret(
  db: Db,
  secret: ToolSecret & { agentId: string; isNamed: boolean },
): Promise<void> {
  const { agentId, name, key, value, isNamed } = secret;
  await db.query(
    `insert into tool_secrets as t (agent_id, namespace, name, key, value)
     select id, namespace, $2, $3, $4 from agents where id = $1 and deleted_at is null
     on conflict (agent_id, name, key) do update
        set value = excluded.value, namespace = excluded.namespace,
            named_at = case when $5 then now() else t.named_at end`,
    [agentId, name, key, value, isNamed],
  );
}

export async function deleteOldToolSecrets(db: Db, agentId: string): Promise<void> {
  await db.query(
    `delete from tool_secrets where agent_id = $1 and (name, key) not in (
       select name, key from tool_secrets where agent_id = $1 order by named_at desc limit $2)`,
    [agentId, TOOL_SECRETS_MAX],
  );
}

export async function deleteToolSecrets(db: Db, agentId: string): Promise<void> {
  await db.query('delete from tool_secrets where agent_id = $1', [agentId]);
}

/** Returns the Secrets for one tool call. Returns an empty list for an agent in another namespace. */
export async function readToolSecrets(
  db: Db,
  of: { namespace: string; agentId: string; refs: readonly SecretRef[] },
): Promise<ToolSecret[]> {
  const { rows } = await db.query<ToolSecret>({
    name: 'read_tool_secrets',
    text: `select t.name, t.key, t.value from tool_secrets t
             join agents a on a.id = t.agent_id and a.deleted_at is null
             join unnest($3::text[], $4::text[]) as r (name, key)
               on r.name = t.name and r.key = t.key
            where t.agent_id = $1 and t.namespace = $2`,
    values: [
      of.agentId,
      of.namespace,
      of.refs.map(({ name }) => name),
      of.refs.map(({ key }) => key),
    ],
  });
  return rows;
}

export const SEALED_TOOL_SECRET_COLUMN: SealedColumn = {
  table: 'tool_secrets',
  value: 'value',
  assign: (bytes) => `value = ${bytes}`,
  key: [
    ['agent_id', 'uuid'],
    ['name', 'text'],
    ['key', 'text'],
  ],
  with: ['namespace'],
  place: ({ namespace = '', agent_id: agentId = '', name = '', key = '' }) =>
    toolSecretPlace({ namespace, agentId, name, key }),
  where: 'value is not null',
};
