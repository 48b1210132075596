import { expect, test } from 'vitest';
import { toResource } from '../../../src/platform/kubernetes/to-resource.ts';

const metadata = {
  namespace: 'default',
  name: 'a',
  uid: 'u',
  resourceVersion: '5',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const entry = (manager: string, fields: Record<string, unknown>, rest: object = {}) => ({
  manager,
  operation: 'Apply',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...rest,
});

test('an object of ours is its spec, its status, and who declares which field', () => {
  const object = {
    apiVersion: 'parley.dev/v1alpha1',
    kind: 'Agent',
    metadata: {
      ...metadata,
      generation: 3,
      labels: { l: '1' },
      finalizers: ['x'],
      annotations: { n: '1', 'kubectl.kubernetes.io/last-applied-configuration': '{…}' },
      managedFields: [
        entry('flux', {
          'f:spec': { '.': {}, 'f:prompt': {}, 'f:tools': { 'k:{"name":"a"}': {} } },
        }),
        entry('parley-api-pin', { 'f:spec': { 'f:pinnedVersion': {} }, 'f:metadata': {} }),
        entry('edit', { 'f:spec': { 'f:prompt': {} } }, { operation: 'Update' }),
        entry('edit', { 'f:spec': { 'f:prompt': {} } }, { operation: 'Update', time: 'later' }),
        entry(
          'parley-operator',
          { 'f:status': {}, 'f:spec': { 'f:x': {} } },
          { subresource: 'status' },
        ),
        { manager: 'old', operation: 'Update' },
      ],
    },
    spec: { prompt: 'one' },
    status: { agentId: 'agt_1' },
  };
  expect(toResource('Agent', object)).toEqual({
    kind: 'Agent',
    metadata: { ...metadata, generation: 3, labels: { l: '1' }, annotations: { n: '1' } },
    spec: { prompt: 'one' },
    status: { agentId: 'agt_1' },
    owners: { prompt: ['edit', 'flux'], tools: ['flux'], pinnedVersion: ['parley-api-pin'] },
    wroteAt: { edit: 'later' },
  });
});

test('what is not set is empty', () => {
  expect(toResource('Agent', { metadata })).toEqual({
    kind: 'Agent',
    metadata: { ...metadata, generation: 0, labels: {}, annotations: {} },
    spec: {},
    status: {},
    owners: {},
    wroteAt: {},
  });
});

test('a Secret is its data as text, owned by whoever put it there and not by whoever labelled it', () => {
  const managedFields = [
    entry('kubectl', { 'f:data': { 'f:key': {} }, 'f:type': {} }),
    entry('labeller', { 'f:metadata': { 'f:labels': {} } }),
  ];
  const data = { key: Buffer.from('whsec_é').toString('base64'), empty: '' };
  expect(toResource('Secret', { metadata: { ...metadata, managedFields }, data })).toMatchObject({
    spec: { data: { key: 'whsec_é', empty: '' } },
    owners: { data: ['kubectl'] },
  });
});

test('a ConfigMap is its data as it is; its metadata alone has none', () => {
  expect(toResource('ConfigMap', { metadata, data: { key: 'YQ==' } }).spec).toEqual({
    data: { key: 'YQ==' },
  });
  expect(toResource('ConfigMap', { metadata, binaryData: { x: 'YQ==' } })).toMatchObject({
    spec: { data: {} },
    owners: {},
    wroteAt: {},
  });
});

test('of a Secret the objects that it belongs to are known, of an Agent they are not read', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u1' }, { uid: 'u2' }];
  const of = (kind: string, more: object = { ownerReferences }) =>
    toResource(kind, { metadata: { ...metadata, ...more } }).metadata;
  expect(of('Secret')).toMatchObject({ ownerUids: ['u1', 'u2'] });
  expect(of('Secret', {})).toMatchObject({ ownerUids: [] });
  expect(of('Agent')).not.toHaveProperty('ownerUids');
  expect(of('Secret')).not.toHaveProperty('ownerReferences');
});

test.each([
  ['nothing', undefined],
  ['a Status', { kind: 'Status', metadata: {} }],
  ['text', 'x'],
  ['an object without a name', { metadata: { ...metadata, name: undefined } }],
])('%s is no object', (_, object) => {
  expect(() => toResource('Agent', object)).toThrow();
});
