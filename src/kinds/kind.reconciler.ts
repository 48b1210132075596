import { managedBy, whoElse } from '../platform/reconcile/actors.ts';
import { accepted, ready, resolvedRefs, type Problem } from '../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../platform/reconcile/reconciler.ts';
import { projectionsIn } from '../platform/resources/projections.sql.ts';
import type { ObjectKey, Resource } from '../platform/resources/resource-store.ts';
import type { KindOf } from './kind.ts';
import { projectKind, removeKind, type ProjectDeps, type ToProject } from './project-kind.ts';

/** Writes the row of the object that is being reconciled, by calling `projectKind`. */
export type Project = (
  found: Pick<ToProject<unknown>, 'found' | 'secret' | 'beside'>,
) => Promise<Problem | undefined>;

/** Part of a reconcile that each kind implements itself. */
export type OwnReconcile<Spec, Status> = Pick<
  ReconciledKind<Spec, Status>,
  'action' | 'listStale' | 'listChanged'
> & {
  /** Omitted for kinds that refer to no other objects. */
  uses?: ReconciledKind<Spec, Status>['uses'];
  /** Validates an object, writes its row with `project`, and returns its status. */
  act: (
    resource: Resource<Spec, Status>,
    project: Project,
    /** UUID of the object. */
    id: string,
  ) => Promise<Outcome<Status>>;
  /** Called when an object is deleted. Removes the data about the object from the memory of this process. */
  forget?: (key: ObjectKey) => void;
  /**
   * Called when an object is deleted, before its row is marked as deleted. Deletes the object's data outside the
   * database.
   */
  removing?: (key: ObjectKey) => Promise<void>;
};

/** Returns the reconciler of a kind that is defined by `defineKind`. */
export function reconciled<Spec, Used, Status>(
  kind: KindOf<Spec, Used>,
  deps: ProjectDeps,
  own: OwnReconcile<Spec, Status>,
): ReconciledKind<Spec, Status> {
  const { uses = {}, act, forget, removing, ...rest } = own;
  return {
    kind: kind.kind,
    idPrefix: kind.idPrefix,
    idField: kind.idField,
    rows: projectionsIn(deps.pool, kind.table),
    uses,
    ...rest,
    act: (resource, { id, epoch }) => {
      const { namespace, name, uid, generation } = resource.metadata;
      const home = managedBy(resource.owners[kind.homeField]);
      const { spec } = resource;
      const declared = { id, namespace, name, uid, generation, managedBy: home, spec };
      const by = { epoch, declared, whoElse: whoElse(resource as Resource) };
      return act(resource, (found) => projectKind(kind, deps, { ...by, ...found }), id);
    },
    remove: async (key, epoch) => {
      forget?.(key);
      // The row is marked as deleted last. If this process dies before then, the next leader finds the row and repeats
      // the deletion.
      await removing?.(key);
      await removeKind(kind, deps, { epoch, ...key });
    },
  };
}

const IN_FORCE = { reason: 'InForce', message: 'the declaration is in effect' };

/**
 * Returns the reconciler of a kind whose objects refer to no other objects and are in effect as soon as they are
 * declared.
 */
export function plainReconciler<Spec, Used>(
  kind: KindOf<Spec, Used>,
): (deps: ProjectDeps) => ReconciledKind<Spec> {
  return (deps) =>
    reconciled(kind, deps, {
      action: 'Accept',
      act: async (_, project) => {
        await project({ found: { ready: true, ...IN_FORCE }, secret: { text: undefined } });
        return { findings: [ready(IN_FORCE), accepted, resolvedRefs()], status: {} };
      },
    });
}
