import { expect, test } from 'vitest';
import {
  notReady,
  ready,
  recordReadiness,
  toConditions,
  type Finding,
} from '../../../src/platform/reconcile/conditions.ts';
import type { Condition, Resource } from '../../../src/platform/resources/resource-store.ts';

/** The times in a status, and which changes emit an Event. */

const LIVE = { reason: 'Published', message: 'version 1 is live' };
const GONE = { reason: 'SecretNotFound', message: 'Secret shop does not exist' };

function withStatus(conditions: readonly Condition[], generation = 1): Resource {
  return {
    kind: 'Agent',
    metadata: {
      namespace: 'default',
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      labels: {},
      annotations: {},
      generation,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {},
    status: { conditions: [...conditions] },
    owners: {},
  };
}

const at = (minute: number): number => Date.UTC(2026, 0, 1, 0, minute);
const look = (finding: Finding, before: readonly Condition[], minute: number): Condition[] =>
  toConditions([finding], withStatus(before, minute), at(minute));

test('a condition is since its status changed, and of the generation it was looked at in', () => {
  const first = look(ready(LIVE), [], 1);
  expect(first).toEqual([
    {
      type: 'Ready',
      status: 'True',
      ...LIVE,
      lastTransitionTime: '2026-01-01T00:01:00Z',
      observedGeneration: 1,
    },
  ]);
  const second = look(ready({ ...LIVE, message: 'version 2 is live' }), first, 2);
  expect(second).toMatchObject([
    {
      message: 'version 2 is live',
      lastTransitionTime: '2026-01-01T00:01:00Z',
      observedGeneration: 2,
    },
  ]);
  const third = look(notReady(GONE), second, 3);
  expect(third).toMatchObject([{ status: 'False', lastTransitionTime: '2026-01-01T00:03:00Z' }]);
});

test('an Event tells of what is new, once, and warns of what is wrong', () => {
  const told: string[] = [];
  const tell = (before: readonly Condition[], finding: Finding): Condition[] => {
    const after = look(finding, before, 1);
    const record = (_: Resource, event: { type: string; reason: string; note: string }): void => {
      told.push(`${event.type} ${event.reason}: ${event.note}`);
    };
    recordReadiness(record, withStatus(before), after, { action: 'Publish' });
    return after;
  };
  const first = tell([], ready(LIVE));
  tell(first, ready(LIVE));
  const second = tell(first, ready({ ...LIVE, message: 'version 2 is live' }));
  tell(second, notReady(GONE));
  expect(told).toEqual([
    'Normal Published: version 1 is live',
    'Normal Published: version 2 is live',
    'Warning SecretNotFound: Secret shop does not exist',
  ]);
});
