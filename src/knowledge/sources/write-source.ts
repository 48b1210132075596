import { toldOf } from '../../audit/changes.ts';
import { createAudited, deleteAudited, patchAudited } from '../../audit/change-declared.ts';
import type { AuditedBy } from '../../audit/audit-log.sql.ts';
import { ApiError } from '../../errors.ts';
import {
  requireRow,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../../platform/declare/declared-kind.ts';
import type { Precondition } from '../../platform/declare/precondition.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { PASSAGES_MAX } from '../passages/cut-passages.ts';
import type { TextCutter } from '../passages/text-cutter.ts';
import { sourceGone, TOLD } from './audit-source.ts';
import { cutOrRefuse } from './cut-or-refuse.ts';
import { checkBytes } from './knowledge-quota.ts';
import { isFetched, scheduleProblem } from './fetched-source.ts';
import { requireFetchedUrl } from './integration-problem.ts';
import { KEY_IN_FEED_HEADER, type KnowledgeSourceSpec } from './knowledge-source.ts';
import { readSource, type KnowledgeSourceRow } from './knowledge-sources.sql.ts';
import {
  fromKnowledgeSourceSpec,
  knowledgeSourcePointer,
  toKnowledgeSourceSpec,
  type KnowledgeSourceFields,
  type KnowledgeSourceWrite,
} from './rest-knowledge-source.ts';

export type SourceWriterDeps = DeclareDeps & {
  guard: AddressGuard;
  cutter: Pick<TextCutter, 'cut'>;
  nowMs: () => number;
};

export type WrittenSource = Written<KnowledgeSourceSpec, KnowledgeSourceRow>;

export const DECLARED_SOURCE: DeclaredKind<
  KnowledgeSourceSpec,
  KnowledgeSourceFields,
  KnowledgeSourceRow
> = {
  kind: 'KnowledgeSource',
  idPrefix: 'ks',
  noun: 'knowledge source',
  table: 'knowledge_sources',
  resource: 'knowledge_sources',
  field: 'type',
  pointer: knowledgeSourcePointer,
  words: {
    'a source of type `text` must have exactly one of `text` and `textFrom`':
      'a source of type `text` must have a `text`',
    '`textFrom` requires `type: text`': 'text from a ConfigMap requires `type: text`',
    [KEY_IN_FEED_HEADER]:
      'must not contain an API key: store the key in a Secret and name the Secret in `secret_ref`',
  },
  toSpec: toKnowledgeSourceSpec,
  fromSpec: fromKnowledgeSourceSpec,
  // A write of the REST field `text` also conflicts if another manager owns `textFrom`, because a source with both
  // fields would have two texts.
  specFields: { text: ['text', 'textFrom'] },
  read: readSource,
  asWritten: (written, declared, row) => {
    const { text: _, ...spec } = declared;
    return {
      documents: 0,
      chunks: 0,
      bytes: 0,
      lastSyncedAt: null,
      lastSync: null,
      contentHash: null,
      sync: null,
      syncFailures: 0,
      nextSyncAt: null,
      askedKey: null,
      syncedKey: null,
      blocked: false,
      ...row,
      ...written,
      type: spec.type,
      spec,
      // The status is `refreshing` if content is indexed, because searches find that content until the new text is
      // indexed.
      status:
        row && row.contentHash !== null
          ? 'refreshing'
          : isFetched(spec.type)
            ? 'syncing'
            : 'pending',
    };
  },
};

/**
 * Creates a source (contract/requests.md#writes).
 * @throws ApiError name_taken, invalid_body
 */
export async function createSource(
  deps: SourceWriterDeps,
  caller: AuditedBy,
  write: KnowledgeSourceWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenSource> {
  const { namespace } = caller;
  const { name, ...fields } = write;
  requireSchedule(deps, fields.schedule);
  requireFetchedUrl(deps.guard, fields);
  if (!plan.isRetry) await checkBytes(deps.pool, deps, { namespace, text: fields.text });
  await refuseTooMany(deps, namespace, fields.text);
  return createAudited(deps, DECLARED_SOURCE, {
    caller,
    action: 'knowledge_source.created',
    plan,
    name: { given: name, displayName: undefined, noun: 'source' },
    spec: toKnowledgeSourceSpec(fields),
    after: toldOf(write, TOLD),
  });
}

/**
 * Applies a JSON merge patch to the fields that the API owns. A change of a field that another manager owns results in
 * status 409.
 */
export async function patchSource(
  deps: SourceWriterDeps,
  caller: AuditedBy,
  input: { id: string; patch: Record<string, unknown>; precondition?: Precondition },
): Promise<WrittenSource> {
  const { id, patch, precondition } = input;
  const key = { namespace: caller.namespace, id };
  requireSameIdentity(await requireSource(deps, key), patch);
  const { name: _, type: __, ...changes } = patch;
  requireSchedule(deps, changes['schedule']);
  requireFetchedUrl(deps.guard, changes);
  await checkBytes(deps.pool, deps, { ...key, text: changes['text'] });
  await refuseTooMany(deps, caller.namespace, changes['text']);
  return patchAudited(deps, DECLARED_SOURCE, {
    caller,
    action: 'knowledge_source.updated',
    id,
    patch: changes,
    precondition,
    told: TOLD,
  });
}

/**
 * Checks during a REST write whether a text has too many passages, so that the caller receives the error. Without this
 * check, the operator would find the problem only after the response. Skips texts that are too short to have too many
 * passages.
 * @throws ApiError invalid_body, unavailable
 */
async function refuseTooMany(
  deps: SourceWriterDeps,
  namespace: string,
  text: unknown,
): Promise<void> {
  if (typeof text !== 'string' || text.length < PASSAGES_MAX) return;
  await cutOrRefuse(deps, namespace, { path: 'text', title: '', text }, '/text');
}

export async function deleteSource(
  deps: SourceWriterDeps,
  caller: AuditedBy,
  { id, precondition }: { id: string; precondition?: Precondition },
): Promise<void> {
  await deleteAudited(deps, DECLARED_SOURCE, {
    caller,
    action: 'knowledge_source.deleted',
    id,
    precondition,
    gone: sourceGone,
  });
}

/** Returns a source of the namespace. @throws ApiError not_found, also if the source is in another namespace */
export function requireSource(deps: { pool: Db }, key: RowKey): Promise<KnowledgeSourceRow> {
  return requireRow(deps, DECLARED_SOURCE, key);
}

/** Validates a schedule. @throws ApiError invalid_body if it is not a cron expression or never matches a date */
function requireSchedule({ nowMs }: Pick<SourceWriterDeps, 'nowMs'>, schedule: unknown): void {
  if (typeof schedule !== 'string') return;
  const detail = scheduleProblem(schedule, nowMs());
  if (detail === undefined) return;
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/schedule', code: 'invalid_format', detail }],
  });
}

/** Rejects a change of `name` or `type`, which are immutable. Accepts their current values. */
function requireSameIdentity(
  { name, type }: KnowledgeSourceRow,
  patch: Record<string, unknown>,
): void {
  for (const [field, value] of Object.entries({ name, type })) {
    if (!Object.hasOwn(patch, field) || patch[field] === value) continue;
    const detail = `The \`${field}\` of a source cannot change. Create another source instead.`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: `/${field}`, code: 'immutable', detail }],
    });
  }
}
