import { isDeepStrictEqual } from 'node:util';
import { reasonOf } from '../../errors.ts';
import type { Applied, ResourceStore } from '../resources/resource-store.ts';
import { applyManifest } from './apply.ts';
import { CORE_KINDS, isCoreKind } from '../resources/schema/core-kinds.ts';
import type { Validator } from '../resources/schema/validate.ts';
import type { ManifestObject } from './object.ts';
import { pruneManifests } from './prune.ts';
import { createManifestReader, type ManifestLook } from './read.ts';
import {
  createManifestReporter,
  formatPlace,
  type ManifestProblem,
  type ManifestReport,
} from './report.ts';

export type ManifestTiming = {
  /**
   * Time in ms between the last change in a burst and the next pass. Editors cause bursts of changes when they save a
   * file. A pass starts at most `maxDelayMs` after the first change.
   */
  debounceMs: number;
  maxDelayMs: number;
  /**
   * Interval in ms between passes that run even without a file event. These passes find changes that cause no events. A
   * file must also stay empty for this time before its objects count as missing, because an editor may not have written
   * the file completely.
   */
  rescanMs: number;
  /**
   * Time in ms for which an object must be missing before it is deleted. Some editors save a file by deleting it and
   * writing it again.
   */
  settleMs: number;
  /** Interval in ms at which all objects are applied again, even if they seem unchanged. */
  fullPassMs: number;
  /** Time in ms to wait after the store has failed. The time doubles with each further failure, up to 30 s. */
  retryMs: number;
};

export type ManifestPassDeps = {
  validate: Validator;
  folder: string;
  store: Pick<ResourceStore, 'apply' | 'delete' | 'list'>;
  report: (line: ManifestReport) => void;
  nowMs: () => number;
  timing: ManifestTiming;
};

/**
 * Result of a pass. `againInMs` is the time until the next pass. If it is 0, the store failed, and the pass is retried
 * with back-off.
 */
export type ManifestPassResult = { folders: ManifestLook['folders']; againInMs: number };

// Number of failures in a row after which a pass stops. If the store is down, each further object would have to wait
// for a timeout.
const MAX_FAILURES_IN_A_ROW = 3;

const DELETES_NOTHING: ManifestProblem = {
  detail: 'nothing is deleted as long as a manifest or the folder cannot be read',
};

/**
 * Creates the function that runs a pass: it reads the folder once, and then updates the store. Calls must not overlap.
 */
export function createManifestPass(
  deps: ManifestPassDeps,
): (isStopping: () => boolean) => Promise<ManifestPassResult> {
  const { nowMs, timing } = deps;
  const reader = createManifestReader({ ...deps, emptySettleMs: timing.rescanMs });
  const reporter = createManifestReporter(deps.report);
  const applier = createApplier(deps.store, reporter.info);
  const absences = createAbsences(deps);
  let lastFullMs: number | undefined;
  let pruneDue = true;
  let pruneProblems: ManifestProblem[] = [];
  // Current problem with the store. It is reported only once per outage, although its message may differ between
  // attempts.
  let storeProblem: ManifestProblem | undefined;

  const noteStore = (error: unknown): void => {
    if (error === undefined && storeProblem) reporter.info('manifests can be stored again');
    if (error === undefined) storeProblem = undefined;
    else
      storeProblem ??= {
        detail: `manifests cannot be stored: ${reasonOf(error)}; retrying`,
      };
  };

  /**
   * Deletes objects that are no longer declared. Returns the time in ms until another check is needed, or undefined if
   * none is needed.
   */
  const prune = async (look: ManifestLook, declared: Declared): Promise<number | undefined> => {
    if (!look.complete || !pruneDue) return undefined;
    if (look.unsettledMs > 0) return look.unsettledMs;
    let waitMs: number | undefined;
    const mayRemove = (id: string): boolean => {
      if (declared.has(id)) return false;
      const leftMs = absences.leftMs(id);
      if (leftMs > 0) waitMs = Math.min(waitMs ?? leftMs, leftMs);
      return leftMs <= 0;
    };
    const kinds = [...deps.validate.kinds, ...CORE_KINDS];
    pruneProblems = await pruneManifests({
      store: deps.store,
      kinds,
      mayRemove,
      info: reporter.info,
    });
    pruneDue = waitMs !== undefined;
    return waitMs;
  };

  return async (isStopping) => {
    const look = await reader.look();
    const { declared, duplicates } = resolveDuplicates(look);
    const isFull = lastFullMs === undefined || nowMs() - lastFullMs >= timing.fullPassMs;
    pruneDue ||= isFull;
    if (absences.note(declared, look)) pruneDue = true;
    let againInMs = timing.rescanMs;
    try {
      await applier.apply([...declared.values()], { isFull, isStopping });
      if (!isStopping())
        againInMs = Math.min(againInMs, (await prune(look, declared)) ?? againInMs);
      if (isFull && !isStopping()) lastFullMs = nowMs();
      noteStore(undefined);
    } catch (error) {
      noteStore(error);
      againInMs = 0;
    }
    reporter.problems([
      ...look.problems,
      ...duplicates,
      ...applier.problems(declared),
      ...pruneProblems,
      ...(look.complete ? [] : [DELETES_NOTHING]),
      ...(storeProblem ? [storeProblem] : []),
    ]);
    return { folders: look.folders, againInMs };
  };
}

type Declared = ReadonlyMap<string, ManifestObject>;

/**
 * Resolves duplicate declarations: the first declaration of an object, in path order, is used. Each other declaration
 * becomes a problem that names the position of the first.
 */
function resolveDuplicates(look: ManifestLook): {
  declared: Declared;
  duplicates: ManifestProblem[];
} {
  const declared = new Map<string, ManifestObject>();
  const duplicates: ManifestProblem[] = [];
  for (const object of look.files.flatMap(({ objects }) => objects)) {
    const first = declared.get(object.id);
    if (!first) declared.set(object.id, object);
    else {
      const where = formatPlace(first.placeOf('/metadata/name'));
      const detail = `${object.id} is already declared at ${where}; that declaration is used: remove one of the two`;
      const place = object.placeOf('/metadata/name');
      duplicates.push({ place, field: 'metadata.name', detail });
    }
  }
  return { declared, duplicates };
}

/** Tracks how long objects that were declared earlier have been missing. */
function createAbsences(deps: { nowMs: () => number; timing: ManifestTiming }): {
  /**
   * Updates the times after the folder was read. Returns true if an object that was declared at the previous call is
   * missing now.
   */
  note: (declared: Declared, look: ManifestLook) => boolean;
  /**
   * Returns how much longer, in ms, the object must be missing before it may be deleted. The result is negative for an
   * object that no manifest has declared since this process started.
   */
  leftMs: (id: string) => number;
} {
  let known: string[] = [];
  const sinceMs = new Map<string, number>();
  return {
    note: (declared, look) => {
      const missing = known.filter((id) => !declared.has(id));
      for (const id of missing) sinceMs.set(id, deps.nowMs());
      for (const id of sinceMs.keys()) {
        if (declared.has(id)) sinceMs.delete(id);
        // An incomplete read of the folder does not prove that an object is missing, so the time starts again.
        else if (!look.complete) sinceMs.set(id, deps.nowMs());
      }
      known = [...declared.keys()];
      return missing.length > 0;
    },
    leftMs: (id) => (sinceMs.get(id) ?? -Infinity) + deps.timing.settleMs - deps.nowMs(),
  };
}

/** Creates an applier that applies changed objects and remembers the problems with each object. */
function createApplier(store: Pick<ResourceStore, 'apply'>, info: (text: string) => void) {
  const done = new Map<string, { applied: Applied; problems: ManifestProblem[] }>();

  /**
   * Applies an object if it has changed since it was last applied, or always if `isFull` is true. Returns true if it
   * was applied.
   * @throws the errors of the store
   */
  const applyOne = async (object: ManifestObject, isFull: boolean): Promise<boolean> => {
    const { id, applied } = object;
    if (!applied) return false;
    if (!isFull && isDeepStrictEqual(done.get(id)?.applied, applied)) return false;
    done.delete(id);
    const problems = await applyManifest({ ...object, applied }, store);
    done.set(id, { applied, problems });
    return true;
  };

  return {
    /**
     * Applies the objects. If an object fails, continues with the next object, but stops after several failures in a
     * row. At the end, throws the first failure, if there was one.
     */
    apply: async (
      objects: readonly ManifestObject[],
      { isFull, isStopping }: { isFull: boolean; isStopping: () => boolean },
    ): Promise<void> => {
      const ids = new Set(objects.map(({ id }) => id));
      for (const id of done.keys()) if (!ids.has(id)) done.delete(id);
      const failures: unknown[] = [];
      let failuresInARow = 0;
      let count = 0;
      for (const object of inOrder(objects)) {
        if (isStopping() || failuresInARow >= MAX_FAILURES_IN_A_ROW) break;
        try {
          if (!(await applyOne(object, isFull))) continue;
          failuresInARow = 0;
          count += 1;
          if (!isFull) info(`${object.id}: applied`);
        } catch (error) {
          failures.push(error);
          failuresInARow += 1;
        }
      }
      if (isFull && count > 0)
        info(count === 1 ? '1 manifest is active' : `${count} manifests are active`);
      if (failures.length > 0) throw failures[0];
    },
    problems: (declared: Declared): ManifestProblem[] =>
      [...declared.keys()].flatMap((id) => done.get(id)?.problems ?? []),
  };
}

const isCore = ({ kind }: ManifestObject): boolean => isCoreKind(kind);

/** Puts Secrets and ConfigMaps first, so that they exist when the objects that refer to them are applied. */
function inOrder(objects: readonly ManifestObject[]): ManifestObject[] {
  return [...objects.filter(isCore), ...objects.filter((object) => !isCore(object))];
}
