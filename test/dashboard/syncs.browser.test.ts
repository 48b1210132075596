import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok } from '../../packages/client/src/client.ts';
import { closeAll, html, serve, type Site } from '../knowledge/website/website.ts';
import { cutOff, expectAccessible, follow, openDashboard, type Opened } from './dashboard.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** A website that becomes knowledge on the screen: declared, seen being read, found, stopped, read again. */

/** The whole of a job, on a machine that has others to do. */
const JOB_MS = 90_000;
let first: Opened;

beforeAll(async () => {
  // The operator as it runs by itself: its fetchers are the real ones.
  first = await openDashboard({ namespace: 'syncs', server: { operator: false } });
  await first.server.engine.startOperator();
}, JOB_MS);
afterAll(closeAll);

/** A site of three pages, of which one waits until it is let go, and one fails. */
async function slowSite(): Promise<{ site: Site; letGo: () => void }> {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const site = await serve({
    '/': html('Welcome to the shop of kettles.', '/returns', '/broken'),
    '/returns': (_, response) => {
      void gate.then(() =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(html('A kettle can be returned within thirty days.')),
      );
    },
    '/broken': { status: 500 },
  });
  return { site, letGo };
}

async function declare(page: Page, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a website' }).click();
  await page.getByLabel('Address of the first page').fill(url);
  await page.getByText(/^Advanced/).click();
  await page.getByLabel('Delay in milliseconds').fill('0');
}

test(
  'a website is declared, seen being read, and found; what failed is told with its reason',
  async () => {
    const { site, letGo } = await slowSite();
    const { page } = await openDashboard({ namespace: 'syncs', at: '/knowledge' });
    await declare(page, 'nowhere');
    await page.getByLabel('Maximum pages').fill('0');
    await page.getByLabel('Cron expression').fill('now and then');
    await page.getByText(/^Advanced/).click();
    await page.getByRole('button', { name: 'Add the website', exact: true }).click();
    await page.getByText(/must be @hourly/).waitFor();
    for (const label of ['Address of the first page', 'Maximum pages', 'Cron expression']) {
      expect(await page.getByLabel(label).getAttribute('aria-invalid')).toBe('true');
    }
    await expectAccessible(page);

    await page.getByLabel('Address of the first page').fill(site.url);
    await page.getByLabel('Maximum pages').fill('10');
    await page.getByLabel('Exclude paths').fill('/private/*\n');
    await page.getByLabel('Sync schedule').selectOption('every week');
    expect(await page.getByLabel('Cron expression').inputValue()).toBe('@weekly');
    // The host is proposed as the name.
    expect(await page.getByLabel('Name').inputValue()).toBe('127-0-0-1');
    await page.getByLabel('Name').fill('kettles');
    await page.getByRole('button', { name: 'Add the website', exact: true }).click();
    await page.getByRole('heading', { name: 'kettles', exact: true }).waitFor();
    const reading = page.getByRole('region', { name: 'Sync in progress' });
    await reading.getByText(/3 found, \d read/).waitFor();
    await expectAccessible(page);

    letGo();
    await reading.waitFor({ state: 'detached' });
    await page.getByText('· every week').waitFor();
    const link = page.getByRole('link', { name: /returns/ });
    expect(await link.getAttribute('href')).toBe(`${site.url}/returns`);
    const row = page.getByRole('row', { name: /returns/ });
    await row.getByRole('cell', { name: 'en', exact: true }).waitFor();
    const sync = page.getByRole('table', { name: 'Syncs' }).getByRole('row').nth(1);
    await sync.getByText('succeeded').waitFor();
    expect(await sync.getByRole('cell').evaluateAll(cutOff)).toEqual([]);
    await sync.getByText('2 added, 0 updated, 0 removed').waitFor();
    await sync.getByRole('button', { name: 'Show 1' }).click();
    const problems = page.getByRole('list', { name: 'Documents not read' });
    expect(await problems.textContent()).toMatch(/failed.*\/broken.*500/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close' }).click();

    await follow(page, '/knowledge/search?q=returned+kettle');
    await page.getByText('A kettle can be returned within thirty days.').waitFor();
  },
  JOB_MS,
);

test(
  'a sync that goes on is stopped, and asked for again',
  async () => {
    const { site, letGo } = await slowSite();
    const { page, parley } = await openDashboard({
      namespace: 'stops',
      at: '/knowledge',
      theme: 'dark',
    });
    await declare(page, site.url);
    await page.getByRole('button', { name: 'Add the website', exact: true }).click();
    const reading = page.getByRole('region', { name: 'Sync in progress' });
    await reading.getByText(/3 found/).waitFor();
    await page.getByRole('button', { name: 'Stop sync' }).click();
    await reading.waitFor({ state: 'detached' });
    await page.getByText('canceled', { exact: true }).waitFor();
    await page.getByText('Nothing is indexed yet.').waitFor();
    await expectAccessible(page);

    letGo();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('succeeded', { exact: true }).waitFor();
    await page.getByRole('link', { name: /returns/ }).waitFor();
    const id = page.url().split('/').at(-1)!;
    const params = { path: { id } };
    const { data } = await ok(parley.GET('/v1/knowledge/sources/{id}/syncs', { params }));
    expect(data.map(({ status }) => status)).toEqual(['succeeded', 'canceled']);
  },
  JOB_MS,
);

test(
  'an integration that says nothing of use is refused at its fields, and then tells why it failed',
  async () => {
    const feed = await serve({ '/feed': { status: 401 } });
    const { page } = await openDashboard({
      namespace: 'feeds',
      at: '/knowledge',
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('button', { name: 'Add an integration' }).click();
    await page.getByLabel('Address of the feed').fill(`${feed.url}/feed`);
    const secret = page.getByLabel('Secret sent as bearer token');
    await secret.fill('No Name');
    await page.getByRole('button', { name: 'Add the integration', exact: true }).click();
    await page.locator('input[aria-invalid]').first().waitFor();
    expect(await secret.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await secret.fill('');
    await page.getByRole('button', { name: 'Add the integration', exact: true }).click();
    await page.getByRole('button', { name: 'Show why' }).first().click();
    await page.getByRole('dialog').getByText(/401/).waitFor();
    await expectAccessible(page);
  },
  JOB_MS,
);

test.runIf(IS_NIGHTLY)(
  'a website is edited, and read again; who changed it meanwhile is seen before anything is lost',
  async () => {
    const site = await serve({
      '/': html('Welcome to the shop of kettles.', '/returns', '/private/notes'),
      '/returns': html('A kettle can be returned within thirty days.'),
      '/private/notes': html('The notes of the kettle are private.'),
    });
    const opened = await openDashboard({ namespace: 'edits', at: '/knowledge' });
    const { page, parley, server, namespace } = opened;
    await declare(page, site.url);
    await page.getByLabel('Name').fill('kettles');
    await page.getByRole('button', { name: 'Add the website', exact: true }).click();
    await page.getByRole('link', { name: /notes/ }).waitFor();

    await page.getByRole('button', { name: 'Edit sync settings' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Address of the first page').inputValue()).toBe(site.url);
    expect(await dialog.getByLabel('Delay in milliseconds').inputValue()).toBe('0');
    await dialog.getByText(/^Advanced/).click();
    const save = dialog.getByRole('button', { name: 'Save changes' });
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByLabel('Maximum pages').fill('0');
    await save.click();
    await dialog.locator('input[aria-invalid]').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Maximum pages').fill('');
    await dialog.getByLabel('Exclude paths').fill('/private/*');

    const id = page.url().split('/').at(-1)!;
    const params = { path: { id } };
    const body = { schedule: '@weekly' };
    await ok(parley.PATCH('/v1/knowledge/sources/{id}', { params, body }));
    await dialog.getByText('Somebody else has changed this source').waitFor();
    expect(await dialog.getByRole('insertion').textContent()).toBe('@weekly');
    expect(await save.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    expect(await dialog.getByLabel('Cron expression').inputValue()).toBe('@weekly');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    // It is read again by itself: what is left out now is gone.
    await page.getByRole('link', { name: /notes/ }).waitFor({ state: 'detached' });
    await page.getByRole('definition').filter({ hasText: '/private/*' }).waitFor();
    await server.engine.settled('KnowledgeSource', 'kettles', namespace);
    const website = { url: site.url, delay_ms: 0, exclude: ['/private/*'] };
    const { data } = await parley.GET('/v1/knowledge/sources/{id}', { params });
    expect(data).toMatchObject({ website, schedule: '@weekly' });

    await page.getByRole('button', { name: 'Edit sync settings' }).click();
    await dialog.getByLabel('Sync schedule').selectOption('only on request');
    await dialog.getByText(/^Advanced/).click();
    await dialog.getByLabel('Delay in milliseconds').fill('');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await server.engine.settled('KnowledgeSource', 'kettles', namespace);
    const { data: emptied } = await parley.GET('/v1/knowledge/sources/{id}', { params });
    expect(emptied).toMatchObject({ schedule: null });
    expect(emptied?.website).toEqual({ url: site.url, exclude: ['/private/*'] });
  },
  JOB_MS,
);

test(
  'an integration that a file declares is read only, and says whose it is',
  async () => {
    const { page, server, parley, namespace } = await openDashboard({ theme: 'dark' });
    const feed = await serve({ '/feed': { status: 401 } });
    const secretRef = { name: 'help-feed', key: 'token' };
    const spec = { type: 'integration', integration: { url: `${feed.url}/feed`, secretRef } };
    const declared = {
      kind: 'KnowledgeSource',
      namespace,
      name: 'help',
      spec,
    } as const;
    await server.engine.store.apply(declared, { fieldManager: 'file' });
    const source = await server.engine.eventually(async () => {
      const { data } = await ok(parley.GET('/v1/knowledge/sources', {}));
      return data[0];
    });
    await page.goto(`/knowledge/sources/${source.id}`);
    await page.getByText('token in help-feed').waitFor();
    await page.getByText(/^Declared as help by a file/).waitFor();
    expect(await page.getByRole('button', { name: 'Edit sync settings' }).count()).toBe(0);
    await expectAccessible(page);
  },
  JOB_MS,
);
