import { expect, test } from 'vitest';
import type { ResourceEvent } from '../../../src/platform/resources/resource-store.ts';
import {
  createEventCorrelator,
  type EventSubject,
} from '../../../src/platform/kubernetes/event-correlator.ts';
import { createVirtualTime } from '../controller/virtual-time.ts';

const AGENT: EventSubject = {
  kind: 'Agent',
  apiVersion: 'parley.dev/v1alpha1',
  namespace: 'default',
  name: 'support',
  uid: 'u-1',
};
const TEXT: ResourceEvent = {
  type: 'Warning',
  reason: 'SecretNotFound',
  action: 'Reconcile',
  note: 'Secret "x" not found',
};

function start() {
  const time = createVirtualTime();
  return { ...time, ...createEventCorrelator({ nowMs: time.nowMs }) };
}

test('the same again is one series that counts', () => {
  const { correlate, advance } = start();
  const first = correlate(AGENT, TEXT);
  expect(first).toMatchObject({ about: AGENT, text: TEXT, count: 1, lastAtMs: 0 });
  advance(5_000);
  expect(correlate({ ...AGENT, resourceVersion: '9' }, { ...TEXT })).toBe(first);
  expect(first).toMatchObject({ count: 2, lastAtMs: 5_000 });
});

test.each([
  ['object', { ...AGENT, uid: 'u-2' }, TEXT],
  ['namespace', { ...AGENT, namespace: 'other' }, TEXT],
  ['type', AGENT, { ...TEXT, type: 'Normal' as const }],
  ['reason', AGENT, { ...TEXT, reason: 'Other' }],
  ['action', AGENT, { ...TEXT, action: 'Other' }],
  ['note', AGENT, { ...TEXT, note: 'Other' }],
])('another %s is another series', (_, about, text) => {
  const { correlate } = start();
  const first = correlate(AGENT, TEXT);
  expect(correlate(about, text)).not.toBe(first);
  expect(first?.count).toBe(1);
});

test('the eleventh note on the same within ten minutes, and all after it, are one series', () => {
  const { correlate, advance } = start();
  const send = (n: number) => correlate(AGENT, { ...TEXT, note: `took ${n} ms` });
  const ten = Array.from({ length: 10 }, (_, n) => send(n));
  expect(new Set(ten).size).toBe(10);
  const combined = send(10);
  expect(combined?.text).toEqual({
    ...TEXT,
    note: '(combined from similar events): took 10 ms',
  });
  expect(send(11)).toBe(combined);
  expect(combined?.count).toBe(2);
  expect(send(3)).toBe(ten[3]); // This note has its own series already.
  expect(correlate(AGENT, { ...TEXT, reason: 'Other' })?.text.note).toBe(TEXT.note);
  advance(600_001);
  expect(send(12)?.text.note).toBe('took 12 ms');
});

test('an object has 25 Events at once and one more each five minutes; another is not held up', () => {
  const { correlate, advance } = start();
  const send = (about = AGENT) => correlate(about, TEXT);
  const sent = Array.from({ length: 30 }, () => send());
  expect(sent.map((series) => series !== undefined)).toEqual([
    ...Array<boolean>(25).fill(true),
    ...Array<boolean>(5).fill(false),
  ]);
  expect(send({ ...AGENT, uid: 'u-2' })).toBeDefined();
  advance(299_999);
  expect(send()).toBeUndefined();
  advance(2);
  expect(send()?.count).toBe(32); // Notes that were not sent count too.
  expect(send()).toBeUndefined();
  advance(300_000 * 100);
  expect(Array.from({ length: 26 }, () => send()).filter(Boolean)).toHaveLength(25);
});

test('what is kept is bounded, and what is used stays', () => {
  const { correlate } = start();
  const others = (from: number) => {
    for (let n = from; n < from + 4_095; n += 1) correlate({ ...AGENT, uid: `other-${n}` }, TEXT);
  };
  const first = correlate(AGENT, TEXT);
  others(0);
  expect(correlate(AGENT, TEXT)).toBe(first);
  others(4_095);
  expect(correlate(AGENT, TEXT)).toBe(first);
  others(8_190);
  correlate({ ...AGENT, uid: 'one more' }, TEXT);
  expect(correlate(AGENT, TEXT)).not.toBe(first);
});
