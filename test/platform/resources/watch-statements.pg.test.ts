import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { holdTime } from '../../clock.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';

/** Uses its own database, because every other writer would cause statements as well. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine?.stop());

test('what changes, and each five seconds without a change, cost one statement for all kinds that are watched', async () => {
  const time = holdTime();
  const query = vi.spyOn(engine.pool, 'query');
  const looks = (): number =>
    query.mock.calls.filter(([asked]) => (asked as { name?: string }).name === 'watch_resources')
      .length;
  const heard = Promise.withResolvers<void>();
  const watches = ['Agent', 'ConfigMap', 'WebhookEndpoint'].map((kind) => {
    const synced = Promise.withResolvers<void>();
    const { stop } = engine.store.watch(kind, {
      onChange: () => heard.resolve(),
      onSynced: synced.resolve,
    });
    return { stop, synced: synced.promise };
  });
  await Promise.all(watches.map(({ synced }) => synced));
  const atStart = looks();
  await engine.declareAgent('support', { prompt: 'help' });
  await heard.promise;
  expect(looks()).toBe(atStart + 1);
  await time.armed(5_000);
  await time.advance(5_000);
  expect(looks()).toBe(atStart + 2);
  await Promise.all(watches.map(({ stop }) => stop()));
  await time.advance(5_000);
  expect(looks()).toBe(atStart + 2);
});
