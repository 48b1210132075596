type Stop = () => Promise<void>;
/** Of jest's own process, where setup and teardown run. */
const run: { parleyStops?: Stop[] } & typeof globalThis = globalThis;

export function atEndOfRun(stop: Stop): void {
  (run.parleyStops ??= []).push(stop);
}

/** Stops what the setups started; a server that was there before is left alone. */
export default async function stopServers(): Promise<void> {
  const stops = run.parleyStops?.splice(0) ?? [];
  for (const stop of stops.toReversed()) await stop();
}
