import { expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import type { KubeRequest } from '../../../src/platform/kubernetes/client.ts';
import { createEventRecorder } from '../../../src/platform/kubernetes/event-recorder.ts';
import { KubeConnectionError } from '../../../src/platform/kubernetes/kube-error.ts';

/** The recorder never disturbs its caller. kubernetes-events.kube.test.ts covers what the server receives. */

const TEXT = { type: 'Normal', reason: 'Published', action: 'Publish', note: 'version 1' } as const;

function subject(n: number) {
  const [apiVersion, namespace] = ['parley.dev/v1alpha1', 'default'];
  return { kind: 'Agent', apiVersion, namespace, name: `a-${n}`, uid: `u-${n}` };
}

/** Creates a recorder and a server that answers when the test says so. */
function start() {
  const calls: (KubeRequest & { answer: (error?: Error) => void })[] = [];
  const dropped: string[] = [];
  let called = Promise.withResolvers<void>();
  const recorder = createEventRecorder({
    client: {
      request: (request) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const answer = (error?: Error): void => (error ? reject(error) : resolve());
        request.signal?.addEventListener('abort', () => answer(new KubeConnectionError('cut off')));
        calls.push({ ...request, answer });
        called.resolve();
        called = Promise.withResolvers<void>();
        return promise;
      },
    },
    reportingController: 'parley.dev/operator',
    reportingInstance: 'pod-1',
    log: { debug: (_: unknown, message?: string) => void dropped.push(message ?? '') },
    nowMs: () => performance.now(),
  });
  const answerNext = async (error?: Error): Promise<void> => {
    const next = called.promise;
    calls.at(-1)?.answer(error);
    await next;
  };
  return { ...recorder, calls, dropped, answerNext };
}

test('sends one at a time, and one that fails does not stop the others', async () => {
  const { record, calls, dropped, answerNext } = start();
  for (const n of [1, 2, 3]) record(subject(n), TEXT);
  expect(calls).toHaveLength(1);
  await answerNext(new Error('no'));
  expect(calls).toHaveLength(2);
  await answerNext();
  expect(calls.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  expect(dropped).toEqual(['dropped an event']);
});

test('repetitions while it waits are sent as one', async () => {
  const { record, calls, answerNext } = start();
  record(subject(1), TEXT);
  for (let n = 0; n < 5; n += 1) record(subject(1), TEXT);
  await answerNext();
  expect(calls[0]?.body).not.toHaveProperty('series');
  expect(calls[1]).toMatchObject({ method: 'PATCH', body: { series: { count: 6 } } });
});

test('a queue that is full drops what comes, and throws nothing', () => {
  const { record, calls, dropped } = start();
  for (let n = 0; n < 1_010; n += 1) record(subject(n), TEXT);
  expect(calls).toHaveLength(1);
  expect(dropped).toHaveLength(9); // One request is in progress.
  record(subject(5), TEXT); // This one waits already.
  expect(dropped).toHaveLength(9);
  record(subject(1_005), TEXT);
  expect(dropped).toHaveLength(10);
});

test('nothing that is recorded can throw', () => {
  const { record, dropped } = start();
  const broken: unknown = undefined;
  // The recorder must tolerate a value that a cast elsewhere lets through.
  record(broken as ReturnType<typeof subject>, TEXT);
  expect(dropped).toEqual(['could not record an event']);
});

test('stop sends what waits; afterwards nothing is taken', async () => {
  const { record, stop, calls, answerNext } = start();
  for (const n of [1, 2]) record(subject(n), TEXT);
  const stopped = stop();
  record(subject(3), TEXT);
  await answerNext();
  calls[1]?.answer();
  await stopped;
  await stop();
  expect(calls).toHaveLength(2);
});

test('stop gives up on a server that does not answer after two seconds', async () => {
  const { record, stop, calls } = start();
  for (const n of [1, 2]) record(subject(n), TEXT);
  const time = holdTime();
  let stopped = 0;
  const stopping = [stop(), stop()].map((stop) => stop.then(() => (stopped += 1)));
  await time.advance(1_999);
  expect(stopped).toBe(0);
  await time.advance(1);
  await Promise.all(stopping);
  expect(calls).toHaveLength(1);
});
