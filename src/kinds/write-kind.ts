import type { AuditedBy } from '../audit/audit-log.sql.ts';
import { createAudited, deleteAudited, patchAudited } from '../audit/change-declared.ts';
import { toldOf } from '../audit/changes.ts';
import { ApiError, type FieldError } from '../errors.ts';
import {
  requireRow,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../platform/declare/declared-kind.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import type { Plan } from '../platform/idempotency/plan.ts';
import type { SnakeCased } from '../platform/resources/schema/key-map.ts';
import { managedElsewhere } from '../platform/declare/rest-terms.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { keepingGiven, requireGivenAgain, takeGiven, type SecretField } from './given-secret.ts';
import type { KindRow } from './kind-rows.sql.ts';
import { goneLine, type ProjectedKind } from './project-kind.ts';

/** Dependencies of the functions that write the objects of a kind for REST (contract/custom-resources.md). */

export type KindApiDeps = DeclareDeps & {
  guard: AddressGuard;
  sealer: Pick<Sealer, 'seal'>;
  nowMs: () => number;
};

/** Additional rules that a kind has for writes through REST. */
export type WriteRules<Fields> = {
  /** Names that no object may have, each with the reason. */
  reservedNames?: Readonly<Record<string, string>>;
  /** Prefix of a generated name. Defaults to the last word of the kind's noun. */
  derivedName?: string;
  /**
   * Returns the faults in the fields of a create request or of a merge patch. In a merge patch, a field may be null.
   * Without this check, such faults would appear only after the write, in a condition. The operator validates the whole
   * declaration again.
   */
  faults?: (
    deps: KindApiDeps,
    key: RowKey,
    fields: { [Field in keyof Fields]?: Fields[Field] | null },
  ) => Promise<FieldError[]> | FieldError[];
  /**
   * Returns the error text for the first fault. By default the text contains the field and the detail; for `name` it
   * contains only the detail.
   */
  explain?: (fault: FieldError) => string;
};

/** The properties of a kind that are needed to write its objects through REST. */
export type WrittenKind<Spec> = ProjectedKind<Spec, unknown> & {
  declared: DeclaredKind<Spec, Fields<Spec>, KindRow<Spec>>;
  rules: WriteRules<SnakeCased<Spec>> & { secret?: SecretField };
};
type Fields<Spec> = SnakeCased<Spec> & object;

/**
 * Declares a new object.
 * @throws ApiError name_taken, invalid_body, quota_exceeded
 */
export async function createOf<Spec>(
  kind: WrittenKind<Spec>,
  deps: KindApiDeps,
  caller: AuditedBy,
  { write, plan }: { write: Fields<Spec> & { name?: string }; plan: Plan },
): Promise<Written<Spec, KindRow<Spec>>> {
  const { names, declared, rules, audit } = kind;
  const { namespace } = caller;
  const { name, ...body } = write;
  const reserved = name === undefined ? undefined : rules.reservedNames?.[name];
  if (reserved !== undefined) throw refusal(rules, [fault('/name', 'reserved_name', reserved)]);
  const key = { namespace, id: plan.id };
  const { fields, kept } = takeGiven(
    { secrets: secretsOf(rules), names, key },
    body,
    () => plan.seed,
  );
  refuseMissing(rules, fields);
  await refuseFaults(kind, deps, key, fields);
  const noun = rules.derivedName ?? shortNoun(names.noun);
  return keepingGiven(deps, kept, () =>
    createAudited(deps, declared, {
      caller,
      action: `${names.auditNoun}.created`,
      plan,
      name: { given: name, displayName: undefined, noun },
      // The cast is safe: the body without its name has all fields of the spec.
      spec: declared.toSpec(fields as Fields<Spec>),
      after: toldOf({ ...write, ...fields }, audit.shown),
    }),
  );
}

/**
 * Applies a JSON merge patch to the fields that the API owns. Rejects a change to a field that another manager owns
 * (409).
 */
export async function patchOf<Spec>(
  kind: WrittenKind<Spec>,
  deps: KindApiDeps,
  caller: AuditedBy,
  input: { id: string; patch: Record<string, unknown>; precondition: Precondition },
): Promise<Written<Spec, KindRow<Spec>>> {
  const { names, declared, rules, audit } = kind;
  const { id, patch, precondition } = input;
  const key = { namespace: caller.namespace, id };
  const { name: given, ...body } = patch;
  const { name, managedBy } = await requireRow(deps, declared, key);
  if (given !== undefined && given !== name) {
    const detail = `The \`name\` of the ${names.noun} cannot change. Create another ${shortNoun(names.noun)} instead.`;
    throw refusal(rules, [fault('/name', 'immutable', detail)]);
  }
  const secrets = secretsOf(rules);
  const { fields: changes, kept } = takeGiven({ secrets, names, key }, body);
  if (kept.length > 0 && rules.secret && managedBy !== 'api') {
    throw managedElsewhere([{ field: rules.secret.field, manager: managedBy }], declared);
  }
  await refuseFaults(kind, deps, key, changes);
  return keepingGiven(deps, kept, () =>
    patchAudited(deps, declared, {
      caller,
      action: `${names.auditNoun}.updated`,
      id,
      patch: changes,
      precondition,
      permit: (fields) => requireGivenAgain({ secrets, names, id, kept }, fields),
      told: audit.shown,
    }),
  );
}

export async function deleteOf<Spec>(
  kind: WrittenKind<Spec>,
  deps: KindApiDeps,
  caller: AuditedBy,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<void> {
  await deleteAudited(deps, kind.declared, {
    caller,
    action: `${kind.names.auditNoun}.deleted`,
    id,
    precondition,
    gone: (row) => goneLine(kind, row),
  });
}

const secretsOf = ({ secret }: { secret?: SecretField }): readonly SecretField[] =>
  secret ? [secret] : [];

/**
 * Requires a new object to have its secret, if the kind needs one: either the secret itself or a reference to a Secret.
 * The schema of the body requires neither field.
 * @throws ApiError invalid_body
 */
function refuseMissing<Spec>(rules: WrittenKind<Spec>['rules'], fields: object): void {
  const { secret } = rules;
  if (!secret?.isRequired || Object.hasOwn(fields, secret.ref)) return;
  const detail = `is required, unless \`${secret.ref}\` names the Secret that has it`;
  throw refusal(rules, [fault(`/${secret.field}`, 'required', detail)]);
}

/**
 * Rejects a request in which the kind's own rules find faults.
 * @throws ApiError invalid_body
 */
async function refuseFaults<Spec>(
  { rules }: WrittenKind<Spec>,
  deps: KindApiDeps,
  key: RowKey,
  fields: object,
): Promise<void> {
  const faults = (await rules.faults?.(deps, key, fields)) ?? [];
  if (faults.length > 0) throw refusal(rules, faults);
}

export function fault(pointer: string, code: string, detail: string): FieldError {
  return { pointer, code, detail };
}

/** Returns a fault's message with its field in front, such as `base_url: …`. */
export function withPlace({ pointer, detail }: FieldError): string {
  return `${pointer.slice(1).replaceAll('/', '.')}: ${detail}`;
}

function refusal(
  { explain = explainFault }: Pick<WriteRules<unknown>, 'explain'>,
  errors: readonly FieldError[],
): ApiError {
  const [first] = errors;
  return new ApiError('invalid_body', first ? explain(first) : '', { errors });
}

function explainFault(error: FieldError): string {
  return error.pointer === '/name' ? error.detail : withPlace(error);
}

/** Returns the last word of a noun: `model provider` → `provider`. */
export function shortNoun(noun: string): string {
  return noun.slice(noun.lastIndexOf(' ') + 1);
}
