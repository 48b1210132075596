import { toldOf } from '../audit/changes.ts';
import { deleteAudited, patchAudited } from '../audit/change-declared.ts';
import type { AuditedBy } from '../audit/audit-log.sql.ts';
import { writingAhead } from '../audit/write-ahead.ts';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import {
  createDeclared,
  requireRow,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../platform/declare/declared-kind.ts';
import { declareUnderFreeName } from '../platform/declare/free-name.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { freshPlan, type Plan } from '../platform/idempotency/plan.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { ANNOTATIONS } from '../platform/resources/annotations.ts';
import { providerGone, TOLD } from './audit-provider.ts';
import {
  DEFAULT_PROVIDER,
  KEY_IN_HEADER,
  RESERVED_NAME,
  type ModelProviderSpec,
} from './model-provider.ts';
import { readProvider, type ModelProviderRow } from './model-providers.sql.ts';
import {
  fromModelProviderSpec,
  modelProviderPointer,
  toModelProviderSpec,
  type ModelProviderFields,
  type ModelProviderWrite,
} from './rest-model-provider.ts';

export type ProviderWriterDeps = DeclareDeps & { guard: AddressGuard; nowMs: () => number };

type WrittenProvider = Written<ModelProviderSpec, ModelProviderRow>;

const DECLARED_PROVIDER: DeclaredKind<ModelProviderSpec, ModelProviderFields, ModelProviderRow> = {
  kind: 'ModelProvider',
  idPrefix: 'mp',
  noun: 'model provider',
  table: 'model_providers',
  field: 'baseUrl',
  pointer: modelProviderPointer,
  words: {
    'defaultModel must be one of models': 'default_model must be one of models',
    [KEY_IN_HEADER]:
      'a key is no extra header: put it into a Secret and name that in api_key_secret_ref',
  },
  toSpec: toModelProviderSpec,
  fromSpec: fromModelProviderSpec,
  read: readProvider,
  asWritten: (written, spec, row) => ({ ...row, ...written, spec }),
};

/**
 * Declares a new provider (contract §4).
 * @throws ApiError name_taken, invalid_body
 */
export async function createProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  write: ModelProviderWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenProvider> {
  const { namespace } = caller;
  const { name, ...fields } = write;
  if (name === DEFAULT_PROVIDER) throw invalid('/name', 'reserved_name', RESERVED_NAME);
  checkAddress(deps.guard, fields.base_url);
  const target = fromUuid('mp', plan.id);
  const object = {
    kind: 'ModelProvider',
    namespace,
    spec: toModelProviderSpec(fields),
    annotations: { [ANNOTATIONS.id]: target },
  };
  const named = { given: name, displayName: undefined, noun: 'provider' };
  return writingAhead(
    { pool: deps.pool, by: caller, id: plan.id, action: 'model_provider.created', target },
    ({ begin }) =>
      createDeclared(deps, DECLARED_PROVIDER, {
        namespace,
        plan,
        declare: async () => {
          await begin({ after: toldOf({ ...write }, TOLD) });
          return declareUnderFreeName({ store: deps.store, plan }, object, named);
        },
      }),
    ({ row }) => ({ after: { name: row.name } }),
  );
}

/** JSON merge patch of the fields the API owns; a field of another manager is answered 409. */
export async function patchProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  input: { id: string; patch: Record<string, unknown>; precondition?: Precondition },
): Promise<WrittenProvider> {
  const { id, patch, precondition } = input;
  const key = { namespace: caller.namespace, id };
  const { name: given, ...changes } = patch;
  const { name } = await requireProvider(deps, key);
  if (given !== undefined && given !== name) {
    throw invalid('/name', 'immutable', 'a name never changes: make another provider');
  }
  if (typeof changes['base_url'] === 'string') checkAddress(deps.guard, changes['base_url']);
  return patchAudited(deps, DECLARED_PROVIDER, {
    caller,
    action: 'model_provider.updated',
    id,
    patch: changes,
    precondition,
    told: TOLD,
  });
}

export async function deleteProvider(
  deps: ProviderWriterDeps,
  caller: AuditedBy,
  { id, precondition }: { id: string; precondition?: Precondition },
): Promise<void> {
  await deleteAudited(deps, DECLARED_PROVIDER, {
    caller,
    action: 'model_provider.deleted',
    id,
    precondition,
    gone: providerGone,
  });
}

/** @throws ApiError not_found, for another namespace's id too */
export function requireProvider(deps: { pool: Db }, key: RowKey): Promise<ModelProviderRow> {
  return requireRow(deps, DECLARED_PROVIDER, key);
}

/** Checked early for the caller's sake; the guard decides again at every connection. */
function checkAddress(guard: AddressGuard, url: string): void {
  const checked = checkUrl(url, guard);
  if ('problem' in checked) throw invalid('/base_url', 'invalid_url', checked.problem);
}

function invalid(pointer: string, code: string, detail: string): ApiError {
  const message = pointer === '/base_url' ? `base_url: ${detail}` : detail;
  return new ApiError('invalid_body', message, { errors: [{ pointer, code, detail }] });
}
