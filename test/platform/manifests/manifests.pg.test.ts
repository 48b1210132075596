import { afterEach, beforeEach, expect, test } from 'vitest';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollBack } from '../../../src/agents/pin-agent.ts';
import { createManifestFolder } from '../../../src/platform/manifests/folder.ts';
import {
  activations,
  agentRow,
  apiDeps,
  awaitCondition,
  countVersions,
  events,
} from '../../agents/agents.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';

let engine: Engine;
let receiver: Receiver;
let folder: string;
let manifests: { stop: () => Promise<void> };
let lines: string[];

beforeEach(async () => {
  engine = await startEngine();
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), 'parley-manifests-'));
  lines = [];
  await engine.startOperator();
});
afterEach(async () => {
  await manifests.stop();
  await engine.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const start = async (): Promise<void> => {
  const { store, validate } = engine;
  const report = ({ text }: { text: string }): void =>
    void lines.push(text.replaceAll(`${folder}/`, ''));
  const started = createManifestFolder({ folder, store, validate, report });
  manifests = started;
  await started.start();
};
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const agent = (name: string, ...spec: string[]): string =>
  ['apiVersion: parley.dev/v1alpha1', 'kind: Agent', `metadata: { name: ${name} }`, 'spec:']
    .concat(spec.map((line) => `  ${line}`))
    .join('\n');
const endpoint = (): string =>
  `apiVersion: parley.dev/v1alpha1
kind: WebhookEndpoint
metadata: { name: all }
spec: { url: '${receiver.url}' }
`;
const live = (name: string, activeVersion: number, latestVersion = activeVersion) =>
  engine.eventually(
    async () => {
      const row = await agentRow(engine, name);
      return row?.activeVersion === activeVersion && row.latestVersion === latestVersion
        ? row
        : undefined;
    },
    () => agentRow(engine, name),
  );
const condition = (type: string, status: string, reason: string) =>
  awaitCondition(engine, { kind: 'Agent', name: 'support' }, { type, status, reason });

test('an edit is version 2 at the receiver, the old text version 1 again, a pin moves both ways', async () => {
  await engine.startDelivery();
  await write('endpoint.yaml', endpoint());
  await start();
  await engine.settled('WebhookEndpoint', 'all');
  const save = async (count: number, ...spec: string[]): Promise<void> => {
    await write('support.yaml', agent('support', ...spec));
    await receiver.until((received) => received.length >= count);
  };
  await save(1, 'prompt: one');
  await save(2, 'prompt: two');
  await save(3, 'prompt: one');
  await save(4, 'prompt: two');
  await save(5, 'prompt: two', 'pinnedVersion: 1');
  await write('support.yaml', agent('support', 'prompt: three', 'pinnedVersion: 1'));
  await live('support', 1, 3);
  await save(6, 'prompt: three');
  const lines = receiver.received.map(({ json }) => `${json.type} ${String(json.data['version'])}`);
  expect(lines).toEqual([
    'agent.published 1',
    'agent.published 2',
    'agent.rolled_back 1',
    'agent.published 2',
    'agent.rolled_back 1',
    'agent.published 3',
  ]);
  expect(new Set(receiver.received.map(({ json }) => json.data['actor']))).toEqual(
    new Set(['file']),
  );
  expect(await countVersions(engine)).toBe(3);
});

test('a prompt in a ConfigMap beside it makes versions by its text, the generation stands still', async () => {
  const configMap = (text: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: prompts }\ndata: { support: ${text} }\n`;
  const support = agent(
    'support',
    'promptFrom:',
    '  configMapKeyRef: { name: prompts, key: support }',
  );
  await write('a.yaml', support);
  await start();
  await condition('ResolvedRefs', 'False', 'ConfigMapNotFound');
  await write('prompts.yaml', configMap('one'));
  await live('support', 1);
  await write('prompts.yaml', configMap('two'));
  await live('support', 2);
  await write('prompts.yaml', configMap('one'));
  const row = await live('support', 1, 2);
  expect(row).toMatchObject({ generation: 1, spec: { prompt: 'one' } });
  await write('prompts.yaml', configMap('one').replace('support:', 'other:'));
  await condition('ResolvedRefs', 'False', 'KeyNotFound');
  await write('prompts.yaml', configMap(`"${'x'.repeat(100_001)}"`));
  await condition('ResolvedRefs', 'False', 'InvalidPrompt');
  await write('a.yaml', agent('support', 'prompt: two'));
  await live('support', 2);
  expect(await activations(engine)).toEqual([
    'published null>1 file',
    'published 1>2 file',
    'rolled_back 2>1 file',
    'published 1>2 file',
  ]);
});

test('a Secret without the label is not used, and heals when it gets it; without it again it is not', async () => {
  const secret = (labels = ''): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: shop${labels} }\nstringData: { token: abc }\n`;
  const label = `, labels: { parley.dev/allow: 'true' }`;
  const tool = `- { type: webhook, name: orders, url: '${receiver.url}', secretRef: { name: shop, key: token } }`;
  await write('support.yaml', agent('support', 'prompt: one', 'tools:', tool));
  await write('secret.yaml', secret());
  await start();
  await condition('ResolvedRefs', 'False', 'SecretNotAllowed');
  await condition('Stalled', 'True', 'SecretNotAllowed');
  expect(await events(engine)).toEqual([]);
  await write('secret.yaml', secret(label));
  await condition('Ready', 'True', 'Published');
  await live('support', 1);
  await write('secret.yaml', secret());
  await condition('ResolvedRefs', 'False', 'SecretNotAllowed');
  await live('support', 1);
});

test('a broken manifest is named with its line, and stops nothing else', async () => {
  await write('a-broken.yaml', agent('broken', 'prompt: one', 'voice: { speed: 99 }'));
  await write('b-broken.yaml', 'kind: [');
  await write('c-good.yaml', agent('good', 'prompt: one'));
  await start();
  await live('good', 1);
  expect(lines.filter((line) => line.startsWith('a-broken.yaml:6:'))).toEqual([
    expect.stringContaining('spec.voice.speed'),
  ]);
  expect(lines.some((line) => /^b-broken\.yaml:1:\d+ /.test(line))).toBe(true);
  await write('a-broken.yaml', agent('broken', 'prompt: one', 'voice: { speed: 1 }'));
  await live('broken', 1);
});

test('a removed manifest removes the agent, its API pin notwithstanding; back again, it goes on', async () => {
  await write('support.yaml', agent('support', 'prompt: one'));
  await start();
  const { id } = await live('support', 1);
  await write('support.yaml', agent('support', 'prompt: two'));
  await live('support', 2);
  const caller = { namespace: 'default', actor: 'api:key_1' };
  await rollBack(apiDeps(engine), caller, { id, version: undefined, reason: null });
  await unlink(join(folder, 'support.yaml'));
  await engine.eventually(async () => (await agentRow(engine, 'support')) === undefined);

  await write('support.yaml', agent('support', 'prompt: one'));
  expect(await live('support', 1, 2)).toMatchObject({ id });
  await engine.settled('Agent', 'support');
  expect(await activations(engine)).toEqual([
    'published null>1 file',
    'published 1>2 file',
    'rolled_back 2>1 api:key_1',
  ]);
  expect(await events(engine)).toHaveLength(3);
});

test('labels and annotations a manifest no longer has are dropped, its id stays', async () => {
  const support = agent('support', 'prompt: one');
  const metadata = '{ name: support, labels: { team: a }, annotations: { note: b } }';
  await write('support.yaml', support.replace('{ name: support }', metadata));
  await start();
  await live('support', 1);
  await write('support.yaml', support);
  await engine.eventually(async () => {
    const found = await engine.store.get('Agent', { namespace: 'default', name: 'support' });
    const { labels, annotations } = found!.metadata;
    return Object.keys(labels).length === 0 && Object.keys(annotations).join() === 'parley.dev/id';
  });
  expect(await events(engine)).toHaveLength(1);
});

test('a label another manager owns is reported with its line, and the rest of the manifest counts', async () => {
  await engine.store.apply(
    {
      kind: 'Agent',
      namespace: 'default',
      name: 'support',
      spec: { prompt: 'one' },
      labels: { team: 'x' },
    },
    { fieldManager: 'kubectl' },
  );
  const support = agent('support', 'prompt: one', 'language: en');
  await write(
    'support.yaml',
    support.replace('{ name: support }', '{ name: support, labels: { team: z } }'),
  );
  await start();
  const { spec, metadata } = (await engine.store.get('Agent', {
    namespace: 'default',
    name: 'support',
  }))!;
  expect([spec['language'], metadata.labels]).toEqual(['en', { team: 'x' }]);
  expect(lines).toContainEqual(
    expect.stringMatching(/^support\.yaml:3:\d+ metadata\.labels\.team: is managed by kubectl/),
  );
});
