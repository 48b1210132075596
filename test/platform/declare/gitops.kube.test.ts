import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { collectionPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { activations, agentRow, countVersions, events } from '../../agents/agents.ts';
import { borrowKube, type Kube } from '../kubernetes/kube.ts';
import { findKubeBinaries } from '../kubernetes/kube-binaries.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import {
  AGENT,
  ARGO,
  ARGO_SERVER_SIDE,
  FLUX,
  HELM,
  KUBECTL,
  KUBECTL_SERVER_SIDE,
  mergePatch,
  startCluster,
  type Cluster,
  type GitOps,
  type Spec,
} from './gitops-setup.ts';

/**
 * REST beside a tool that applies a repository again and again. The test simulates the requests of the tools; API
 * server, operator, REST API and database are real.
 */

const TEN = 10;
/** The writes are its id and its status. */
const WRITES_FOR_NEW_AGENT = 2;
const ONE = { prompt: 'one', voice: { language: 'en' } };
const TWO = { prompt: 'two', voice: { language: 'en' } };
/** The field manager of the command in docs/operations for a person on call who has only kubectl. */
const ON_CALL = 'parley-oncall';

const binaries = await findKubeBinaries();

(binaries ? describe : describe.skip)('beside GitOps', () => {
  let kube: Kube;
  let cluster: Cluster;
  // Each test starts from an emptied installation, not from a new one: all tests share the programs.
  beforeAll(async () => {
    kube = await borrowKube();
    cluster = await startCluster(kube);
  }, 120_000);
  afterEach(() => cluster.reset());
  afterAll(async () => {
    await cluster?.stop();
    await kube?.stop();
  });

  const commit = async (tool: GitOps, ...specs: Spec[]): Promise<Resource> => {
    for (const spec of specs) {
      await tool.reconcile(kube, spec);
      await cluster.settled();
    }
    return cluster.settled();
  };
  /** Runs more rounds over the same repository, which must change nothing. */
  const expectUntouched = async (tool: GitOps, spec: Spec, rounds = 3): Promise<void> => {
    const before = await cluster.settled();
    for (let round = 0; round < rounds; round += 1) await tool.reconcile(kube, spec);
    expect(await cluster.read()).toEqual(before);
  };
  const idOf = async (): Promise<string> =>
    (await cluster.read())!.metadata.annotations['parley.dev/id']!;
  const call = async (method: string, route = '', json?: unknown): Promise<Reply> => {
    const path = `/v1/agents/${await idOf()}${route}`;
    return cluster.call(method, path, json === undefined ? {} : { json });
  };
  /** Returns the activations without the API key, which differs each time. */
  const activationLines = async (): Promise<string[]> => {
    const lines = await activations(cluster.engine);
    expect(await events(cluster.engine)).toEqual(lines);
    return lines.map((line) => line.replace(/api:key_\w+/, 'api'));
  };
  const byTool = ({ manager }: GitOps): string[] => [
    `published null>1 kubernetes:${manager}`,
    `published 1>2 kubernetes:${manager}`,
  ];
  const activeVersion = async () => (await agentRow(cluster.engine, 'support'))?.activeVersion;
  const expectRefused = async (reply: Reply, manager: string): Promise<void> => {
    expect(reply).toMatchObject({ status: 409, body: { code: 'managed_elsewhere' } });
    expect(reply.body.detail).toContain(manager);
  };

  const makeAgent = async (name: string): Promise<void> => {
    const body = {
      apiVersion: 'parley.dev/v1alpha1',
      kind: 'Agent',
      metadata: { name },
      spec: ONE,
    };
    const path = collectionPath('Agent', 'default');
    await kube.client.request({ method: 'POST', path, body });
    await cluster.settled(name);
  };

  describe.each([
    ['Flux', FLUX],
    ['Argo CD', ARGO],
    ['Argo CD with server-side apply', ARGO_SERVER_SIDE],
  ])('%s', (_, tool) => {
    test('leaves a rollback by REST alone for ten rounds, and its end too', async () => {
      await commit(tool, ONE, TWO);
      const rolledBack = await call('POST', '/rollback', { reason: 'it is rude' });
      expect(rolledBack).toMatchObject({ status: 200, body: { active_version: 1, ready: true } });
      await expectUntouched(tool, TWO, TEN);
      expect((await cluster.read())!.owners['pinnedVersion']).toEqual(['parley-api-pin']);
      const afterRollback = [...byTool(tool), 'rolled_back 2>1 api: it is rude'];
      expect(await activationLines()).toEqual(afterRollback);

      const published = await call('POST', '/publish', {});
      expect(published).toMatchObject({ status: 200, body: { active_version: 2 } });
      await expectUntouched(tool, TWO);
      expect((await cluster.read())!.spec).not.toHaveProperty('pinnedVersion');
      expect(await activationLines()).toEqual([...afterRollback, 'published 1>2 api']);
    });

    test("leaves the on-call person's kubectl pin alone for ten rounds, until it is null", async () => {
      await commit(tool, ONE, TWO);
      await mergePatch(kube, { spec: { pinnedVersion: 1 } }, ON_CALL);
      await expectUntouched(tool, TWO, TEN);
      expect(await activeVersion()).toBe(1);
      await expectRefused(await call('POST', '/publish', {}), ON_CALL);
      await mergePatch(kube, { spec: { pinnedVersion: null } }, ON_CALL);
      await expectUntouched(tool, TWO);
      expect(await activationLines()).toEqual([
        ...byTool(tool),
        `rolled_back 2>1 kubernetes:${ON_CALL}`,
        // Names the owner of the content, because nothing shows who removed the pin.
        `published 1>2 kubernetes:${tool.manager}`,
      ]);
    });
  });

  // With server-side apply Argo CD sends a subset of Flux's requests.
  describe.each([
    ['Flux', FLUX],
    ['Argo CD', ARGO],
  ])('%s', (_, tool) => {
    test('commits wait behind a rollback by REST', async () => {
      await commit(tool, ONE, TWO);
      await call('POST', '/rollback', {});
      const three = { ...TWO, prompt: 'three' };
      await commit(tool, three);
      await expectUntouched(tool, three);
      const { body } = await call('GET');
      expect(body).toMatchObject({ active_version: 1, latest_version: 3, pinned_version: 1 });
      expect((await call('POST', '/publish', {})).body.active_version).toBe(3);
      expect((await activationLines()).slice(2)).toEqual([
        'rolled_back 2>1 api',
        'published 1>3 api',
      ]);
    });

    test('owns its fields: REST answers 409 with its name and changes nothing', async () => {
      await commit(tool, ONE);
      const before = await cluster.settled();
      const patches = [
        { prompt: 'three' },
        { voice: { language: 'de' } },
        { voice: null },
        { prompt: 'three', first_message: 'Hi' },
      ];
      for (const patch of patches)
        await expectRefused(await call('PATCH', '', patch), tool.manager);
      expect(await call('DELETE')).toMatchObject({
        status: 409,
        body: { code: 'managed_elsewhere' },
      });
      expect((await call('GET')).body.managed_by).toBe('kubernetes');
      expect(await cluster.read()).toEqual(before);
    });

    test('leaves a field that only REST declares alone', async () => {
      await commit(tool, ONE);
      expect(await call('PATCH', '', { first_message: 'Hi' })).toMatchObject({
        status: 200,
        body: { first_message: 'Hi', active_version: 2, managed_by: 'kubernetes' },
      });
      await expectUntouched(tool, ONE);
      expect((await activationLines()).slice(1)).toEqual(['published 1>2 api']);
    });

    test('reverting a commit activates the old number', async () => {
      await commit(tool, ONE, TWO, ONE);
      await expectUntouched(tool, ONE);
      expect(await activationLines()).toEqual([
        ...byTool(tool),
        `rolled_back 2>1 kubernetes:${tool.manager}`,
      ]);
      expect(await countVersions(cluster.engine)).toBe(2);
      expect((await call('GET')).body).toMatchObject({ active_version: 1, latest_version: 2 });
    });

    test('with the pin in the repository, REST can neither publish nor roll back', async () => {
      const pinned = { ...TWO, pinnedVersion: 2 };
      await commit(tool, ONE, TWO, pinned);
      const before = await cluster.settled();
      await expectRefused(await call('POST', '/rollback', {}), tool.manager);
      await expectRefused(await call('POST', '/publish', { version: 1 }), tool.manager);
      await expectRefused(await call('POST', '/publish', {}), tool.manager);
      expect(await cluster.read()).toEqual(before);
      await commit(tool, { ...TWO, pinnedVersion: 1 });
      expect((await activationLines()).slice(2)).toEqual([
        `rolled_back 2>1 kubernetes:${tool.manager}`,
      ]);
    });

    test('takes the Agent away although REST has pinned it', async () => {
      await commit(tool, ONE, TWO);
      await call('POST', '/rollback', {});
      const path = `/v1/agents/${await idOf()}`;
      await kube.client.request({ method: 'DELETE', path: AGENT });
      await cluster.engine.eventually(async () => (await activeVersion()) === undefined);
      expect((await cluster.call('GET', path)).status).toBe(404);
      await commit(tool, TWO);
      expect((await call('GET')).body).toMatchObject({ active_version: 2, pinned_version: null });
    });
  });

  describe.each(['kubectl-patch', 'kubectl-edit'])('a pin by plain %s', (manager) => {
    test('is taken back by the next round of Flux, unlike one with a name of its own', async () => {
      await commit(FLUX, ONE, TWO);
      await mergePatch(kube, { spec: { pinnedVersion: 1 } }, manager);
      await cluster.settled();
      expect(await activeVersion()).toBe(1);
      await commit(FLUX, TWO);
      expect(await activeVersion()).toBe(2);
      expect((await activationLines()).slice(2)).toEqual([
        `rolled_back 2>1 kubernetes:${manager}`,
        `published 1>2 kubernetes:${FLUX.manager}`,
      ]);
    });

    test('stays with Argo CD', async () => {
      await commit(ARGO, ONE, TWO);
      await mergePatch(kube, { spec: { pinnedVersion: 1 } }, manager);
      await expectUntouched(ARGO, TWO);
    });
  });

  describe.each([
    ['Helm 4', HELM],
    ['kubectl apply', KUBECTL],
    ['kubectl apply --server-side', KUBECTL_SERVER_SIDE],
  ])('%s', (_, tool) => {
    test('owns its fields, and leaves the pin of REST alone', async () => {
      await commit(tool, ONE, TWO);
      await expectRefused(await call('PATCH', '', { prompt: 'three' }), tool.manager);
      expect((await call('DELETE')).status).toBe(409);
      expect((await call('GET')).body.managed_by).toBe('kubernetes');
      expect((await call('POST', '/rollback', {})).body.active_version).toBe(1);
      await expectUntouched(tool, TWO);
      expect(await activationLines()).toEqual([...byTool(tool), 'rolled_back 2>1 api']);
    });

    test('of what is there already makes no version, no event and no write', async () => {
      await commit(tool, ONE);
      await expectUntouched(tool, ONE);
      expect(await activationLines()).toHaveLength(1);
      expect(await countVersions(cluster.engine)).toBe(1);
    });
  });

  test('neither a label nor a new operator is a reason to write anything', async () => {
    await commit(FLUX, ONE);
    await mergePatch(kube, { metadata: { labels: { team: 'x' } } }, 'kubectl-label');
    const { metadata } = (await cluster.read())!;
    // Everything due for the one Agent is done when the operator has reconciled a later one.
    await makeAgent('later');
    await cluster.restartOperator();
    await makeAgent('latest');
    expect((await cluster.read())!.metadata).toEqual(metadata);
    // Counts from the first write: a watch may show a write before its answer is counted.
    const expected = 3 * WRITES_FOR_NEW_AGENT;
    await cluster.engine.eventually(async () => cluster.operatorWrites() >= expected);
    expect(cluster.operatorWrites()).toBe(expected);
    expect(await countVersions(cluster.engine)).toBe(3);
    expect(await events(cluster.engine, 'support')).toHaveLength(1);
  });

  test('what REST made is its own until Flux declares it too, and then it is not', async () => {
    const created = await cluster.call('POST', '/v1/agents', { json: { name: 'support', ...ONE } });
    expect(created.body).toMatchObject({ managed_by: 'api', active_version: 1 });
    await commit(FLUX, ONE);
    // Another owner of the same text does not change the generation, so the test cannot wait for that.
    await cluster.engine.eventually(
      async () => (await call('GET')).body.managed_by === 'kubernetes',
    );
    expect((await call('GET')).body.active_version).toBe(1);
    await expectRefused(await call('PATCH', '', { prompt: 'two' }), FLUX.manager);
    expect((await call('DELETE')).status).toBe(409);
    await commit(FLUX, TWO);
    expect((await activationLines()).slice(1)).toEqual([
      `published 1>2 kubernetes:${FLUX.manager}`,
    ]);
  });
});
