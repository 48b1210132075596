import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Elect } from '../../../src/roles/operator/terms.ts';
import { raiseEpoch } from '../../../src/platform/postgres/leadership.ts';
import { activations, agentRow, countVersions, events } from '../../agents/agents.ts';
import { startEngine, type Engine } from '../engine.ts';
import { findKubeBinaries } from '../../platform/kubernetes/kube-binaries.ts';

/**
 * A cluster is lost, but its database is not. The same manifests on a new cluster must continue the history and repeat
 * no event, no matter whether the manifests or the operator come first.
 */

const withKube = (await findKubeBinaries()) ? test : test.skip;
let engine: Engine;
beforeEach(async () => {
  engine = await startEngine('kubernetes');
});
afterEach(() => engine.stop());

/** Returns an election that immediately makes the operator the leader of a cluster with this name. */
const leadsFor =
  (cluster: string): Elect =>
  ({ onLead, onLost }) => ({
    start: () =>
      void raiseEpoch(engine.pool, cluster).then((office) => onLead(office, () => undefined)),
    stop: onLost,
  });

async function declareAll(): Promise<void> {
  await engine.declareAgent('kept', { prompt: 'two' });
  await engine.declareAgent('erased', { prompt: 'one', deletionPolicy: 'Delete' });
  await engine.store.apply(
    { kind: 'WebhookEndpoint', namespace: 'default', name: 'hook', spec: HOOK },
    { fieldManager: 'kubectl' },
  );
}
const HOOK = { url: 'http://127.0.0.1:9/', generateSecret: true };
const SECRET_KEY = { namespace: 'default', name: 'hook-signing' };

const history = async () => ({
  ids: await Promise.all(
    ['kept', 'erased'].map(async (name) => (await agentRow(engine, name))?.id),
  ),
  versions: await countVersions(engine),
  activations: await Promise.all(['kept', 'erased'].map((name) => activations(engine, name))),
  events: await Promise.all(['kept', 'erased'].map((name) => events(engine, name))),
});

/** Waits until everything is active, and returns the endpoint's secret. */
async function settleAll(): Promise<unknown> {
  for (const name of ['kept', 'erased']) await engine.settled('Agent', name);
  await engine.settled('WebhookEndpoint', 'hook');
  return (await engine.store.get('Secret', SECRET_KEY))?.spec['data'];
}

/** Runs the first cluster and then loses it without any cleanup by the operator. */
async function loseCluster() {
  const first = await engine.startOperator({ elect: leadsFor('a') });
  await engine.declareAgent('kept', { prompt: 'one' });
  await engine.settled('Agent', 'kept');
  await declareAll();
  const secret = await settleAll();
  const before = await history();
  await first.stop();
  await engine.emptyStore();
  return { before, secret };
}

withKube.each(['manifests, then the operator', 'the operator, then manifests'])(
  'on a new cluster: %s',
  async (order) => {
    const { before, secret } = await loseCluster();
    if (order.startsWith('manifests')) await declareAll();
    const operator = await engine.startOperator({ elect: leadsFor('b') });
    await engine.eventually(async () => operator.isReady());
    if (!order.startsWith('manifests')) await declareAll();
    expect(await settleAll()).toEqual(secret);
    expect(await history()).toEqual(before);
    const agent = await engine.store.get('Agent', { namespace: 'default', name: 'kept' });
    expect(agent?.status).toMatchObject({ activeVersion: 2, latestVersion: 2 });
  },
);

withKube('what is deleted from the same cluster while no operator runs is gone', async () => {
  await loseCluster();
  await engine.startOperator({ elect: leadsFor('a') });
  await engine.eventually(async () => (await agentRow(engine, 'kept')) === undefined);
});
