import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import {
  createKubeClient,
  MERGE_PATCH,
  type KubeClient,
} from '../../../src/platform/kubernetes/client.ts';
import { createListWatch, type Sink } from '../../../src/platform/kubernetes/list-watch.ts';
import { createObjectCache } from '../../../src/platform/kubernetes/object-cache.ts';
import { collectionPath, objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { toResource } from '../../../src/platform/kubernetes/to-resource.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { startKube, type OwnKube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import { IS_NIGHTLY, roundsOf } from '../../nightly.ts';

/** List-watch and cache on a real API server, behind a network that fails. */

const binaries = await findKubeBinaries();
const log = pino({ level: 'silent' });
const CUTS = roundsOf(6);
/** Full pages of 500 objects, and one page with a single object. */
const FULL_PAGES = IS_NIGHTLY ? 2 : 1;
const MANY = FULL_PAGES * 500 + 1;

type Followed = {
  /** Reports of the list-watch: `all a,b`, `put a one`, `drop a`. */
  reported: string[];
  /** Changes by the cache behind it, such as `a: one > two`; `-` means that there is no object. */
  changes: string[];
  requests: { what: 'list' | 'watch'; query: Record<string, string> }[];
  lists: () => number;
  /** Number of watches that the server has answered. */
  watches: () => number;
  cached: () => string[];
  until: (check: () => boolean) => Promise<void>;
  stop: () => Promise<void>;
};

type FollowOptions = {
  kind?: string;
  deadManMs?: number;
  /** Replaces the default of 5 to 10 minutes. */
  timeoutSec?: number;
  unreadable?: string;
};

(binaries ? describe : describe.skip)('a list-watch', () => {
  let kube: OwnKube;
  let proxy: FaultProxy;
  let client: KubeClient;
  const following: Followed[] = [];
  beforeAll(async () => {
    kube = await startKube();
  }, 120_000);
  afterAll(async () => kube?.stop());
  beforeEach(async () => {
    proxy = await startFaultProxy(kube.url);
    client = createKubeClient({
      credentials: { ...kube.credentials, server: proxy.through(kube.url) },
    });
  });
  afterEach(async () => {
    await Promise.all(following.splice(0).map((one) => one.stop()));
    await client.close();
    await proxy.stop();
    await kube.deleteAll();
  });

  const put = async (name: string, prompt: string, namespace = 'default'): Promise<void> => {
    const body = { apiVersion: 'parley.dev/v1alpha1', kind: 'Agent', metadata: { name } };
    const path = collectionPath('Agent', namespace);
    await kube.client.request({ method: 'POST', path, body: { ...body, spec: { prompt } } });
  };
  const edit = async (name: string, prompt: string): Promise<void> => {
    const path = objectPath('Agent', { namespace: 'default', name });
    const body = { spec: { prompt } };
    await kube.client.request({ method: 'PATCH', path, contentType: MERGE_PATCH, body });
  };
  const drop = async (name: string): Promise<void> => {
    const path = objectPath('Agent', { namespace: 'default', name });
    await kube.client.request({ method: 'DELETE', path });
  };

  async function follow(options: FollowOptions = {}): Promise<Followed> {
    const followed = followAgents(client, options);
    following.push(followed);
    await followed.until(() => followed.watches() >= 1);
    return followed;
  }

  test('reports every change once and in order through cut connections', async () => {
    const followed = await follow();
    const expected = ['all '];
    for (let n = 1; n <= CUTS; n += 1) {
      await followed.until(() => followed.watches() >= n);
      await put(`a${n}`, 'one');
      if (n % 2 === 0) proxy.cut();
      await edit(`a${n}`, 'two');
      await drop(`a${n}`);
      if (n % 2 === 1) proxy.cut();
      await put(`b${n}`, 'one');
      expected.push(`put a${n} one`, `put a${n} two`, `drop a${n}`, `put b${n} one`);
    }
    await followed.until(() => followed.reported.length >= expected.length);
    expect(followed.reported).toEqual(expected);
    expect(followed.cached()).toHaveLength(CUTS);
    expect(followed.lists()).toBe(1);
  });

  test('gives up a connection that is open but dead', async () => {
    const followed = await follow({ deadManMs: 500 });
    proxy.freeze();
    await put('a', 'one');
    await followed.until(() => followed.cached().includes('a: one'));
    expect(followed.reported).toEqual(['all ', 'put a one']);
  });

  // Restarting an API server takes six seconds of a core, and the test after this one kills it too.
  test.each([
    ...(IS_NIGHTLY ? ([['the API server', 'apiserver']] as const) : []),
    ['etcd', 'etcd'] as const,
  ])('is live again soon after %s was killed, and has lost nothing', async (_, part) => {
    const followed = await follow();
    await put('before', 'one');
    await put('gone', 'one');
    await drop('gone');
    // Waits, because an unreported change would merge with the following one when the watch breaks.
    await followed.until(() => followed.changes.includes('gone: one > -'));
    await kube.kill(part);
    await kube.revive(part);
    await edit('before', 'two');
    await put('after', 'one');
    await followed.until(() => followed.cached().length === 2);
    expect(followed.cached()).toEqual(['after: one', 'before: two']);
    const once = followed.changes.filter((change) => change.startsWith('before'));
    expect(once).toEqual(['before: - > one', 'before: one > two']);
  });

  test('lists anew when the server has forgotten its place, and finds what is gone', async () => {
    for (const name of ['deleted', 'edited', 'made-anew', 'same']) await put(name, 'one');
    const followed = await follow();
    proxy.refuse();
    await drop('deleted');
    await edit('edited', 'two');
    await drop('made-anew');
    await put('made-anew', 'one');
    await compact(kube);
    // The API server's cache holds more history than etcd.
    await kube.kill('apiserver');
    await kube.revive('apiserver');
    const known = followed.changes.length;
    proxy.accept();
    await followed.until(() => followed.lists() >= 2);
    expect(followed.changes.slice(known)).toEqual([
      'deleted: one > -',
      'edited: one > two',
      'made-anew: one > -',
      'made-anew: - > one',
    ]);
    await put('later', 'one');
    await followed.until(() => followed.cached().includes('later: one'));
  });

  test('reports an object made anew while nobody listened as a deletion and an addition', async () => {
    await put('a', 'one');
    const followed = await follow();
    proxy.refuse();
    await drop('a');
    await put('a', 'one');
    proxy.accept();
    await followed.until(() => followed.changes.length >= 3);
    expect(followed.changes.slice(1)).toEqual(['a: one > -', 'a: - > one']);
    expect(followed.lists()).toBe(1);
  });

  test('lists many objects in pages of 500', async () => {
    const numbers = Array.from({ length: MANY }, (_, n) => n);
    const path = collectionPath('ConfigMap', 'default');
    const make = async (): Promise<void> => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `cm-${n}` } };
        await kube.client.request({ method: 'POST', path, body });
      }
    };
    await Promise.all(Array.from({ length: 16 }, make));
    const followed = await follow({ kind: 'ConfigMap' });
    expect(new Set(followed.cached()).size).toBe(MANY);
    const pages = followed.requests.filter(({ what }) => what === 'list');
    expect(pages.map(({ query }) => [query['limit'], query['continue'] !== undefined])).toEqual([
      ['500', false],
      ...Array.from({ length: FULL_PAGES }, () => ['500', true]),
    ]);
    await kube.client.request({ method: 'DELETE', path });
    await followed.until(() => followed.cached().length === 0);
  }, 60_000);

  test('is stopped by no object that cannot be read', async () => {
    await put('poison', 'one');
    await put('a', 'one');
    const followed = await follow({ unreadable: 'poison' });
    await edit('poison', 'two');
    await put('b', 'one');
    await drop('poison');
    await put('c', 'one');
    await followed.until(() => followed.cached().length === 3);
    expect(followed.reported).toEqual(['all a', 'put b one', 'put c one']);
    expect([followed.lists(), followed.watches()]).toEqual([1, 1]);
  });

  test('moves its place by bookmarks, so that a long silence costs no list', async () => {
    const namespace = 'elsewhere';
    const path = '/api/v1/namespaces';
    await kube.client.request({ method: 'POST', path, body: { metadata: { name: namespace } } });
    const followed = await follow({ timeoutSec: 3 });
    await put('a', 'one', namespace); // The watch reports nothing of this, but the server's resource version increases.
    await followed.until(() => followed.watches() >= 2);
    const [first, second] = followed.requests.flatMap(({ what, query }) =>
      what === 'watch' ? [Number(query['resourceVersion'])] : [],
    );
    expect(second).toBeGreaterThan(first!);
    expect(followed.lists()).toBe(1);
    expect(followed.reported).toEqual(['all ']);
  });

  test('asks nothing any more once it was stopped, however often', async () => {
    const followed = await follow();
    const open = proxy.open();
    await Promise.all([followed.stop(), followed.stop()]);
    await followed.stop();
    await proxy.until(() => proxy.open() === open - 1); // The watch's connection has closed.
    const asked = followed.requests.length;
    const other = await follow();
    await put('a', 'one');
    await other.until(() => other.cached().length === 1);
    expect(followed.reported).toEqual(['all ']);
    expect(followed.requests).toHaveLength(asked);
  });

  test('can be stopped while the server is away', async () => {
    const followed = await follow();
    proxy.refuse();
    await followed.until(() => followed.requests.length >= 4);
    await followed.stop();
    const asked = followed.requests.length;
    const other = followAgents(client, {});
    following.push(other);
    await other.until(() => other.requests.length >= 6); // A watch that was not stopped would have tried again by then.
    expect(followed.requests).toHaveLength(asked);
  });
});

/** Compacts etcd's history, so that it keeps only the latest state. */
async function compact({ etcdUrl }: OwnKube): Promise<void> {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await fetch(etcdUrl + path, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const range = await post('/v3/kv/range', { key: Buffer.from('/').toString('base64') });
  const { header } = range as { header: { revision: string } };
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}

function followAgents(client: KubeClient, options: FollowOptions): Followed {
  const { kind = 'Agent', deadManMs, timeoutSec, unreadable } = options;
  const reported: string[] = [];
  const changes: string[] = [];
  const requests: Followed['requests'] = [];
  const wakers = new Set<() => void>();
  const wake = (): void => wakers.forEach((waker) => waker());
  let watches = 0;
  const promptOf = (item: Resource | undefined): string => {
    const prompt = item?.spec['prompt'];
    return typeof prompt === 'string' ? prompt : '-';
  };
  const nameOf = ({ metadata }: Resource): string => metadata.name;
  const cache = createObjectCache<Resource>({
    onChange: ({ key, before, after }) =>
      changes.push(`${key.name}: ${promptOf(before)} > ${promptOf(after)}`),
  });
  const report = (line: string, pass: () => void): void => {
    reported.push(line);
    pass();
    wake();
  };
  const sink: Sink<Resource> = {
    replace: (items) => report(`all ${items.map(nameOf).join(',')}`, () => cache.replace(items)),
    upsert: (item) => report(`put ${nameOf(item)} ${promptOf(item)}`, () => cache.upsert(item)),
    remove: (item) => report(`drop ${nameOf(item)}`, () => cache.remove(item)),
  };
  const watch = createListWatch<Resource>({
    client: {
      request: (call) => {
        requests.push({ what: 'list', query: { ...call.query } });
        wake();
        return client.request(call);
      },
      stream: async (call) => {
        requests.push({ what: 'watch', query: { ...call.query } });
        wake();
        const query = { ...call.query, ...(timeoutSec && { timeoutSeconds: String(timeoutSec) }) };
        const events = await client.stream({ ...call, query });
        watches += 1;
        wake();
        return events;
      },
    },
    path: collectionPath(kind, 'default'),
    convert: (raw) => {
      const resource = toResource(kind, raw);
      if (nameOf(resource) === unreadable) throw new Error('unreadable');
      return resource;
    },
    sink,
    log,
    ...(deadManMs !== undefined && { deadManMs }),
  });
  watch.start();
  return {
    reported,
    changes,
    requests,
    lists: () => reported.filter((line) => line.startsWith('all ')).length,
    watches: () => watches,
    cached: () =>
      cache
        .list()
        .map((item) => `${nameOf(item)}: ${promptOf(item)}`)
        .toSorted(),
    until: async (check) => {
      while (!check()) {
        await new Promise<void>((resolve) => {
          wakers.add(resolve);
        });
        wakers.clear();
      }
    },
    stop: watch.stop,
  };
}
