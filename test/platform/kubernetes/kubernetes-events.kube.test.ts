import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import {
  createEventRecorder,
  type EventRecorder,
} from '../../../src/platform/kubernetes/event-recorder.ts';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';

/** What the real API server stores of our Events. `stop` resolves after all were sent. */

const binaries = await findKubeBinaries();
const TEXT = {
  type: 'Warning',
  reason: 'SecretNotFound',
  action: 'Reconcile',
  note: 'Secret "signing" was not found',
} as const;

(binaries ? describe : describe.skip)('the recorder of Events', () => {
  let kube: Kube;
  let client: KubeClient;
  let namespace: string;
  let namespaces = 0;
  let recorder: EventRecorder;
  let dropped: object[];

  beforeAll(async () => {
    kube = await borrowKube();
    client = createKubeClient({
      credentials: {
        server: kube.url,
        tls: { ca: kube.caCert },
        headers: async () => ({ authorization: `Bearer ${kube.token}` }),
        namespace: 'default',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await kube?.stop();
  });
  beforeEach(async () => {
    namespace = `events-${(namespaces += 1)}`;
    await kube.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    dropped = [];
    recorder = startRecorder();
  });

  function startRecorder(): EventRecorder {
    return createEventRecorder({
      client,
      reportingController: 'parley.dev/parley-operator',
      reportingInstance: 'parley-operator-0',
      log: { debug: (fields: object) => void dropped.push(fields) },
      nowMs: () => performance.now(),
    });
  }

  const about = (name = 'support') => ({
    kind: 'Agent',
    apiVersion: 'parley.dev/v1alpha1',
    namespace,
    name,
    uid: '01890000-0000-7000-8000-000000000001',
    resourceVersion: '12',
  });

  const path = () => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

  async function events(): Promise<unknown> {
    return (await kube.request('GET', path())).json()['items'];
  }

  test('an Event names the object, the reason and who reports', async () => {
    recorder.record(about(), TEXT);
    await recorder.stop();
    expect(dropped).toEqual([]);
    expect(await events()).toEqual([
      expect.objectContaining({
        ...TEXT,
        metadata: expect.objectContaining({
          name: expect.stringMatching(/^support\.[0-9a-f]{16}$/),
        }),
        regarding: about(),
        reportingController: 'parley.dev/parley-operator',
        reportingInstance: 'parley-operator-0',
        eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}Z$/),
      }),
    ]);
  });

  test('the same again is counted in one Event', async () => {
    recorder.record(about(), TEXT);
    while (JSON.stringify(await events()) === '[]');
    for (let n = 0; n < 3; n += 1) recorder.record(about(), TEXT);
    await recorder.stop();
    expect(dropped).toEqual([]);
    expect(await events()).toEqual([
      expect.objectContaining({
        series: { count: 4, lastObservedTime: expect.stringMatching(/\.\d{6}Z$/) },
      }),
    ]);
  });

  test('what was counted before it could be sent is in the new Event', async () => {
    recorder.record(about('first'), TEXT);
    for (let n = 0; n < 3; n += 1) recorder.record(about(), TEXT);
    await recorder.stop();
    expect(await events()).toEqual([
      expect.not.objectContaining({ series: expect.anything() }),
      expect.objectContaining({ series: expect.objectContaining({ count: 3 }) }),
    ]);
  });

  test('many notes on the same end in one Event that says so', async () => {
    for (let n = 0; n < 15; n += 1) recorder.record(about(), { ...TEXT, note: `took ${n} ms` });
    await recorder.stop();
    expect(dropped).toEqual([]);
    const all = await events();
    expect(all).toHaveLength(11);
    expect(all).toContainEqual(
      expect.objectContaining({
        note: '(combined from similar events): took 10 ms',
        series: expect.objectContaining({ count: 5 }),
      }),
    );
  });

  test('one that the server has forgotten begins anew', async () => {
    recorder.record(about(), TEXT);
    while (JSON.stringify(await events()) === '[]');
    await kube.request('DELETE', path());
    recorder.record(about(), TEXT);
    await recorder.stop();
    expect(await events()).toEqual([expect.not.objectContaining({ series: expect.anything() })]);
  });

  test('what is too long for the server is cut', async () => {
    const name = `${'n'.repeat(235)}.${'n'.repeat(17)}`;
    recorder.record(about(name), { ...TEXT, note: 'ü€😀'.repeat(300) });
    for (let n = 0; n < 11; n += 1) {
      recorder.record(about(), { ...TEXT, note: `${n} ${'x'.repeat(1_022)}` });
    }
    await recorder.stop();
    expect(dropped).toEqual([]);
    expect(await events()).toHaveLength(12);
    expect(await events()).toContainEqual(
      expect.objectContaining({ note: 'ü€😀'.repeat(113) + 'ü€' }),
    );
  });

  test('an Event the server refuses is dropped, and the next one comes through', async () => {
    recorder.record({ ...about(), namespace: 'nowhere' }, TEXT);
    await kube.request('DELETE', `/api/v1/namespaces/${namespace}`);
    recorder.record(about(), TEXT);
    recorder.record({ ...about(), namespace: 'default' }, TEXT);
    await recorder.stop();
    expect(dropped).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ code: 404 }) }),
      expect.objectContaining({ err: expect.objectContaining({ code: 403 }) }),
    ]);
    namespace = 'default';
    expect(await events()).toHaveLength(1);
  });
});
