import { afterEach, beforeEach, expect, test } from 'vitest';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManifestFolder } from '../../src/platform/manifests/folder.ts';
import { startEngine, type Engine } from '../roles/engine.ts';

/** Declarations of a folder of manifests leave lines too (contract/audit-log.md#other-declarers). */

let engine: Engine;
let folder: string;
let manifests: { stop: () => Promise<void> };

const start = async (): Promise<void> => {
  const { store, validate } = engine;
  const started = createManifestFolder({ folder, store, validate, report: () => undefined });
  manifests = started;
  await started.start();
};
beforeEach(async () => {
  engine = await startEngine();
  folder = await mkdtemp(join(tmpdir(), 'parley-manifests-'));
  await engine.startOperator();
  await start();
});
afterEach(async () => {
  await manifests.stop();
  await engine.stop();
  await rm(folder, { recursive: true });
});

const KINDS = { Agent: 'prompt: one', WebhookEndpoint: 'url: https://example.com/a' };
const write = (kind: string, ...spec: string[]): Promise<void> =>
  writeFile(
    join(folder, `${kind}.yaml`),
    ['apiVersion: parley.dev/v1alpha1', `kind: ${kind}`, 'metadata: { name: one }', 'spec:']
      .concat(spec.map((line) => `  ${line}`))
      .join('\n'),
  );
const told = async (): Promise<string[]> => {
  const { rows } = await engine.pool.query<{ line: string }>(
    `select concat(actor, ' ', action) as line from audit_log where address is null order by id`,
  );
  return rows.map(({ line }) => line);
};
const awaitTold = (count: number): Promise<string[]> =>
  engine.eventually(async () => {
    const lines = await told();
    return lines.length >= count && lines;
  }, told);

test.each([
  ['Agent', 'agent', 'displayName: One'],
  ['WebhookEndpoint', 'webhook', 'description: One'],
] as const)('%s: created, changed, the same again, removed', async (kind, noun, more) => {
  await write(kind, KINDS[kind]);
  await awaitTold(1);
  await write(kind, KINDS[kind], more);
  await awaitTold(2);
  await manifests.stop();
  await write(kind, KINDS[kind], more, '');
  await start();
  await unlink(join(folder, `${kind}.yaml`));
  expect(await awaitTold(3)).toEqual([
    `file ${noun}.created`,
    `file ${noun}.updated`,
    `file ${noun}.deleted`,
  ]);
});
