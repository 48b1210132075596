import { expect, test } from 'vitest';
import { actorsOf, managedBy } from '../../../src/platform/reconcile/actors.ts';
import { encodeChangeCause } from '../../../src/platform/resources/annotations.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';

function resource(
  owners: Record<string, string[]>,
  annotations: Record<string, string> = {},
): Resource {
  return {
    kind: 'Agent',
    metadata: {
      namespace: 'default',
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      labels: {},
      annotations,
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {},
    status: {},
    owners,
  };
}
const cause = (generation: number) =>
  encodeChangeCause({ generation, actor: 'api:key_1', reason: 'because' });

test.each([
  [['parley-api'], 'api'],
  [['parley-api-pin'], 'api'],
  [['parley-demo'], 'api'],
  [['file'], 'file'],
  [['kubectl'], 'kubernetes'],
  [['argocd-controller', 'parley-api'], 'kubernetes'],
  [['parley-api', 'terraform'], 'kubernetes'],
  [['file', 'parley-api'], 'file'],
  [undefined, 'kubernetes'],
])('what %j declare is managed by %s', (owners, expected) => {
  expect(managedBy(owners)).toBe(expected);
});

test('a change through the API names its key and reason while it is the last one', () => {
  const notes = { 'parley.dev/content-change': cause(3), 'parley.dev/pin-change': cause(3) };
  const { content, pin } = actorsOf(resource({ prompt: ['parley-api'] }, notes));
  expect(content).toEqual({ actor: 'api:key_1', reason: 'because' });
  expect(pin).toEqual(content);
});

test('after a later change the owner is named: the key of what is still the API’s, without its reason', () => {
  const notes = { 'parley.dev/content-change': cause(2), 'parley.dev/pin-change': cause(2) };
  expect(
    actorsOf(resource({ prompt: ['parley-api'], pinnedVersion: ['kubectl-edit'] }, notes)),
  ).toEqual({
    content: { actor: 'api:key_1', reason: null },
    pin: { actor: 'kubernetes:kubectl-edit', reason: null },
  });
});

test('who removes a pin of theirs is not known: the key of the content is named, not a bare api', () => {
  const notes = { 'parley.dev/content-change': cause(2) };
  const { pin } = actorsOf(resource({ prompt: ['parley-api'] }, notes));
  expect(pin).toEqual({ actor: 'api:key_1', reason: null });
});

test('where somebody removed the note, or the managers, only the way in is known', () => {
  expect(actorsOf(resource({ prompt: ['parley-api'] })).content.actor).toBe('api');
  expect(actorsOf(resource({})).content.actor).toBe('kubernetes:unknown');
});

test('a note that is no note is as if it were not there', () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"generation":3}',
    '{"generation":"3","actor":"api:key_1","reason":null}',
    // The API never writes these actors.
    '{"generation":3,"actor":"file","reason":null}',
    '{"generation":3,"actor":"kubernetes:flux-system","reason":null}',
    '{"generation":3,"actor":"environment","reason":null}',
    '{"generation":3,"actor":"session:Ada\\nfile","reason":null}',
    `{"generation":3,"actor":"session:${'a'.repeat(200)}","reason":null}`,
  ]) {
    const { content } = actorsOf(
      resource({ promptFrom: ['flux'] }, { 'parley.dev/content-change': text }),
    );
    expect(content).toEqual({ actor: 'kubernetes:flux', reason: null });
  }
});

test('a name is one name, whatever is in it', () => {
  const actor = 'session:Ada","actor":"file';
  const note = encodeChangeCause({ generation: 3, actor, reason: null });
  const { content } = actorsOf(
    resource({ prompt: ['parley-api'] }, { 'parley.dev/content-change': note }),
  );
  expect(content).toEqual({ actor, reason: null });
});

test('of several who declare the content it was who wrote last, the pin aside', () => {
  const owners = {
    prompt: ['kubectl-client-side-apply'],
    firstMessage: ['kubectl-patch'],
    pinnedVersion: ['parley-oncall'],
  };
  const wroteAt = {
    'kubectl-client-side-apply': '2026-01-01T00:00:00Z',
    'kubectl-patch': '2026-01-01T00:00:01Z',
    'parley-oncall': '2026-01-01T00:00:02Z',
  };
  const { content, pin } = actorsOf({ ...resource(owners), wroteAt });
  expect(content.actor).toBe('kubernetes:kubectl-patch');
  expect(pin.actor).toBe('kubernetes:parley-oncall');
  // Without times, as in tables, the actor is the one who declares the prompt.
  expect(actorsOf(resource(owners)).content.actor).toBe('kubernetes:kubectl-client-side-apply');
});
