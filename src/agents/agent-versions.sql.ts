import type { AgentContent } from './agent.ts';
import { bytesOf, fittingRows } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { isRecalled } from './recalls/recalls.sql.ts';
import { ENDED } from './rollouts/rollouts.sql.ts';

/** An immutable version of an agent's content. Version numbers start at 1 and never change. */
export type AgentVersion = {
  agentId: string;
  version: number;
  /** Lower-case hexadecimal SHA-256 of the canonical content. */
  contentHash: string;
  content: AgentContent;
  createdBy: string;
  /** Time in Unix milliseconds. */
  createdAt: number;
  /** Time of the first recall in Unix milliseconds; `null` if the version was not recalled. */
  recalledAt: number | null;
};

const COLUMNS = `agent_id as "agentId", version, encode(content_hash, 'hex') as "contentHash",
  content, created_by as "createdBy", created_at as "createdAt",
  (select min(r.at) from agent_recalls r
    where r.agent_id = agent_versions.agent_id and agent_versions.version = any(r.versions)) as "recalledAt"`;

/** Returns the agent's version with this content, or `undefined` if the agent never had one. */
export async function findVersionByHash(
  db: Db,
  key: { agentId: string; hashVersion: number; contentHash: string },
): Promise<number | undefined> {
  const { rows } = await db.query<{ version: number }>(
    `select version from agent_versions
      where agent_id = $1 and hash_version = $2 and content_hash = decode($3, 'hex')`,
    [key.agentId, key.hashVersion, key.contentHash],
  );
  return rows[0]?.version;
}

/**
 * Inserts a version. The caller must hold the lock on the agent's row, so that no other transaction takes the same
 * number. The caller must also have checked that no version has the same hash.
 */
export async function insertVersion(
  db: Db,
  version: Omit<AgentVersion, 'createdAt' | 'recalledAt'> & { hashVersion: number },
): Promise<void> {
  await db.query(
    `insert into agent_versions (agent_id, version, hash_version, content_hash, content, created_by)
     values ($1, $2, $3, decode($4, 'hex'), $5, $6)`,
    [
      version.agentId,
      version.version,
      version.hashVersion,
      version.contentHash,
      version.content,
      version.createdBy,
    ],
  );
}

export async function readVersion(
  db: Db,
  key: { agentId: string; version: number },
): Promise<AgentVersion | undefined> {
  const { rows } = await db.query<AgentVersion>(
    `select ${COLUMNS} from agent_versions where agent_id = $1 and version = $2`,
    [key.agentId, key.version],
  );
  return rows[0];
}

/** `fits` is false for a version that would make the page too large. */
export type ListedVersion = AgentVersion & { fits: boolean };

/**
 * Lists versions, newest first, up to the size limit of a page (`fittingRows`). `before` is the last version number of
 * the previous page.
 */
export async function listVersions(
  db: Db,
  page: { agentId: string; before?: number | undefined; limit: number },
): Promise<ListedVersion[]> {
  const { rows } = await db.query<ListedVersion>(
    fittingRows({
      table: 'agent_versions',
      where: 'agent_id = $1 and ($2::integer is null or version < $2)',
      order: 'version desc',
      limit: '$3',
      columns: COLUMNS,
      bytes: bytesOf('content'),
    }),
    [page.agentId, page.before, page.limit],
  );
  return rows;
}

/** Returns the content hashes (lower-case hexadecimal) of the given versions. */
export async function hashesOfVersions(
  db: Db,
  agentId: string,
  versions: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<{ version: number; contentHash: string }>(
    `select version, encode(content_hash, 'hex') as "contentHash" from agent_versions
      where agent_id = $1 and version = any($2)`,
    [agentId, versions],
  );
  return new Map(rows.map(({ version, contentHash }) => [version, contentHash]));
}

/**
 * The arm (old or new version) that a rollout in progress chose for a conversation. `id` is the rollout's UUID, and
 * `publicId` is the same ID in the form that the API shows.
 */
export type RolloutArm = {
  id: string;
  publicId: string;
  step: number;
  weight: number;
  isNew: boolean;
  /** Hexadecimal hash of the rollout's public ID and the `unit` that was passed to `readLiveContent`. */
  unit: string;
};

/** The version that a new conversation gets: the live version, or the one that a rollout in progress chose. */
export type LiveContent = {
  version: number | null;
  content: AgentContent | null;
  /** `null` if no rollout is in progress, or no `unit` was given. */
  rollout: RolloutArm | null;
};

/** SQL that joins to an agent `a` its rollout in progress `r`, if any, and the version `v` for a new conversation. */
const versionFor = (unit: string): string => `left join lateral (
               select h.*, ('x' || left(encode(digest, 'hex'), 8))::bit(32)::bigint % 10000
                           < h.weight * 100 as is_new
                 from (select l.*, sha256(convert_to(l.public_id || ':' || ${unit}::text, 'UTF8')) as digest
                         from agent_rollouts l
                        where l.agent_id = a.id order by l.seq desc limit 1) h
                where h.action not in ${ENDED} and h.from_version = a.active_version
             ) r on true
             left join agent_versions v on v.agent_id = a.id
              and v.version = case when r.is_new then r.to_version else a.active_version end`;

const ROLLOUT = `case when r.digest is null then null else jsonb_build_object(
                    'id', r.rollout_id, 'publicId', r.public_id, 'step', r.step,
                    'weight', r.weight, 'isNew', r.is_new,
                    'unit', encode(r.digest, 'hex')) end`;

/**
 * Returns the version for a new conversation with an agent, or `undefined` if the agent does not exist. `version` and
 * `content` are `null` if no version is live.
 *
 * The result is the live version, unless a rollout is in progress. Then the hash of `unit` determines the arm: the old
 * or the new version (contract/rollouts.md#arms). `unit` is the user's ID. For an unknown user, `unit` is the ID of the
 * call or, without a call, of the conversation. Without `unit`, this function always returns the live version.
 */
export async function readLiveContent(
  db: Db,
  { namespace, id, unit }: { namespace: string; id: string; unit?: string | undefined },
): Promise<LiveContent | undefined> {
  const { rows } = await db.query<LiveContent>({
    name: 'read_live_content',
    text: `select v.version, v.content, ${ROLLOUT} as rollout
             from agents a ${versionFor('$3')}
            where a.id = $1 and a.namespace = $2 and a.deleted_at is null`,
    values: [id, namespace, unit],
  });
  return rows[0];
}

/**
 * Does the same as `readLiveContent` for several conversations. The result has the order of `asked`. Each version's
 * content is read only once.
 */
export async function readLiveContents(
  db: Db,
  asked: readonly { namespace: string; agentId: string; unit: string }[],
): Promise<(LiveContent | undefined)[]> {
  const { rows } = await db.query<LiveContent & { agentId: string; place: number }>({
    name: 'read_live_contents',
    text: `select g.place, a.id as "agentId", v.version, ${ROLLOUT} as rollout,
                  case when row_number() over (partition by a.id, v.version) = 1
                       then v.content end as content
             from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality
                    as g (agent_id, namespace, unit, place)
             join agents a on a.id = g.agent_id and a.namespace = g.namespace and a.deleted_at is null
                  ${versionFor('g.unit')}`,
    values: [
      asked.map(({ agentId }) => agentId),
      asked.map(({ namespace }) => namespace),
      asked.map(({ unit }) => unit),
    ],
  });
  const key = (row: { agentId: string; version: number | null }) => `${row.agentId} ${row.version}`;
  const contents = new Map(rows.flatMap((row) => (row.content ? [[key(row), row.content]] : [])));
  const byPlace = new Map(
    rows.map((row) => {
      const { version, rollout } = row;
      return [row.place, { version, rollout, content: contents.get(key(row)) ?? null }];
    }),
  );
  return asked.map((_, i) => byPlace.get(i + 1));
}

/** A version that was requested for a conversation. `content` is `null` if the version does not exist. */
export type VersionToTalk = { content: AgentContent | null; wasLive: boolean; isRecalled: boolean };

/** Returns a version that was requested for a conversation, or `undefined` if the agent does not exist. */
export async function readVersionToTalk(
  db: Db,
  { namespace, id, version }: { namespace: string; id: string; version: number },
): Promise<VersionToTalk | undefined> {
  const { rows } = await db.query<VersionToTalk>({
    name: 'read_version_to_talk',
    text: `select v.content, exists (select 1 from agent_activations x
                                      where x.agent_id = $1 and x.to_version = $3) as "wasLive",
                  ${isRecalled('a.id', '$3')} as "isRecalled"
             from agents a left join agent_versions v on v.agent_id = a.id and v.version = $3
            where a.id = $1 and a.namespace = $2 and a.deleted_at is null`,
    values: [id, namespace, version],
  });
  return rows[0];
}

/** Returns the language of a version (BCP 47), or `undefined` if it has none. */
export async function readVersionLanguage(
  db: Db,
  { agentId, agentVersion }: { agentId: string; agentVersion: number },
): Promise<string | undefined> {
  const { rows } = await db.query<{ language: string | null }>({
    name: 'read_version_language',
    text: `select content ->> 'language' as language from agent_versions
            where agent_id = $1 and version = $2`,
    values: [agentId, agentVersion],
  });
  return rows[0]?.language ?? undefined;
}

/**
 * Returns the language of an agent's last version (BCP 47), even if the agent was deleted. Returns `undefined` if that
 * version has no language.
 */
export async function readLastLanguage(db: Db, agentId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ language: string | null }>({
    name: 'read_last_language',
    text: `select content ->> 'language' as language from agent_versions
            where agent_id = $1 order by version desc limit 1`,
    values: [agentId],
  });
  return rows[0]?.language ?? undefined;
}

/**
 * Returns a version that was live at least once. Returns `undefined` if the agent or the version does not exist, or the
 * version was recalled.
 */
export async function readPublishedContent(
  db: Db,
  { namespace, id, version }: { namespace: string; id: string; version: number },
): Promise<{ version: number; content: AgentContent } | undefined> {
  const { rows } = await db.query<{ version: number; content: AgentContent }>({
    name: 'read_published_content',
    text: `select v.version, v.content
             from agents a join agent_versions v on v.agent_id = a.id and v.version = $3
            where a.id = $1 and a.namespace = $2 and a.deleted_at is null
              and exists (select 1 from agent_activations x
                           where x.agent_id = a.id and x.to_version = $3)
              and not ${isRecalled('a.id', '$3')}`,
    values: [id, namespace, version],
  });
  return rows[0];
}

/** An agent with a live version. `createdAt` is in Unix milliseconds. */
export type LiveAgent = { id: string; name: string; displayName: string | null; createdAt: number };

/** Lists agents with a live version, newest first. `id` selects a single agent. */
export async function listLiveAgents(
  db: Db,
  { namespace, id, limit }: { namespace: string; id?: string; limit: number },
): Promise<LiveAgent[]> {
  const { rows } = await db.query<LiveAgent>(
    `select id, name, spec->>'displayName' as "displayName", created_at as "createdAt"
       from agents
      where namespace = $1 and ($2::uuid is null or id = $2) and deleted_at is null
        and active_version is not null
      order by id desc limit $3`,
    [namespace, id, limit],
  );
  return rows;
}
