import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { writingAhead, type WriteAhead } from '../audit/write-ahead.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import type { AgentSpec } from './agent.ts';
import { agentSettled, pinChange } from './audit-agent.ts';
import {
  ANNOTATIONS,
  API_PIN_MANAGER,
  encodeChangeCause,
} from '../platform/resources/annotations.ts';
import type { Resource } from '../platform/resources/resource-store.ts';
import { highestLiveVersionBelow } from './agent-activations.sql.ts';
import { findVersionByHash } from './agent-versions.sql.ts';
import type { AgentRow } from './agents.sql.ts';
import { contentHash, contentOf, HASH_VERSION } from './content-hash.ts';
import { versionRecalled } from './recalls/recalled-version.ts';
import { readRecalledVersions } from './recalls/recalls.sql.ts';
import { declaring, retryingConflicts } from '../platform/declare/declare.ts';
import { managedElsewhere, type RestTerms } from '../platform/declare/rest-terms.ts';
import { freshPlan, type Plan } from '../platform/idempotency/plan.ts';
import { noPrecondition, type Precondition } from '../platform/declare/precondition.ts';
import { requireDeclared, showWritten } from '../platform/declare/declared-kind.ts';
import {
  DECLARED_AGENT,
  type AgentWriterDeps,
  type Author,
  type WrittenAgent,
} from './write-agent.ts';

/**
 * Publish and rollback write only the pin, under a separate field manager. The content fields keep their own manager,
 * such as Git or Helm. So the next apply of the same manifest does not undo the pin.
 */

/** ID of the agent, the request's precondition, and the decisions stored for its retries (`Plan`). */
export type PinRequest = { id: string; precondition?: Precondition; plan?: Plan };

/**
 * Publishes a version. If `version` is given, pins it. Without `version`, the effect depends on the publish policy:
 * `automatic` and `progressive` remove the pin, and `manual` pins the latest version.
 */
export function publishVersion(
  deps: AgentWriterDeps,
  caller: Author,
  input: PinRequest & { version: number | undefined },
): Promise<WrittenAgent> {
  return movePin(deps, caller, {
    ...input,
    action: 'agent.published',
    reason: null,
    choose: async (agent) => {
      if (input.version !== undefined) {
        return publishable(deps, agent, existing(agent, input.version));
      }
      if (agent.spec.publishPolicy === 'Manual') {
        return publishable(deps, agent, agent.latestVersion);
      }
      await requireContentNotRecalled(deps, agent);
      return undefined;
    },
  });
}

/**
 * Rolls back to the given version. Without one, rolls back to the highest version that has been live, is lower than the
 * active one, and was not recalled.
 */
export function rollBack(
  deps: AgentWriterDeps,
  caller: Author,
  input: PinRequest & { version: number | undefined; reason: string | null },
): Promise<WrittenAgent> {
  return movePin(deps, caller, {
    ...input,
    action: 'agent.rolled_back',
    choose: async (agent) => {
      const { activeVersion } = agent;
      if (activeVersion === null) throw nothingToRollBackTo('The agent has no live version yet.');
      if (input.version === undefined) {
        const key = { agentId: agent.id, version: activeVersion };
        const version = await highestLiveVersionBelow(deps.pool, key);
        if (version === undefined) {
          throw nothingToRollBackTo(
            `No version below the active version ${activeVersion} can go live: each of them was never live or was recalled.`,
          );
        }
        return version;
      }
      if (input.version >= activeVersion) {
        throw wrongVersion(
          `\`version\` ${input.version} must be below the active version, ${activeVersion}.`,
        );
      }
      return publishable(deps, agent, existing(agent, input.version));
    },
  });
}

/** Returns the version if it was not recalled. @throws ApiError version_recalled */
async function publishable(
  { pool }: AgentWriterDeps,
  { id }: AgentRow,
  version: number,
): Promise<number> {
  if (!(await readRecalledVersions(pool, id)).has(version)) return version;
  throw versionRecalled(version, 'Choose another version.');
}

/** @throws ApiError version_recalled if the declared content is a recalled version */
async function requireContentNotRecalled(
  { pool }: AgentWriterDeps,
  { id, spec }: AgentRow,
): Promise<void> {
  const recalled = await readRecalledVersions(pool, id);
  if (recalled.size === 0) return;
  const hash = contentHash(contentOf(spec));
  const key = { agentId: id, hashVersion: HASH_VERSION, contentHash: hash };
  const version = await findVersionByHash(pool, key);
  if (version === undefined || !recalled.has(version)) return;
  throw versionRecalled(version, 'Change the content first, or publish another version.');
}

type Move = PinRequest & {
  action: AuditAction;
  reason: string | null;
  /** Returns the version to pin, or `undefined` to remove the pin. */
  choose: (agent: AgentRow) => Promise<number | undefined>;
};

function movePin(deps: AgentWriterDeps, caller: Author, input: Move): Promise<WrittenAgent> {
  const { id, action, plan = freshPlan(deps.nowMs()) } = input;
  return writingAhead(
    { pool: deps.pool, by: caller, id: plan.id, action, target: fromUuid('agt', id) },
    (ahead) => declarePin(deps, caller, { ...input, plan }, ahead),
    (written) =>
      agentSettled(written, { pinned_version: written.resource.spec.pinnedVersion ?? null }),
  );
}

async function declarePin(
  deps: AgentWriterDeps,
  caller: Author,
  input: Move & { plan: Plan },
  { begin }: Pick<WriteAhead, 'begin'>,
): Promise<WrittenAgent> {
  const { id, reason, precondition = noPrecondition, plan } = input;
  const resource = await declaring(PINNING, () =>
    retryingConflicts(async () => {
      const key = { namespace: caller.namespace, id };
      const { row: before, resource: current } = await requireDeclared(deps, DECLARED_AGENT, key);
      const { generation } = current.metadata;
      // The decision is stored before the pin is written. Without a stored decision, a retry after a crash would decide
      // again. It would then roll back further, because the first attempt has already changed the live version.
      const decided = await plan.decide(async () => {
        precondition(current);
        // Waits for the operator to create a version of the declared content, because that version may be the one to
        // choose.
        const { row } = await showWritten(deps, DECLARED_AGENT, { resource: current, id });
        return { version: await input.choose(row), generation };
      });
      if (decided.version !== current.spec.pinnedVersion && decided.generation !== generation) {
        // The agent has changed since an earlier attempt, so it is unknown whether that attempt succeeded.
        throw new ApiError(
          'write_conflict',
          'The agent has changed since this request began. Read it and try again.',
        );
      }
      await begin(pinChange(before, { from: current.spec.pinnedVersion }));
      const cause = { actor: caller.actor, reason };
      return applyPin(deps, current, { version: decided.version, cause });
    }),
  );
  return showWritten(deps, DECLARED_AGENT, { resource, id });
}

/** Terms for errors about the pin, the only field that publish and rollback write. */
const PINNING: RestTerms = { pointer: () => '/version', act: 'pin' };

async function applyPin(
  deps: AgentWriterDeps,
  current: Resource<AgentSpec>,
  pin: { version: number | undefined; cause: { actor: string; reason: string | null } },
): Promise<Resource> {
  const { namespace, name, generation, resourceVersion } = current.metadata;
  const { version } = pin;
  if (current.spec.pinnedVersion === version) return current; // The requested version is already pinned.
  // The store removes only the API's own declaration of the pin. If another manager also declares the pin, the pin
  // would silently stay in place, so the request is rejected.
  const owner = current.owners['pinnedVersion']?.find((manager) => manager !== API_PIN_MANAGER);
  if (version === undefined && owner !== undefined) {
    throw managedElsewhere([{ field: 'pinnedVersion', manager: owner }], PINNING);
  }
  const cause = encodeChangeCause({ generation: generation + 1, ...pin.cause });
  return deps.store.apply(
    {
      kind: 'Agent',
      namespace,
      name,
      spec: version === undefined ? {} : { pinnedVersion: version },
      annotations: { [ANNOTATIONS.pinChange]: cause },
    },
    { fieldManager: API_PIN_MANAGER, resourceVersion },
  );
}

function existing(agent: AgentRow, version: number): number {
  if (version <= agent.latestVersion) return version;
  throw wrongVersion(`The agent has no version ${version}; the latest is ${agent.latestVersion}.`);
}

function wrongVersion(detail: string): ApiError {
  return new ApiError('unknown_version', detail, {
    errors: [{ pointer: '/version', code: 'unknown_version', detail }],
  });
}

function nothingToRollBackTo(detail: string): ApiError {
  return new ApiError('nothing_to_roll_back_to', detail);
}
