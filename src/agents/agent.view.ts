import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { AGENT_CONTENT_FIELDS } from './agent.ts';
import type { Models } from './references/missing-providers.ts';
import { notActedOn } from './not-acted-on.ts';
import { asSchema, toSnakeKey, unwrap } from '../platform/resources/schema/key-map.ts';
import { AGENT_SHAPE, fromAgentContent, fromAgentSpec } from './rest-agent.ts';
import type { AgentActivation } from './agent-activations.sql.ts';
import type { AgentVersion as VersionRow } from './agent-versions.sql.ts';
import type { AgentRow, LiveActivation } from './agents.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime, updatedAt } from '../platform/http/fields.ts';

/** Representation of agents, versions and activations in the REST API (contract/agents.md). */

const version = z.int().min(1);
const activationAction = z
  .enum(['published', 'rolled_back'])
  .meta({ description: '`rolled_back` if the version number goes down, otherwise `published`.' });

/**
 * An agent in the REST API. All fields are always present and `null` when unset, so that clients need not handle absent
 * ones.
 */
export const Agent = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the agent, `agt_…`.' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string().meta({ description: 'Name of the agent: a DNS label that never changes.' }),
    ...writeFields((field) => field.nullable()),
    metadata: z.record(z.string(), z.string()),
    publish_policy: z.enum(['automatic', 'manual', 'progressive']),
    active_version: version
      .nullable()
      .meta({ description: 'The version that is live. Null if no version was ever published.' }),
    latest_version: version.nullable(),
    pinned_version: version.nullable(),
    activation: z
      .strictObject({
        action: activationAction,
        from_version: version.nullable(),
        actor: z.string(),
        reason: z.string().nullable(),
        at: unixTime,
      })
      .nullable()
      .meta({
        description: 'Activation that made the active version live. Null if no version is live.',
      }),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({
      description: 'Whether the latest declaration of the agent is in effect.',
    }),
    status_message: z.string().nullable(),
    status: z.strictObject({ ready: z.boolean(), reason: z.string(), message: z.string() }),
  })
  .meta({ id: 'Agent', description: 'An agent: its declared fields and its state.' });

/**
 * Returns the agent as the REST API shows it. `whyCarrier` is the reason why the carrier provides speech even though
 * the agent names speech providers.
 */
export function agentView(
  row: AgentRow,
  models: Models,
  whyCarrier?: string,
): Record<string, unknown> {
  const { ready, reason } = row;
  const message = [row.message, notActedOn(row.spec, models, whyCarrier)]
    .filter(Boolean)
    .join('; ');
  return {
    id: fromUuid('agt', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    name: row.name,
    ...UNSET,
    metadata: {},
    publish_policy: 'automatic',
    ...fromAgentSpec(row.spec),
    active_version: row.activeVersion,
    latest_version: row.latestVersion === 0 ? null : row.latestVersion,
    pinned_version: row.spec.pinnedVersion ?? null,
    activation: row.activation && liveActivationView(row.activation),
    managed_by: row.managedBy,
    ready,
    status_message: message === '' ? null : message,
    status: { ready, reason, message },
  };
}

function liveActivationView({ action, fromVersion, actor, reason, at }: LiveActivation): object {
  return { action, from_version: fromVersion, actor, reason, at: unixSec(at) };
}

const CONTENT_FIELDS = AGENT_CONTENT_FIELDS.filter((field) => field !== 'promptFrom').map(
  toSnakeKey,
);

export const AgentVersion = z
  .strictObject({
    version,
    content_hash: z.string().meta({ description: 'Lower-case hex SHA-256 of the content.' }),
    content: z.strictObject(
      Object.fromEntries(
        Object.entries(writeFields((field) => field.optional())).filter(([name]) =>
          CONTENT_FIELDS.includes(name),
        ),
      ),
    ),
    created: createdAt,
    created_by: z.string().meta({
      description:
        'Actor that created the version: `api:key_…`, `session:<name>`, `kubernetes:<manager>` or ' +
        '`file`.',
    }),
    recalled_at: z.int().nullable().meta({
      description:
        'Time of the first recall in Unix seconds. Null if the version was never recalled.',
    }),
  })
  .meta({
    id: 'AgentVersion',
    description: 'A version: immutable content with a number that never changes.',
  });

export function versionView(row: VersionRow): z.output<typeof AgentVersion> {
  return {
    version: row.version,
    content_hash: row.contentHash,
    content: fromAgentContent(row.content),
    created: unixSec(row.createdAt),
    created_by: row.createdBy,
    recalled_at: unixSecOrNull(row.recalledAt),
  };
}

export const VersionDiff = z
  .strictObject({
    from: version,
    to: version,
    changes: z.array(
      z.strictObject({
        path: z.string().meta({
          description: 'RFC 6901 pointer into the content. Tools are identified by name.',
        }),
        before: z.unknown(),
        after: z.unknown(),
      }),
    ),
  })
  .meta({
    id: 'VersionDiff',
    description:
      'Changes between two versions. A value that exists in one version only is null in the other.',
  });

export const Activation = z
  .strictObject({
    action: activationAction,
    from_version: version.nullable(),
    to_version: version,
    actor: z.string(),
    reason: z.string().nullable(),
    handoffs: z
      .array(
        z.strictObject({
          tool: z.string(),
          agent: z.string(),
          agent_id: z.string().nullable(),
          version: version.nullable(),
        }),
      )
      .meta({
        description:
          "Targets of the version's handoffs. `version` is null if the target had no active version; " +
          'its first active version is then used.',
      }),
    at: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'Activation', description: 'An entry in the append-only log of activations.' });

export function activationView(row: AgentActivation): z.output<typeof Activation> {
  return {
    action: row.action,
    from_version: row.fromVersion,
    to_version: row.toVersion,
    actor: row.actor,
    reason: row.reason,
    handoffs: (row.handoffs ?? []).map(({ tool, agent, agentId, version: to }) => ({
      tool,
      agent,
      agent_id: agentId && fromUuid('agt', agentId),
      version: to,
    })),
    at: unixSec(row.at),
  };
}

/**
 * Returns the response schemas of all fields that can be written through the REST API, except `name`. Only top-level
 * fields are converted; nested ones keep their schemas.
 */
function writeFields(readable: (field: z.ZodType) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(AGENT_SHAPE).map(([name, field]): [string, z.ZodType] => {
      const schema = asSchema(field);
      const { description } = schema;
      const shown = readable(unwrap(schema));
      return [name, description === undefined ? shown : shown.describe(description)];
    }),
  );
}

const UNSET = Object.fromEntries(
  Object.keys(writeFields((field) => field)).map((name) => [name, null]),
);
