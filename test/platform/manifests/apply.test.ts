import { expect, test } from 'vitest';
import { applyManifest } from '../../../src/platform/manifests/apply.ts';
import type { ManifestObject } from '../../../src/platform/manifests/object.ts';
import { createManifestReporter } from '../../../src/platform/manifests/report.ts';
import {
  FieldConflictError,
  WriteConflictError,
  type Applied,
  type Resource,
} from '../../../src/platform/resources/resource-store.ts';

/** Which parts of a manifest are applied while other managers own some. */

const names = { team: 'a', tier: 'b' };
const APPLIED: Applied = {
  kind: 'Agent',
  namespace: 'default',
  name: 'a',
  spec: { ...names },
  labels: { ...names },
  annotations: { ...names },
};
const OBJECT: ManifestObject & { applied: Applied } = {
  id: 'Agent default/a',
  kind: 'Agent',
  applied: APPLIED,
  placeOf: () => ({ file: 'a.yaml', line: 1, column: 1 }),
};

/** Creates a store that fails with these errors first, and records its requests. */
function failing(...errors: Error[]) {
  const asked: Applied[] = [];
  const apply = async (applied: Applied): Promise<Resource> => {
    asked.push(applied);
    const error = errors.shift();
    if (error) throw error;
    return {} as Resource;
  };
  return { store: { apply }, asked };
}

test.each([
  ['team', 'spec'],
  ['metadata.labels.team', 'labels'],
  ['metadata.annotations.team', 'annotations'],
] as const)('a field that another manager owns is left out alone: %s', async (field, place) => {
  const { store, asked } = failing(new FieldConflictError([{ field, manager: 'helm' }]));
  expect(await applyManifest(OBJECT, store)).toMatchObject([
    { field: place === 'spec' ? 'spec.team' : field },
  ]);
  expect(asked).toEqual([APPLIED, { ...APPLIED, [place]: { tier: 'b' } }]);
});

test('an object without labels and annotations gets none by that', async () => {
  const { labels: _, annotations: __, ...bare } = APPLIED;
  const conflict = new FieldConflictError([{ field: 'team', manager: 'helm' }]);
  const { store, asked } = failing(conflict);
  await applyManifest({ ...OBJECT, applied: bare }, store);
  expect(asked.at(-1)).toEqual({ ...bare, spec: { tier: 'b' } });
});

test.each([
  [7, true],
  [8, false],
])('an object that others write %i times in between is applied: %s', async (times, isApplied) => {
  const { store } = failing(...Array.from({ length: times }, () => new WriteConflictError()));
  const applied = applyManifest(OBJECT, store);
  if (isApplied) expect(await applied).toEqual([]);
  else await expect(applied).rejects.toThrow(WriteConflictError);
});

test('a problem is reported with its place, if it has one', () => {
  const lines: object[] = [];
  const reporter = createManifestReporter((line) => lines.push(line));
  const place = { file: 'a.yaml', line: 2, column: 3 };
  reporter.problems([{ place, detail: 'is wrong' }, { detail: 'is lost' }]);
  expect(lines).toEqual([
    { level: 'error', text: 'a.yaml:2:3 is wrong', place },
    { level: 'error', text: 'is lost' },
  ]);
});
