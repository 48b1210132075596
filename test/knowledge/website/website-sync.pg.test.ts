import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApi, type Api, PATIENT_MS } from '../../roles/api/api-setup.ts';
import { OFTEN } from '../syncs/site.ts';
import { closeAll, html, serve, servePages, type Reply } from './website.ts';

/** A website as the operator reads it by itself: the fetcher, the child of documents, the index. */

const SOURCES = '/v1/knowledge/sources';
let api: Api;
beforeEach(async () => {
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS });
  await api.engine.startOperator({ syncTimes: OFTEN });
});
afterEach(async () => {
  await api?.stop();
  await closeAll();
});

const settled = (id: string) =>
  api.engine.eventually(async () => {
    const { body } = await api.call('GET', `${SOURCES}/${id}`);
    return body.sync === null && body;
  });
async function synced(id: string) {
  expect((await api.call('POST', `${SOURCES}/${id}/sync`)).status).toBe(202);
  return await settled(id);
}
async function found(q: string): Promise<string[]> {
  const { body } = await api.call('GET', `/v1/knowledge/search?q=${encodeURIComponent(q)}`);
  return body.data.map(({ text }: { text: string }) => text);
}

test('a site that cannot be read says why, and what was indexed stays', async () => {
  const pages: Record<string, string> = { '/': html('We open at nine.') };
  const site = await servePages(pages);
  const website = { url: site.url, delay_ms: 0 };
  const { body: created } = await api.call('POST', SOURCES, { json: { type: 'website', website } });
  await settled(created.id);
  pages['/robots.txt'] = 'User-agent: parley\nDisallow: /';
  const source = await synced(created.id);
  const { body: syncs } = await api.call('GET', `${SOURCES}/${created.id}/syncs`);
  expect(syncs.data[0]).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(syncs.data[0])).toContain('ForbiddenByRobots');
  expect(source.documents).toBe(1);
  expect(await found('open at nine')).toEqual(['We open at nine.']);
});

test('pages that a sitemap lists stay when it cannot be read, and the sync says so', async () => {
  const pages: Record<string, Reply> = {
    '/': html('This shop sells bicycles.'),
    '/returns': html('Goods come back within thirty days.'),
    '/sitemap.xml': '<urlset><url><loc>/returns</loc></url></urlset>',
  };
  const site = await serve((request) => pages[request.url!] ?? { status: 404 });
  const website = { url: site.url, delay_ms: 0 };
  const { body: created } = await api.call('POST', SOURCES, { json: { type: 'website', website } });
  expect(await settled(created.id)).toMatchObject({ documents: 2 });
  pages['/sitemap.xml'] = { status: 403, body: 'Forbidden' };
  expect(await synced(created.id)).toMatchObject({ documents: 2 });
  const { body: syncs } = await api.call('GET', `${SOURCES}/${created.id}/syncs`);
  const { body: sync } = await api.call(
    'GET',
    `${SOURCES}/${created.id}/syncs/${syncs.data[0].id}`,
  );
  expect(sync).toMatchObject({
    status: 'succeeded',
    result: { removed: 0 },
    problems: [
      {
        path: '/sitemap.xml',
        kind: 'failed',
        reason: 'the sitemap cannot be read: the server responded with status 403',
      },
    ],
  });
  expect(await found('goods come back')).toHaveLength(1);
});
