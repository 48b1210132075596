import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { awaitCondition, type ReportedCondition } from '../../agents/agents.ts';
import {
  startApi,
  type Api,
  type Call,
  type Reply,
  PATIENT_MS,
} from '../../roles/api/api-setup.ts';
import { describeKind } from '../../roles/each-store.ts';
import { OFTEN, siteFetcher, startSite, type Site } from '../syncs/site.ts';
import { newNamespace } from '../own-namespace.ts';

/** A source that is fetched, as an object (contract/custom-resources.md#status). */

const SOURCES = '/v1/knowledge/sources';
const TEXT = '# Hours\n\nWe open at nine.\n\n# Parking\n\nThere are four places behind the house.';

describeKind((storeName) => {
  let api: Api;
  let site: Site;
  let namespace: string;
  let call: Call;
  beforeAll(async () => {
    api = await startApi({ storeName, operator: false, projectionWaitMs: PATIENT_MS });
    await api.engine.startOperator({ fetchers: { website: siteFetcher }, syncTimes: OFTEN });
  });
  afterAll(() => api?.stop());
  beforeEach(async () => {
    site = await startSite({ hours: TEXT, parking: '# Parking\n\nBehind the house.' });
    ({ namespace, call } = await newNamespace(api));
  });
  afterEach(() => site?.stop());

  const key = () => ({ kind: 'KnowledgeSource', namespace, name: 'handbook' });
  const declare = (spec: Record<string, unknown>) =>
    api.engine.store.apply({ ...key(), spec }, { fieldManager: 'kubectl' });
  const settled = (): Promise<Resource> =>
    api.engine.settled('KnowledgeSource', 'handbook', namespace);
  const condition = (type: string, expected: Partial<ReportedCondition>) =>
    awaitCondition(api.engine, key(), { type, ...expected });
  /** Data of all events, oldest first. */
  const syncs = async (): Promise<Reply['body'][]> => {
    const { body } = await call('GET', '/v1/events?type=knowledge.source.synced');
    return body.data.map((event: Reply['body']) => event.data).toReversed();
  };

  test('a website is Ready once it is read, and a new value of the annotation has it read again', async () => {
    await declare({ type: 'website', website: { url: site.url } });
    await condition('Ready', { status: 'True', reason: 'Synced' });
    await condition('Syncing', { status: 'False', reason: 'Succeeded' });
    expect((await settled()).status).toMatchObject({
      documents: 2,
      chunks: 3,
      lastSyncResult: 'succeeded',
    });
    site.pages.set('hours', '# Hours\n\nWe open at ten.');
    const asked = { 'parley.dev/reconcile-requested-at': 'now' };
    await api.engine.store.annotate('KnowledgeSource', (await settled()).metadata, asked);
    await api.engine.eventually(async () => {
      const { status } = await settled();
      return status['chunks'] === 2 && status['lastHandledReconcileAt'] === 'now';
    });
    expect(await syncs()).toMatchObject([{ added: 2 }, { updated: 1 }]);
  });

  test('a website that cannot be read says why, and that it is tried again', async () => {
    site.hold = (_, response) => Promise.resolve(void response.destroy());
    await declare({ type: 'website', website: { url: site.url } });
    const message = `${site.url} did not answer`;
    await condition('Ready', { status: 'False', reason: 'NotReachable', message });
    await condition('Reconciling', { status: 'True', reason: 'NotReachable' });
    await condition('Syncing', { status: 'False', reason: 'Failed' });
    expect((await settled()).status).toMatchObject({ lastSyncResult: 'failed' });
    expect(await syncs()).toMatchObject([{ status: 'error', documents: 0 }]);
  });

  test('a website has no content to upload, and a schedule that comes', async () => {
    await declare({ type: 'website', website: { url: site.url }, schedule: '0 0 30 2 *' });
    await condition('Accepted', { status: 'False', reason: 'InvalidSchedule' });
    const { body } = await call('GET', SOURCES);
    expect(body.data).toMatchObject([{ ready: false, sync: null, next_sync_at: null }]);
    const content = await call('PUT', `${SOURCES}/${body.data[0].id}/content`, {
      body: 'x',
      headers: { 'content-type': 'text/markdown' },
    });
    expect(content).toMatchObject({ status: 422, body: { code: 'unsupported_type' } });
  });
});
