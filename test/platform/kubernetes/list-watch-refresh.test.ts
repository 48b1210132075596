import { expect, test } from 'vitest';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { KubeConnectionError } from '../../../src/platform/kubernetes/kube-error.ts';
import { createListWatch } from '../../../src/platform/kubernetes/list-watch.ts';

/** Starts a list-watch on a server whose lists are answered one by one, and whose watches report nothing. */
function start() {
  const asked: string[] = [];
  const reported: string[] = [];
  const problems: unknown[] = [];
  const note = (about: unknown): void => void problems.push(about);
  let onList = (): void => undefined;
  const answers: PromiseWithResolvers<string>[] = [];
  const watch = createListWatch<string>({
    path: '/x',
    convert: String,
    sink: {
      replace: (items) => void reported.push(items.join()),
      upsert: () => undefined,
      remove: () => undefined,
    },
    log: { warn: note, debug: note },
    random: () => 0,
    client: {
      request: async () => {
        const answer = Promise.withResolvers<string>();
        answers.push(answer);
        asked.push('list');
        onList();
        return { metadata: { resourceVersion: '1' }, items: [await answer.promise] };
      },
      stream: async ({ signal }) => {
        asked.push('watch');
        return silence(signal);
      },
    },
  });
  watch.start();
  return {
    ...watch,
    asked,
    reported,
    problems,
    /** Resolves to the next list request. */
    nextList: async (): Promise<PromiseWithResolvers<string>> => {
      while (answers.length === 0) await new Promise<void>((resolve) => (onList = resolve));
      return answers.shift()!; // The loop has checked that one exists.
    },
  };
}

// oxlint-disable-next-line require-yield -- It hangs, as a quiet watch does.
async function* silence(signal: AbortSignal): AsyncIterable<unknown> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new KubeConnectionError('aborted');
}

async function startSynced() {
  const server = start();
  (await server.nextList()).resolve('old');
  await server.synced;
  await setImmediate(); // It watches now.
  return server;
}

test('a refresh ends the watch, lists anew and goes on watching', async () => {
  const { refresh, nextList, asked, reported, problems, stop } = await startSynced();
  const refreshed = refresh();
  (await nextList()).resolve('new');
  await refreshed;
  await setImmediate();
  expect({ asked, reported, problems }).toEqual({
    asked: ['list', 'watch', 'list', 'watch'],
    reported: ['old', 'new'],
    problems: [],
  });
  await stop();
});

test('a list that began before the refresh does not serve it', async () => {
  const { refresh, nextList, reported, stop } = start();
  const first = await nextList();
  const refreshed = refresh();
  first.resolve('old');
  const second = await nextList();
  expect(reported).toEqual(['old']);
  second.resolve('new');
  await refreshed;
  expect(reported).toEqual(['old', 'new']);
  await stop();
});

test('a refresh whose list fails waits for one that does not', async () => {
  const { refresh, nextList, reported, stop } = await startSynced();
  const refreshed = refresh();
  (await nextList()).reject(new KubeConnectionError('away'));
  (await nextList()).resolve('new');
  await refreshed;
  expect(reported).toEqual(['old', 'new']);
  await stop();
});

test('several refreshes at once share a list', async () => {
  const { refresh, nextList, asked, stop } = await startSynced();
  const refreshed = Promise.all([refresh(), refresh()]);
  (await nextList()).resolve('new');
  await refreshed;
  expect(asked.filter((what) => what === 'list')).toHaveLength(2);
  await stop();
});
