type Stop = () => Promise<void>;
/** Global object of the process that runs all global setups. */
const run: { parleyStops?: Stop[] } & typeof globalThis = globalThis;

export function atEndOfRun(stop: Stop): void {
  (run.parleyStops ??= []).push(stop);
}

/** Stops the servers that the setups started. Servers that were already running continue. */
export async function stopServers(): Promise<void> {
  const stops = run.parleyStops?.splice(0) ?? [];
  for (const stop of stops.toReversed()) await stop();
}
