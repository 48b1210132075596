/**
 * Calls `run` for several items concurrently, and yields the outcomes in the order of the items, so that decisions do
 * not depend on which item finishes first. `next` returns the next item, or `undefined` if there is none at present.
 * `inOrder` calls `next` again after each yield.
 */
export async function* inOrder<I, O>(options: {
  next: () => I | undefined;
  run: (item: I) => Promise<O>;
  /** Maximum number of started items whose outcomes have not been yielded yet. */
  aheadMax: number;
  /**
   * Returns the weight of an outcome. No further item is started while the finished outcomes that have not been yielded
   * weigh `weightMax` or more in total.
   */
  weigh: (outcome: O) => number;
  weightMax: number;
}): AsyncGenerator<{ item: I; outcome: O }, void, void> {
  const begun: { item: I; done: Promise<O> }[] = [];
  let weight = 0;
  const begin = (): void => {
    while (begun.length < options.aheadMax && weight < options.weightMax) {
      const item = options.next();
      if (item === undefined) return;
      const done = options.run(item).then((outcome) => {
        weight += options.weigh(outcome);
        return outcome;
      });
      // Prevents an unhandled rejection if the consumer has stopped.
      done.catch(() => undefined);
      begun.push({ item, done });
    }
  };
  for (;;) {
    begin();
    const first = begun.shift();
    if (first === undefined) return;
    const outcome = await first.done;
    weight -= options.weigh(outcome);
    yield { item: first.item, outcome };
  }
}
