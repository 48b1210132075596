const CALLERS = 8;

/** Runs `act` for all items in order, eight at a time. */
export async function inParallel<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const work = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}
