import { AsyncLocalStorage } from 'node:async_hooks';

/** Reason for which code runs: a request, a frame of a socket or a job. */
export type Work = {
  /** One of few names, such as `POST /v1/agents` or `reconcile agent`, so that it can be a metric label. */
  name: string;
  /** Namespace of the work. Undefined until it is known, and for work that belongs to no single namespace. */
  namespace?: string | undefined;
};

const works = new AsyncLocalStorage<Work>();

/** Runs a function, and everything asynchronous that it starts, as this work. */
export function asWork<T>(work: Work, run: () => T): T {
  return works.run(work, run);
}

/** Adds details to the current work, such as its namespace once a key was read. */
export function describeWork(more: Partial<Work>): void {
  const work = works.getStore();
  if (work) Object.assign(work, more);
}

export function currentWork(): Work | undefined {
  return works.getStore();
}
