import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startParley } from '../bench/start-parley.ts';
import { setScene, type Scene } from './scene.ts';

/**
 * The pictures of docs/dashboard.md: each page of the dashboard of an `npm start` of its own, at 1280 × 800,
 * light and dark.
 *
 *   npm run generate -- screenshots [NAME…]     into docs/images/dashboard; NAME: of the pictures to take
 */

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/images/dashboard');
const QUALITY = 78;
const wanted = process.argv.slice(2);

type Shot = { name: string; at: string; before?: (page: Page) => Promise<void> };

const folder = await mkdtemp(path.join(tmpdir(), 'parley-screenshots-'));
// The browser starts first: without one, no `parley start` is left behind.
const browser = await chromium.launch({
  executablePath: process.env['PARLEY_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const parley = await startParley(folder);
let scene: Scene | undefined;
try {
  scene = await setScene(parley.url, parley.client, parley.apiKey);
  await mkdir(FOLDER, { recursive: true });
  const context = await browser.newContext({
    baseURL: parley.url,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
  });
  const data = { api_key: parley.apiKey, name: 'Ana' };
  await context.request.post('/v1/sessions', { data, headers: { origin: parley.url } });
  const page = await context.newPage();
  for (const shot of shotsOf(scene))
    if (wanted.length === 0 || wanted.includes(shot.name)) await take(page, shot);
} finally {
  await browser.close();
  await scene?.stop();
  await parley.stop();
  await rm(folder, { recursive: true, force: true });
}

function shotsOf(of: Scene): Shot[] {
  return [
    { name: 'overview', at: '/' },
    { name: 'agents', at: '/agents' },
    { name: 'agent', at: `/agents/${of.agentId}` },
    { name: 'versions', at: `/agents/${of.agentId}/versions` },
    { name: 'rollback', at: `/agents/${of.agentId}/versions`, before: openRollback },
    { name: 'activations', at: `/agents/${of.agentId}/activations` },
    { name: 'figures', at: `/agents/${of.agentId}/figures` },
    { name: 'playground', at: `/agents/${of.agentId}/playground`, before: tryOut },
    { name: 'conversations', at: '/conversations' },
    { name: 'conversation', at: `/conversations/${of.conversationId}` },
    { name: 'escalations', at: `/escalations/${of.waitingId}` },
    { name: 'reply', at: `/escalations/${of.acceptedId}?show=mine` },
    { name: 'sources', at: '/knowledge' },
    { name: 'gaps', at: '/knowledge/gaps' },
    { name: 'gap', at: `/knowledge/gaps/${of.gapId}`, before: answerIt },
    { name: 'search', at: `/knowledge/search?q=orange+light&agent=${of.supportId}` },
    { name: 'endpoints', at: '/webhooks' },
    { name: 'endpoint', at: `/webhooks/${of.endpointId}` },
    { name: 'signature', at: `/webhooks/${of.endpointId}/signature` },
    { name: 'deliveries', at: '/webhooks/deliveries' },
    { name: 'delivery', at: `/webhooks/deliveries/${of.deliveryId}` },
    { name: 'events', at: '/webhooks/events' },
    { name: 'event', at: `/webhooks/events/${of.eventId}` },
    { name: 'calls', at: '/calls' },
    { name: 'call', at: `/calls/${of.callId}` },
    { name: 'keys', at: '/settings' },
    { name: 'sessions', at: '/settings/sessions' },
    { name: 'audit', at: '/settings/audit' },
    { name: 'jobs', at: '/settings/jobs' },
    { name: 'usage', at: '/settings/usage' },
  ];
}

async function take(page: Page, { name, at, before }: Shot): Promise<void> {
  await page.goto(at);
  await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor();
  await isThere(page);
  await before?.(page);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    // What fades in, and pictures drawn anew in the other colours.
    await page.waitForTimeout(500);
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: QUALITY,
    });
    await session.detach();
    await writeFile(path.join(FOLDER, `${name}-${theme}.webp`), Buffer.from(data, 'base64'));
  }
  process.stdout.write(`${name}\n`);
}

async function isThere(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('main [aria-busy="true"], main .skeleton') === null,
  );
  // What a page reads once it is there.
  await page.waitForTimeout(700);
}

async function openRollback(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /roll back/i })
    .first()
    .click();
}

async function tryOut(page: Page): Promise<void> {
  const box = page.getByPlaceholder('Write to the agent');
  await box.fill('Which size of hiking boots do I take for a foot of 26 cm?');
  await box.press('Enter');
  await page
    .getByText(/size 43/)
    .first()
    .waitFor();
}

async function answerIt(page: Page): Promise<void> {
  const text = 'Yes: whoever has a valid student card pays £5 a month less, for three years.';
  await page.getByLabel('What the agent should reply').fill(text);
}
