import { MERGE_PATCH, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import type {
  Applied,
  Resource,
  ResourceStore,
} from '../../../src/platform/resources/resource-store.ts';

/** The reports of a watch, and clients that record or delay the traffic. */

export type Watching = {
  /** `namespace/name` of each report, in order. */
  reported: string[];
  /** Resolves when the last report is this one. */
  until: (name: string) => Promise<void>;
  stop: () => Promise<void>;
};

export async function watchReports(store: ResourceStore, kind: string): Promise<Watching> {
  const reported: string[] = [];
  const synced = Promise.withResolvers<void>();
  let look = (): void => undefined;
  const { stop } = store.watch(kind, {
    onChange: ({ key }) => {
      if (key.namespace === 'kube-system') return; // An API server has its own ConfigMaps there.
      reported.push(`${key.namespace}/${key.name}`);
      look();
    },
    onSynced: synced.resolve,
  });
  await synced.promise;
  const until = (name: string): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (reported.at(-1) === name) resolve();
      };
      look();
    });
  return { reported, until, stop };
}

/** Returns a client that records everything that lists and watches receive in `wire`. */
export function recording(client: KubeClient, wire: unknown[]): KubeClient {
  return {
    ...client,
    request: async (request) => {
      const answer = await client.request(request);
      if (!request.path.endsWith('/a')) wire.push(answer);
      return answer;
    },
    stream: async (request) =>
      (async function* () {
        for await (const event of await client.stream(request)) {
          wire.push(event);
          yield event;
        }
      })(),
  };
}

/** Returns a client that passes on no event of a watch before `open`. */
export function holding(client: KubeClient, open: Promise<void>): KubeClient {
  return {
    ...client,
    stream: async (request) => {
      const events = await client.stream(request);
      return (async function* () {
        await open;
        yield* events;
      })();
    },
  };
}

/** Returns a client that records the paths of requests. */
export function noting(client: KubeClient, paths: Set<string>): KubeClient {
  return {
    ...client,
    request: (request) => {
      paths.add(request.path);
      return client.request(request);
    },
    stream: (request) => {
      paths.add(request.path);
      return client.stream(request);
    },
  };
}

export const KEY = { namespace: 'default', name: 'a' };

export function agent(fields: Partial<Applied> = {}): Applied {
  return { kind: 'Agent', ...KEY, spec: { prompt: 'one' }, ...fields };
}

/** Returns functions that write and read the one agent. Gets the store for each call, since `beforeAll` creates it. */
export function createDeclarer(of: () => { store: ResourceStore; client: KubeClient }) {
  return {
    applyAs: (fieldManager: string, spec: Record<string, unknown> = { prompt: 'one' }) =>
      of().store.apply(agent({ spec }), { fieldManager }),
    read: async (): Promise<Resource> => (await of().store.get('Agent', KEY))!,
    /** Edits as `kubectl edit` does: without apply, so the editor owns the changed fields. */
    edit: (body: object, key = KEY): Promise<unknown> =>
      of().client.request({
        method: 'PATCH',
        path: objectPath('Agent', key),
        contentType: MERGE_PATCH,
        query: { fieldManager: 'kubectl-edit' },
        body,
      }),
  };
}
