import { expect, test } from 'vitest';
import { notUsed, readConfig } from '../../src/config.ts';
import { runStart } from '../../src/standalone/run.ts';

/** What `start` is told and cannot do is said, not left alone. */

test('start refuses a cluster as its store', async () => {
  const config = readConfig({ PARLEY_STORE: 'kubernetes', PARLEY_DATA_DIR: '/nowhere/at/all' });
  await expect(runStart(config)).rejects.toThrow(
    /^PARLEY_STORE=kubernetes does not work with `parley start`, .* PostgreSQL: unset it/,
  );
});

test('namespaces to watch are of a cluster alone', () => {
  const config = readConfig({ PARLEY_WATCH_NAMESPACES: 'a,b' });
  expect(notUsed(config, { hasCluster: true })).toEqual([]);
  expect(notUsed(config, { hasCluster: false })).toEqual([
    expect.stringMatching(/^PARLEY_WATCH_NAMESPACES: not used without a cluster/),
  ]);
});
