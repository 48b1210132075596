import { expect, test } from '@jest/globals';
import { notUsedYet, readConfig } from '../../src/config.ts';
import { runStart } from '../../src/standalone/run.ts';

/** What `start` is told and cannot do is said, not left alone. */

test('start refuses a cluster as its store', async () => {
  const config = readConfig({ PARLEY_STORE: 'kubernetes', PARLEY_DATA_DIR: '/nowhere/at/all' });
  await expect(runStart(config)).rejects.toThrow(/^PARLEY_STORE=kubernetes: .* PostgreSQL; leave/);
});

test('variables of a model are one line that names them and not what they hold', () => {
  expect(notUsedYet(readConfig({ PARLEY_MODEL_URL: '' }))).toEqual([]);
  const config = readConfig({ PARLEY_MODEL_URL: 'https://m.example', PARLEY_MODEL_KEY: 'sk-1' });
  expect(notUsedYet(config)).toEqual([
    expect.stringMatching(/^PARLEY_MODEL_URL, PARLEY_MODEL_KEY: not used by this version/),
  ]);
  expect(JSON.stringify(config)).not.toContain('sk-1');
});
