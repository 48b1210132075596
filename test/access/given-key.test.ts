import { expect, test } from 'vitest';
import { requireNamespace } from '../../src/access/manage-keys.ts';
import { StartupError } from '../../src/errors.ts';

/** PARLEY_API_KEY, if the database already holds it. */

const GIVEN = { name: 'PARLEY_API_KEY', namespace: 'team-a' };

test('a key of another namespace is refused', () => {
  expect(() => requireNamespace(GIVEN, { namespace: 'default' })).toThrow(
    new StartupError(
      'PARLEY_API_KEY belongs to namespace default: use another key for namespace team-a',
    ),
  );
});

test.each([
  ['of the same namespace', { namespace: 'team-a' }],
  ['that was revoked', undefined],
])('a key %s is accepted', (_, known) => {
  expect(() => requireNamespace(GIVEN, known)).not.toThrow();
});
