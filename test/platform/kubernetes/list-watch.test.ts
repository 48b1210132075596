import { expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { once } from 'node:events';
import { KubeConnectionError, toKubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import {
  createListWatch,
  type ListWatchDeps,
} from '../../../src/platform/kubernetes/list-watch.ts';

/**
 * Answers that no real server gives on demand. kubernetes-watch.kube.test.ts covers the others. The tests run
 * concurrently, since each mostly waits and they share nothing.
 */

type Deps = ListWatchDeps<string>;
type Page = { items: string[]; at: string; next?: string };
type Step = Page | Error | { events: object[]; thenHang?: boolean };

/**
 * Starts a list-watch on a scripted server: a page or an error for each list, events or an error for each watch. The
 * last watch reports nothing and stays open.
 */
function start(steps: { lists: (Page | Error)[]; watches?: Step[] }, options: Partial<Deps> = {}) {
  const lists = [...steps.lists];
  const watches = [...(steps.watches ?? [])];
  const asked: string[] = [];
  const reported: string[] = [];
  const logged: string[] = [];
  const exhausted = Promise.withResolvers<void>();
  const watch = createListWatch<string>({
    path: '/x',
    convert: (raw) => (raw as { metadata: { name: string } }).metadata.name,
    sink: {
      replace: (items) => reported.push(`all ${items.join(',')}`),
      upsert: (item) => reported.push(`put ${item}`),
      remove: (item) => reported.push(`drop ${item}`),
    },
    log: {
      warn: () => logged.push('warn'),
      debug: () => logged.push('debug'),
    },
    random: () => 0,
    client: {
      request: async ({ query = {} }) => {
        asked.push(`list ${query['continue'] ?? ''}`.trim());
        const page = lists.shift();
        if (page === undefined) throw new KubeConnectionError('no more');
        if (page instanceof Error) throw page;
        const { items, at, next } = page;
        return {
          metadata: { resourceVersion: at, ...(next && { continue: next }) },
          items: items.map((name) => ({ metadata: { name } })),
        };
      },
      stream: async ({ query = {}, signal }) => {
        asked.push(`watch ${query['resourceVersion']}`);
        const step = watches.shift();
        if (step instanceof Error) throw step;
        if (step && 'events' in step)
          return streamOf(step.events, step.thenHang ? signal : undefined);
        exhausted.resolve();
        return streamOf([], signal);
      },
    },
    ...options,
  });
  watch.start();
  return { ...watch, asked, reported, logged, exhausted: exhausted.promise };
}

async function* streamOf(events: object[], hangUntil?: AbortSignal): AsyncIterable<unknown> {
  yield* events;
  if (!hangUntil) return;
  if (!hangUntil.aborted) await once(hangUntil, 'abort');
  throw new KubeConnectionError('aborted');
}

const event = (type: string, name: string, resourceVersion: string) => ({
  type,
  object: { metadata: { name, resourceVersion } },
});
const status = (code: number) => ({ code, message: 'x', reason: 'Expired' });
const gone = () => toKubeError(410, 'x', status(410));
const page = (at: string, ...items: string[]): Page => ({ at, items });

test.concurrent('a page that has expired between two others starts the list anew', async () => {
  const lists = [{ ...page('1', 'a'), next: 'n' }, gone(), page('2', 'b')];
  const { reported, asked, exhausted, stop } = start({ lists });
  await exhausted;
  await stop();
  expect(reported).toEqual(['all b']);
  expect(asked).toEqual(['list', 'list n', 'list', 'watch 2']);
});

test.concurrent.each([
  ['as a status', gone()],
  ['as an event', { events: [{ type: 'ERROR', object: status(410) }] }],
])('410 %s lists anew', async (_, step) => {
  const { reported, asked, exhausted, stop } = start({
    lists: [page('1', 'a'), page('5', 'b')],
    watches: [step],
  });
  await exhausted;
  await stop();
  expect(reported).toEqual(['all a', 'all b']);
  expect(asked).toEqual(['list', 'watch 1', 'list', 'watch 5']);
});

test.concurrent('any other error goes on where it was', async () => {
  const { reported, asked, exhausted, stop } = start({
    lists: [toKubeError(500, 'x', {}), page('1', 'a')],
    watches: [
      { events: [event('ADDED', 'b', '2'), event('BOOKMARK', '', '7')] },
      { events: [event('DELETED', 'a', '8'), { type: 'ERROR', object: status(500) }] },
      new KubeConnectionError('reset'),
      { events: [{ type: 'NONSENSE' }] },
    ],
  });
  await exhausted;
  await stop();
  expect(reported).toEqual(['all a', 'put b', 'drop a']);
  const places = ['watch 1', 'watch 7', 'watch 8', 'watch 8', 'watch 8'];
  expect(asked).toEqual(['list', 'list', ...places]);
});

const error = (): Step => ({ events: [{ type: 'ERROR', object: status(500) }] });
// These run one after the other, because the held clock belongs to the whole process.
test.each([
  ['refuse', () => toKubeError(500, 'x', {})],
  ['end at once', (): Step => ({ events: [] })],
  ['begin with an error', error],
])('watches that %s are asked for ever more slowly', async (_, step) => {
  const time = holdTime();
  const { exhausted, stop, logged } = start(
    { lists: [page('1')], watches: [step(), step(), step(), step()] },
    { random: () => 1 },
  );
  for (const ms of [100, 200, 400, 800]) {
    await time.armed(ms);
    await time.advance(ms);
  }
  await exhausted;
  await stop();
  // The first is normal; the second is unusual.
  expect(logged).toEqual(['debug', 'warn', 'debug', 'debug']);
});

test('but never more slowly than every 3 s', async () => {
  const time = holdTime();
  const { exhausted, stop } = start(
    { lists: [page('1')], watches: Array.from({ length: 12 }, () => new KubeConnectionError('x')) },
    { random: () => 1 },
  );
  for (const ms of [100, 200, 400, 800, 1_600, ...Array<number>(7).fill(3_000)]) {
    await time.armed(ms);
    await time.advance(ms);
  }
  await exhausted;
  await stop();
});

test('a watch that reports something is asked for again at the shortest interval', async () => {
  const step = (n: number): Step => ({ events: [event('ADDED', 'a', String(n))] });
  const time = holdTime();
  const { exhausted, stop, logged } = start({
    lists: [page('1')],
    watches: Array.from({ length: 8 }, (_, n) => step(n + 2)),
  });
  for (let n = 0; n < 8; n += 1) {
    await time.armed(50); // Half of the shortest wait, by `random`.
    await time.advance(50);
  }
  await exhausted;
  await stop();
  expect(logged).not.toContain('warn');
});

test.concurrent('silence beyond the dead man’s time is the end of a watch, whatever the server says', async () => {
  const { exhausted, stop, reported, asked } = start(
    {
      lists: [page('1')],
      watches: [
        { events: [event('ADDED', 'a', '2')], thenHang: true },
        { events: [], thenHang: true },
      ],
    },
    { deadManMs: 50 },
  );
  await exhausted;
  await stop();
  expect(reported).toEqual(['all ', 'put a']);
  expect(asked).toEqual(['list', 'watch 1', 'watch 2', 'watch 2']);
});

test.concurrent('is synced when the first full list was reported, not before', async () => {
  const { reported, synced, stop } = start({ lists: [gone(), page('1', 'a')] });
  await synced;
  expect(reported).toEqual(['all a']);
  await stop();
});

test.concurrent('reports nothing of a list that comes after the stop', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<unknown>();
  const { reported, stop } = start(
    { lists: [] },
    {
      client: {
        request: () => {
          asked.resolve();
          return answer.promise;
        },
        stream: () => Promise.reject(new Error('asked for')),
      },
    },
  );
  await asked.promise;
  const stopped = stop();
  answer.resolve({ metadata: { resourceVersion: '1' }, items: [] });
  await stopped;
  expect(reported).toEqual([]);
});

test.concurrent('an empty collection may be null', async () => {
  const { reported, stop, synced } = start(
    { lists: [] },
    {
      client: {
        request: async () => ({ metadata: { resourceVersion: '1' }, items: null }),
        stream: async ({ signal }) => streamOf([], signal),
      },
    },
  );
  await synced;
  await stop();
  expect(reported).toEqual(['all ']);
});
