import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { CHART, findHelm } from './helm.ts';

/** The chart as a part of another chart, whose values Helm hands on with some of its own. */

const helm = await findHelm();

type Parent = {
  /** Fields of the dependency beside its name, version and repository. */
  dependency?: object;
  values: object;
  apiVersions?: readonly string[];
};

/** Renders a parent chart as its author does: `helm dependency update`, then `helm template`. */
async function renderParent({ dependency = {}, values, apiVersions = [] }: Parent) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-umbrella-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(CHART, join(folder, 'parley'), { recursive: true });
  const parent = join(folder, 'parent');
  await mkdir(parent);
  const chart = {
    apiVersion: 'v2',
    name: 'support',
    version: '0.1.0',
    dependencies: [{ name: 'parley', version: '*', repository: 'file://../parley', ...dependency }],
  };
  await writeFile(join(parent, 'Chart.yaml'), stringify(chart));
  await writeFile(join(parent, 'values.yaml'), stringify(values));
  await helm!(['dependency', 'update', parent]);
  const cluster = apiVersions.flatMap((one) => ['--api-versions', one]);
  const text = await helm!(['template', 'support', parent, ...cluster]);
  return parseAllDocuments(text)
    .map((document) => document.toJS() as { kind: string; metadata: { name: string } } | null)
    .filter((object) => object !== null);
}

const CONDITION = { condition: 'parley.enabled' };

(helm ? describe : describe.skip)('as a dependency the chart', () => {
  test.each<[string, Parent]>([
    ['its condition', { dependency: CONDITION, values: { parley: { enabled: true } } }],
    ['no value at all', { dependency: CONDITION, values: {} }],
    [
      'values that all parts share',
      { values: { global: { imageRegistry: 'registry.example.com', storageClass: 'fast' } } },
    ],
    ['a tag', { dependency: { tags: ['agents'] }, values: { tags: { agents: true } } }],
    [
      'nulls for the user ids',
      {
        dependency: CONDITION,
        values: {
          parley: {
            enabled: true,
            podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null },
          },
          global: { imageRegistry: 'registry.example.com' },
        },
        apiVersions: ['security.openshift.io/v1'],
      },
    ],
  ])('renders with %s', async (_, parent) => {
    const objects = await renderParent(parent);
    const names = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((one) => one.metadata.name);
    expect(names.sort()).toEqual([
      'support-parley-api',
      'support-parley-delivery',
      'support-parley-operator',
    ]);
    if (parent.apiVersions)
      expect(JSON.stringify(objects)).not.toMatch(/"(runAs(User|Group)|fsGroup)"/);
  });

  test('renders under an alias', async () => {
    const objects = await renderParent({
      dependency: { alias: 'bot', condition: 'bot.enabled' },
      values: { bot: { enabled: true, logLevel: 'debug' } },
    });
    expect(JSON.stringify(objects)).toContain('"PARLEY_LOG_LEVEL","value":"debug"');
  });

  test('is left out where its condition is false', async () => {
    const parent = { dependency: CONDITION, values: { parley: { enabled: false } } };
    expect(await renderParent(parent)).toEqual([]);
  });

  test('still refuses a value that does not exist', async () => {
    const parent = { dependency: CONDITION, values: { parley: { enabled: true, replicas: 3 } } };
    await expect(renderParent(parent)).rejects.toThrow(/'replicas' not allowed/);
  });
});
