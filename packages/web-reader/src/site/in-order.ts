/**
 * Runs what `next` gives, several at once, and yields what became of each in the order given, so that
 * what is decided by order does not depend on who was faster. `next`: undefined while there is nothing;
 * it is asked again after each yield.
 */
export async function* inOrder<I, O>(options: {
  next: () => I | undefined;
  run: (item: I) => Promise<O>;
  /** Begun and not yielded yet. */
  aheadMax: number;
  /** What is ready and waits may weigh so much; then nothing more is begun. */
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
      // Who waits for it may have left.
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
