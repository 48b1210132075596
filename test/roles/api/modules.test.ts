import { expect, test } from 'vitest';
import { mergeListeners, type Listeners } from '../../../src/roles/api/modules/module.ts';
import { createRoutes } from '../../../src/roles/describe-routes.ts';

test('a notification reaches the handlers of all modules on its channel, in their order', () => {
  const got: string[] = [];
  const handler = (name: string) => (ids: readonly string[]) => got.push(`${name} ${ids.join()}`);
  const listeners: Listeners[] = [
    { parley_keys: handler('keys'), parley_projected: handler('first') },
    {},
    { parley_projected: handler('second') },
  ];
  const merged = mergeListeners(listeners);
  expect(Object.keys(merged).toSorted()).toEqual(['parley_keys', 'parley_projected']);
  merged.parley_projected?.(['a', 'b']);
  expect(got).toEqual(['first a,b', 'second a,b']);
  merged.parley_keys?.(['*']);
  expect(got).toEqual(['first a,b', 'second a,b', 'keys *']);
});

test('creating the modules opens nothing that keeps a process alive', () => {
  const before = process.getActiveResourcesInfo();
  const routes = createRoutes();
  expect(process.getActiveResourcesInfo()).toEqual(before);
  expect(routes.length).toBeGreaterThan(50);
});

test('the event stream comes before the event with an id', () => {
  const paths = createRoutes().map(({ path }) => path);
  expect(paths).toContain('/v1/events/stream');
  expect(paths.indexOf('/v1/events/stream')).toBeLessThan(paths.indexOf('/v1/events/{id}'));
});
