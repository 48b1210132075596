import { AsyncLocalStorage } from 'node:async_hooks';

/** What code runs for: a request, a frame of a socket or a job. */
export type Work = {
  /** `POST /v1/agents`, `reconcile agent`: one of few, so that it can be a label of a metric. */
  name: string;
  /** The namespace that the work is for. Undefined until it is known, and for work that is not for one namespace. */
  namespace?: string | undefined;
};

const works = new AsyncLocalStorage<Work>();

/** Runs a function, and everything asynchronous that it starts, as this work. */
export function asWork<T>(work: Work, run: () => T): T {
  return works.run(work, run);
}

/** Says more about the work that runs now, such as its namespace once a key was read. */
export function describeWork(more: Partial<Work>): void {
  const work = works.getStore();
  if (work) Object.assign(work, more);
}

export function currentWork(): Work | undefined {
  return works.getStore();
}
