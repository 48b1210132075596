/** Stops what start-postgres.ts started; a server that was there before is left alone. */
export default async function stopPostgres(): Promise<void> {
  const run: { parleyTestRun?: { stop: () => Promise<void> } } & typeof globalThis = globalThis;
  await run.parleyTestRun?.stop();
}
