import { expect, test } from 'vitest';
import { requireNamespace } from '../../src/access/manage-keys.ts';
import { StartupError } from '../../src/errors.ts';

/** PARLEY_API_KEY at a start that finds it in the database. */

const GIVEN = { name: 'PARLEY_API_KEY', namespace: 'team-a' };

test('a key of another namespace stays there, and the start says so', () => {
  expect(() => requireNamespace(GIVEN, { namespace: 'default' })).toThrow(
    new StartupError(
      'PARLEY_API_KEY: this key is one of namespace default; use another key for team-a',
    ),
  );
});

test.each([
  ['of the same namespace', { namespace: 'team-a' }],
  ['that was revoked, so that none is found', undefined],
])('a key %s is no mistake', (_, known) => {
  expect(() => requireNamespace(GIVEN, known)).not.toThrow();
});
