import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operator } from '../../../src/roles/operator/run.ts';
import { awaitCondition } from '../../agents/agents.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';

/** What a source says of itself while it cannot be indexed, or is not yet. */

let api: Api;
let operator: Operator;
beforeAll(async () => {
  api = await startApi({ operator: false });
  operator = await api.engine.startOperator();
});
afterAll(() => api?.stop());

test('a ConfigMap must have a text: an empty value is refused', async () => {
  const declare = (kind: string, name: string, spec: Record<string, unknown>) =>
    api.engine.store.apply({ kind, namespace: 'default', name, spec }, { fieldManager: 'kubectl' });
  const configMapKeyRef = { name: 'texts', key: 'handbook' };
  await declare('KnowledgeSource', 'empty', { type: 'text', textFrom: { configMapKeyRef } });
  await declare('ConfigMap', 'texts', { data: { handbook: '' } });
  await awaitCondition(
    api.engine,
    { kind: 'KnowledgeSource', name: 'empty' },
    { type: 'ResolvedRefs', status: 'False', reason: 'InvalidText' },
  );
  const { body } = await api.call('GET', '/v1/events?type=knowledge.source.synced');
  expect(body.data).toEqual([]);
});

test('the old index answers until the new one is complete, and the source says so', async () => {
  const made = await api.call('POST', '/v1/knowledge/sources', {
    json: { type: 'text', text: 'We open at nine.' },
  });
  expect(made).toMatchObject({ status: 201, body: { status: 'ready', chunks: 1 } });
  await operator.stop();
  const { status, body } = await api.call('PATCH', `/v1/knowledge/sources/${made.body.id}`, {
    json: { text: 'We open at ten.' },
  });
  expect({ status, body }).toMatchObject({
    status: 202,
    body: { status: 'refreshing', ready: false, chunks: 1, text: 'We open at ten.' },
  });
  const found = await api.call('GET', '/v1/knowledge/search?q=open');
  expect(found.body.data).toMatchObject([{ text: 'We open at nine.' }]);
});
