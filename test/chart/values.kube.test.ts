import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART, findHelm } from './helm.ts';
import { fieldOf, renderChart } from './rendered.ts';
import { SCENARIOS } from './scenarios.ts';

const helm = await findHelm();
const values: unknown = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
const schema: unknown = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));

/** Values that values.yaml leaves out: the parent chart has them. */
const OF_A_PARENT = /^(enabled|global(\..*)?)$/;

(helm ? describe : describe.skip)('the values', () => {
  test.each(Object.keys(SCENARIOS))('"%s" pass helm lint without a warning', async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-lint-'));
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(SCENARIOS[name]));
    const output = await helm!(['lint', CHART, '--strict', '--values', file]);
    await rm(folder, { recursive: true });
    expect(output).toContain('0 chart(s) failed');
    expect(output).not.toMatch(/WARNING|ERROR|icon/);
  });

  test.each([
    ['an unknown name', { replicas: 3 }, /additional properties 'replicas' not allowed/],
    [
      'a misspelt name',
      { operator: { replcas: 3 } },
      /'\/operator': additional properties 'replcas' not allowed/,
    ],
    ['a wrong type', { api: { replicas: 'two' } }, /'\/api\/replicas': got string, want integer/],
    [
      'no URL of PostgreSQL',
      { database: { url: 'mysql://u:secret@x' } },
      /database\.url: must start with postgresql:/,
    ],
    [
      'neither a CIDR nor a host',
      { egressAllow: ['a.b', '10.0.0.1'] },
      /egressAllow\[1\]: "10\.0\.0\.1" must be a CIDR, such as .*, or a host name with at least two parts/,
    ],
    ['a host of one part', { egressAllow: ['rx'] }, /egressAllow\[0\]: "rx" must be a CIDR/],
    ['all hosts', { egressAllow: ['*'] }, /egressAllow\[0\]: "\*" must be a CIDR/],
    [
      'no base URL',
      { baseUrl: 'parley.example.com' },
      /baseUrl: "parley\.example\.com" must be an http or https URL/,
    ],
    ['no collector', { otlpEndpoint: 'otel:4318' }, /otlpEndpoint: "otel:4318" must be/],
    [
      'no address of runbooks',
      { monitoring: { prometheusRule: { runbookBaseUrl: 'wiki' } } },
      /monitoring\.prometheusRule\.runbookBaseUrl: "wiki" must be/,
    ],
    [
      'a query',
      { model: { url: 'https://m/v1?a=b' } },
      /model\.url: "https:.*" must be .* without/,
    ],
    [
      'no origin',
      { corsOrigins: ['https://a/b'] },
      /corsOrigins\[0\]: "https:.*" must be a lower-case origin/,
    ],
    ...['kubernetesApiCidrs', 'databaseCidrs', 'deliveryExcept', 'deliveryExceptIPv6'].map(
      (name): [string, object, RegExp] => [
        `no CIDR in ${name}`,
        { networkPolicy: { [name]: ['192.0.2.10'] } },
        new RegExp(String.raw`networkPolicy\.${name}\[0\]: "192\.0\.2\.10" must be a CIDR`),
      ],
    ),
    ['a short digest', { image: { digest: 'sha256:1' } }, /'\/image\/digest'/],
    ['a log level that is none', { logLevel: 'loud' }, /'\/logLevel'/],
    [
      'a minimum above the maximum',
      { api: { autoscaling: { minReplicas: 8 } } },
      /api\.autoscaling: minReplicas is 8 and maxReplicas is 6/,
    ],
    [
      'the same for KEDA',
      { delivery: { keda: { enabled: true, minReplicas: 3, maxReplicas: 2 } } },
      /delivery\.keda: minReplicas is 3 and maxReplicas is 2/,
    ],
  ])('with %s are refused, and the message says where', async (_what, wrong, message) => {
    await expect(renderChart(helm!, wrong)).rejects.toThrow(message);
  });

  test('are what the schema knows, no less and no more', () => {
    expect(namesIn(values)).toEqual(
      namesOfSchema(schema).filter((name) => !OF_A_PARENT.test(name)),
    );
  });

  test('take the condition of a parent chart, and its registry for images that name none', async () => {
    const database = { bundled: { image: { registry: 'mirror.example.com' } } };
    const global = { imageRegistry: 'registry.example.com/', postgresql: { of: 'another chart' } };
    const text = JSON.stringify(await renderChart(helm!, { enabled: true, global, database }));
    expect(text).toContain('"image":"registry.example.com/parley:');
    expect(text).toContain('"image":"mirror.example.com/postgres:');
    expect(text).not.toContain('"image":"registry.example.com/postgres:');
  });

  test('leave no object of the schema open, but where Kubernetes or the user names the fields', () => {
    const open = Object.keys(Object(fieldOf(schema, '$defs'))).filter(
      (name) => fieldOf(schema, '$defs', name, 'type') === 'object' && !isClosed(name),
    );
    expect(open.sort()).toEqual(['kubernetesObject', 'labels']);
    function isClosed(name: string): boolean {
      const definition = Object(fieldOf(schema, '$defs', name)) as Record<string, unknown>;
      return definition['additionalProperties'] === false;
    }
  });
});

/** Paths of all names, down to where a value is no map or an empty one: `api.autoscaling.enabled`. */
function namesIn(value: unknown, path = ''): string[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap || isFree(path)) return [path];
  const entries = Object.entries(value);
  if (entries.length === 0) return [path];
  return entries
    .flatMap(([name, child]) => namesIn(child, path === '' ? name : `${path}.${name}`))
    .sort();
}

/** The same of the schema: down to what has no `properties`. */
function namesOfSchema(node: unknown, path = ''): string[] {
  const resolved = resolve(node);
  const properties = 'properties' in resolved ? Object(resolved.properties) : undefined;
  if (properties === undefined || isFree(path)) return [path];
  return Object.entries(properties as Record<string, unknown>)
    .flatMap(([name, child]) => namesOfSchema(child, path === '' ? name : `${path}.${name}`))
    .sort();
}

/** Their inside is Kubernetes' or the user's, whatever the defaults say. */
function isFree(path: string): boolean {
  return /(^|\.)(resources|podSecurityContext|securityContext|labels|annotations)$/.test(path);
}

function resolve(node: unknown): object {
  const plain = Object(node) as { $ref?: string };
  const name = plain.$ref?.replace('#/$defs/', '');
  return name === undefined ? plain : (Object(fieldOf(schema, '$defs', name)) as object);
}
