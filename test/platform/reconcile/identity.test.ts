import { expect, test } from 'vitest';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { identify, type IdentityDeps } from '../../../src/platform/reconcile/identity.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';

/** Messages for an object whose annotation differs from its status. */

const KIND = { idPrefix: 'we', idField: 'endpointId' } as const;
const OURS = newUuid();
const OTHER = newUuid();
const FOREIGN = newUuid();
const text = (id: string): string => fromUuid('we', id);

/** `OURS` and `OTHER` are rows of this database. */
const deps = {
  store: { annotate: async () => undefined, get: async () => undefined },
  rows: {
    findIdByName: async () => undefined,
    placeOfId: async (id: string) =>
      id === FOREIGN ? undefined : { namespace: 'default', name: id === OURS ? 'rx' : 'another' },
  },
  nowMs: () => 0,
} as unknown as IdentityDeps;

async function refused(annotation: string, status: string): Promise<string> {
  const resource = {
    kind: 'WebhookEndpoint',
    metadata: {
      namespace: 'default',
      name: 'rx',
      annotations: { 'parley.dev/id': annotation },
    },
    status: { endpointId: status },
  } as unknown as Resource;
  const identity = await identify(deps, resource, KIND);
  return 'refused' in identity ? identity.refused : 'accepted';
}

test.each([
  ['the annotation', text(FOREIGN), text(OURS)],
  ['the status', text(OURS), text(FOREIGN)],
  ['a status that is no id', text(OURS), 'x'],
])(
  '%s of another release: the message says that one watches this namespace',
  async (_, id, status) => {
    const said = await refused(id, status);
    expect(said).toContain(`cannot change from ${status} (see status) to ${id}`);
    expect(said).toContain('another installation of Parley also watches this namespace');
    expect(said).toContain('restore it');
  },
);

test('an annotation copied from another object of this release gets the plain message', async () => {
  const said = await refused(text(OTHER), text(OURS));
  expect(said).toBe(
    `annotation parley.dev/id: cannot change from ${text(OURS)} (see status) to ${text(OTHER)}`,
  );
});

test.each([
  ['ready, and its id unknown', FOREIGN, [{ type: 'Ready', status: 'True' }], true],
  ['ready, and its id known', OURS, [{ type: 'Ready', status: 'True' }], undefined],
  ['not ready', FOREIGN, [{ type: 'Ready', status: 'False' }], undefined],
  ['ready in another condition only', FOREIGN, [{ type: 'Accepted', status: 'True' }], undefined],
  ['without a status', FOREIGN, undefined, undefined],
])('an object that is %s is adopted: %#', async (_, id, conditions, isAdopted) => {
  const resource = {
    kind: 'WebhookEndpoint',
    metadata: { namespace: 'default', name: 'rx', annotations: { 'parley.dev/id': text(id) } },
    status: conditions ? { endpointId: text(id), conditions } : {},
  } as unknown as Resource;
  const identity = await identify(deps, resource, KIND);
  expect(identity).toEqual({ id, ...(isAdopted && { isAdopted }) });
});

test('an annotation that the status repeats is accepted', async () => {
  expect(await refused(text(OURS), text(OURS))).toBe('accepted');
});
