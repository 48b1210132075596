import { expect, test } from 'vitest';
import { KubeConnectionError, toKubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import { toStoreError } from '../../../src/platform/kubernetes/refusals.ts';

/** Statuses as kube-apiserver 1.36 sends them. The corpus tests which mistakes it finds. */
const refused = (code: number, reason: string, rest: object = {}): unknown =>
  toStoreError(toKubeError(code, 'PATCH /x', { kind: 'Status', code, reason, ...rest }));
const caused = (...causes: object[]) => ({ message: 'no', details: { causes } });

test.each([
  ['no answer', () => toStoreError(new KubeConnectionError('reset')), 'StoreUnavailableError'],
  ['too busy', () => refused(429, 'TooManyRequests'), 'StoreUnavailableError'],
  ['etcd is away', () => refused(500, 'InternalError'), 'StoreUnavailableError'],
  ['starting', () => refused(503, 'ServiceUnavailable'), 'StoreUnavailableError'],
  ['too slow', () => refused(504, 'Timeout'), 'StoreUnavailableError'],
  ['changed in between', () => refused(409, 'Conflict'), 'WriteConflictError'],
  ['forbidden', () => refused(403, 'Forbidden'), 'NamespaceRefusedError'],
  ['no such namespace', () => refused(404, 'NotFound'), 'NamespaceRefusedError'],
  ['wrong', () => refused(422, 'Invalid'), 'InvalidResourceError'],
  ['malformed', () => refused(400, 'BadRequest'), 'InvalidResourceError'],
  ['who are you', () => refused(401, 'Unauthorized'), 'StoreUnavailableError'],
])('%s', (_, error, name) => {
  expect(error()).toMatchObject({ name });
});

test.each([
  ['has a message', { message: 'no' }, 'PATCH /x: no'],
  ['has an empty message', { message: '' }, 'PATCH /x: 418'],
])('an answer that %s is named by it, or by its status', (_, body, message) => {
  expect(toKubeError(418, 'PATCH /x', { kind: 'Status', ...body }).message).toBe(message);
});

test('an error that the server did not answer stays as it is', () => {
  const error = new TypeError('x');
  expect(toStoreError(error)).toBe(error);
});

test('fields that others own are named once each, with their manager', () => {
  const conflict = (manager: string, field: string) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${manager}" using parley.dev/v1alpha1`,
    field,
  });
  const error = refused(
    409,
    'Conflict',
    caused(
      conflict('kustomize-controller', '.spec.prompt'),
      conflict('kustomize-controller', '.spec.tools[name="a.b"].url'),
      conflict('kustomize-controller', '.spec.tools[name="a.b"].method'),
      conflict('helm', '.spec.tools'),
      conflict('helm', '.metadata.labels.team'),
    ),
  );
  expect(error).toMatchObject({
    name: 'FieldConflictError',
    conflicts: [
      { field: 'prompt', manager: 'kustomize-controller' },
      { field: 'tools', manager: 'kustomize-controller' },
      { field: 'tools', manager: 'helm' },
      { field: 'metadata.labels.team', manager: 'helm' },
    ],
  });
});

test('mistakes are named by their place', () => {
  const causes = [
    { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.tools[0].name' },
    { reason: 'FieldValueInvalid', message: 'Invalid value: "x"', field: 'spec.metadata.a/b' },
  ];
  expect(refused(422, 'Invalid', caused(...causes))).toMatchObject({
    errors: [
      { pointer: '/spec/tools/0/name', code: 'required', detail: 'Required value' },
      { pointer: '/spec/metadata/a~1b' },
    ],
  });
  expect(refused(422, 'Invalid', { message: 'all of it' })).toMatchObject({
    message: expect.stringMatching(/^\/: .*all of it/),
    errors: [{ pointer: '', detail: expect.stringContaining('all of it') }],
  });
});

test.each([
  ['spec.prompt', 'a broken rule: too long', 'rule'],
  ['metadata.name', 'a broken rule: too long', 'invalid_format'],
])('a mistake at %s that says %j has the code %s', (field, detail, code) => {
  const cause = { reason: 'FieldValueInvalid', message: `Invalid value: "x": ${detail}`, field };
  expect(refused(422, 'Invalid', caused(cause))).toMatchObject({ errors: [{ code, detail }] });
});

test('a field that the schema does not have is a mistake, although the server calls it its own', () => {
  const message =
    'failed to create typed patch object (default/b; parley.dev/v1alpha1, Kind=Agent): ' +
    '.spec.nope: field not declared in schema';
  expect(refused(500, '', { message })).toMatchObject({
    name: 'InvalidResourceError',
    errors: [{ pointer: '/spec/nope', code: 'unknown_field' }],
  });
});
