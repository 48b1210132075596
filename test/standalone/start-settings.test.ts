import { expect, test } from '@jest/globals';
import { notUsed, readConfig } from '../../src/config.ts';
import { runStart } from '../../src/standalone/run.ts';

/** What `start` is told and cannot do is said, not left alone. */

test('start refuses a cluster as its store', async () => {
  const config = readConfig({ PARLEY_STORE: 'kubernetes', PARLEY_DATA_DIR: '/nowhere/at/all' });
  await expect(runStart(config)).rejects.toThrow(/^PARLEY_STORE=kubernetes: .* PostgreSQL; leave/);
});

test('variables of a model are one line that names them and not what they hold', () => {
  expect(notUsed(readConfig({ PARLEY_MODEL_URL: '' }), { hasCluster: false })).toEqual([]);
  const config = readConfig({ PARLEY_MODEL_URL: 'https://m.example', PARLEY_MODEL_KEY: 'sk-1' });
  expect(notUsed(config, { hasCluster: true })).toEqual([
    expect.stringMatching(/^PARLEY_MODEL_URL, PARLEY_MODEL_KEY: not used by this version/),
  ]);
  expect(JSON.stringify(config)).not.toContain('sk-1');
});

test('namespaces to watch are of a cluster alone', () => {
  const config = readConfig({ PARLEY_WATCH_NAMESPACES: 'a,b' });
  expect(notUsed(config, { hasCluster: true })).toEqual([]);
  expect(notUsed(config, { hasCluster: false })).toEqual([
    expect.stringMatching(/^PARLEY_WATCH_NAMESPACES: not used without a cluster/),
  ]);
});
