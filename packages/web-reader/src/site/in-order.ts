/**
 * Runs the items of `next` concurrently and yields their outcomes in the original order, so that decisions by order do
 * not depend on speed. `next` returns `undefined` if it has nothing at present, and is called again after each yield.
 */
export async function* inOrder<I, O>(options: {
  next: () => I | undefined;
  run: (item: I) => Promise<O>;
  /** Maximum number of items that are started and not yet yielded. */
  aheadMax: number;
  /** Limit for the weight of finished outcomes. Above it, no further items are started. */
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
      // Handles the rejection, because the consumer may have stopped.
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
