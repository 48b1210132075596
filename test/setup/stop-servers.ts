type Stop = () => Promise<void>;
/** The process that runs every global setup. */
const run: { parleyStops?: Stop[] } & typeof globalThis = globalThis;

export function atEndOfRun(stop: Stop): void {
  (run.parleyStops ??= []).push(stop);
}

/** Stops what the setups started, and leaves a server alone that was there before. */
export async function stopServers(): Promise<void> {
  const stops = run.parleyStops?.splice(0) ?? [];
  for (const stop of stops.toReversed()) await stop();
}
