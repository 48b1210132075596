import type { z } from 'zod';
import { requireRow } from '../platform/declare/declared-kind.ts';
import { etagOf } from '../platform/declare/precondition.ts';
import type { Condition } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import { namesOf } from '../platform/resources/kind-names.ts';
import {
  definitionOf,
  type KindCrd,
  type KindDefinition,
} from '../platform/resources/schema/kind-definition.ts';
import type { SnakeCased } from '../platform/resources/schema/key-map.ts';
import type { DeclaredApi, DeclaredTexts } from './declared-api.ts';
import { kindRest, type KindRest, type RestTexts } from './kind-rest.ts';
import { kindRows, sealedColumn, type KindRow, type KindRows } from './kind-rows.sql.ts';
import type { ProjectedKind } from './project-kind.ts';
import {
  createOf,
  deleteOf,
  patchOf,
  type KindApiDeps,
  type WriteRules,
  type WrittenKind,
} from './write-kind.ts';

/**
 * Input of `defineKind` (docs/kinds.md). The folder of a kind provides the specific part, and `defineKind` adds the
 * common part: CRD, table operations, REST schemas, routes, audit entries, quota, usage, change events and columns with
 * encrypted (sealed) values.
 */
export type KindSpec<S extends z.ZodObject, Used> = Omit<KindCrd, 'spec'> & {
  spec: S;
  /**
   * Spec field that every object of the kind has. The field manager that owns this field counts as the manager of the
   * object.
   */
  homeField: string & keyof z.output<S>;
  /** Column with the encrypted (sealed) secret, if the kind has one. */
  secretColumn?: string;
  /**
   * Returns the part of a spec that is stored when the declaration comes into effect. Defaults to the whole
   * declaration.
   */
  used?: (spec: z.output<S>) => Used;
  /** Deletes a deleted object's rows in other tables. */
  release?: (db: Db, id: string) => Promise<void>;
  rest: RestTexts &
    DeclaredTexts &
    WriteRules<SnakeCased<z.output<S>>> & {
      /**
       * Replacement messages for REST errors: maps the message of a schema rule to the message that REST callers get.
       */
      words?: Readonly<Record<string, string>>;
      /**
       * Filters of the list in addition to name, manager and readiness: the parameter's schema, and an SQL condition
       * with `?` for its value.
       */
      filters?: Readonly<Record<string, { schema: z.ZodType; where: string }>>;
    };
  /**
   * REST fields whose values the audit log shows: `shown` for a declared or changed object, `gone` for a deleted
   * object.
   */
  audit: { shown: readonly string[]; gone: readonly string[] };
};

/** A kind as seen by the code in its own folder. Other code needs only its `KindDefinition`, `sealed` and `api`. */
export type KindOf<Spec, Used = Spec> = KindDefinition &
  Omit<ProjectedKind<Spec, Used>, 'rest'> & {
    rest: KindRest<Spec>;
    homeField: string;
    sealed: readonly SealedColumn[];
    api: KindApi;
  };

/** Untyped REST interface of a kind. */
export type KindApi = {
  texts: DeclaredTexts;
  schemas: Record<'Write' | 'Patch' | 'Shown', z.ZodType>;
  filters: Readonly<Record<string, { schema: z.ZodType; where: string }>>;
  of: (deps: KindApiDeps) => DeclaredApi;
};

export function defineKind<S extends z.ZodObject, Used = z.output<S>>(
  given: KindSpec<S, Used>,
): KindOf<z.output<S>, Used> {
  type Spec = z.output<S>;
  const names = namesOf(given);
  const { secretColumn, rest: rules } = given;
  const rest = kindRest(names, given.spec, rules);
  const rows = kindRows<Spec, Used>(names, secretColumn);
  const projected: ProjectedKind<Spec, Used> = {
    names,
    rows,
    rest,
    audit: { ...given.audit, shown: ['name', ...given.audit.shown, 'managed_by'] },
    // The cast is safe, because `Used` is the same type as `Spec` unless `used` is given.
    used: given.used ?? ((spec) => spec as unknown as Used),
    release: given.release ?? (async () => undefined),
  };
  const written: WrittenKind<Spec> & { rest: KindRest<Spec> } = {
    ...(projected as ProjectedKind<Spec, unknown>),
    rest,
    rules,
    declared: {
      ...names,
      field: given.homeField,
      pointer: rest.pointer,
      ...(rules.words && { words: rules.words }),
      toSpec: (fields) => ({ ...rest.toSpec(fields) }),
      fromSpec: (spec) => rest.fromSpec(spec),
      read: rows.read,
      asWritten: (row, spec, before) => ({ ...before, ...row, spec }),
    },
  };
  return {
    ...definitionOf(given),
    ...projected,
    rest,
    homeField: given.homeField,
    sealed: secretColumn === undefined ? [] : [sealedColumn(names, secretColumn)],
    api: {
      texts: rules,
      schemas: rest,
      filters: rules.filters ?? {},
      of: (deps) => apiOf(written, deps, rules.filters ?? {}),
    },
  };
}

function apiOf<Spec>(
  kind: WrittenKind<Spec> & { rest: KindRest<Spec> },
  deps: KindApiDeps,
  filters: KindApi['filters'],
): DeclaredApi {
  const { rows, rest, declared } = kind;
  const answer = (row: KindRow<Spec>, shown: boolean) => ({
    etag: etagOf(row),
    body: rest.view(row),
    shown,
  });
  return {
    list: async ({ namespace, before, limit, ...given }) => {
      const { name, managed_by: managedBy, ready, ...own } = given;
      const more = Object.entries(own).map(([filter, value]) => [filters[filter]?.where, value]);
      const page = { namespace, before, limit, name, managedBy, ready } as Parameters<
        KindRows<Spec>['list']
      >[1]; // The cast is safe: the route has parsed the filters.
      const found = await rows.list(deps.pool, page, more as Condition[]);
      return found.map((row) => ({ id: row.id, body: rest.view(row), fits: row.fits }));
    },
    read: async (key) => answer(await requireRow(deps, declared, key), true),
    create: async (caller, { body, plan }) => {
      // The cast is safe: the route has already parsed the body with the schema `Write`.
      const write = body as Parameters<typeof createOf<Spec>>[3]['write'];
      const { row, shown } = await createOf(kind, deps, caller, { write, plan });
      return answer(row, shown);
    },
    patch: async (caller, { id, patch, precondition }) => {
      const { row, shown } = await patchOf(kind, deps, caller, { id, patch, precondition });
      return answer(row, shown);
    },
    remove: (caller, input) => deleteOf(kind, deps, caller, input),
  };
}
