import { AsyncLocalStorage } from 'node:async_hooks';

/** Describes the work to which the running code belongs: a request, a socket frame or a job. */
export type Work = {
  /**
   * Name of the work, such as `POST /v1/agents` or `reconcile agent`. The number of different names is small, so that a
   * name can be a metric label.
   */
  name: string;
  /**
   * Namespace of the work. Undefined for work that does not belong to a single namespace, and for other work until the
   * namespace is known.
   */
  namespace?: string | undefined;
};

const works = new AsyncLocalStorage<Work>();

/** Runs a function, and everything asynchronous that it starts, as part of this work. */
export function asWork<T>(work: Work, run: () => T): T {
  return works.run(work, run);
}

/** Adds details to the current work, such as the namespace once the API key has been found. */
export function describeWork(more: Partial<Work>): void {
  const work = works.getStore();
  if (work) Object.assign(work, more);
}

export function currentWork(): Work | undefined {
  return works.getStore();
}
