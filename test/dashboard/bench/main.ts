import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../../packages/client/src/client.ts';
import { distribution, ms, openLoop, print, quantile } from '../../bench/figures.ts';
import { changePage, firstViewMs, watchForText, watchLongTasks } from './in-page.ts';
import { startParley } from './start-parley.ts';

/**
 * The dashboard as a person has it: `npm start`, headless Chromium with its CPU slowed down to a quarter,
 * the first view of a new tab, changes of page, events as they come, and a stream that goes on.
 *
 *   node test/dashboard/bench/main.ts [--only=views,changes,events,tasks,memory] [--minutes=3] [--rate=50] [--slow=4]
 *     --minutes: how long the stream goes on for the memory; an hour is --minutes=60
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'views,changes,events,tasks,memory' },
    minutes: { type: 'string', default: '3' },
    rate: { type: 'string', default: '50' },
    slow: { type: 'string', default: '4' },
  },
});
const [minutes, rate, slow] = [values.minutes, values.rate, values.slow].map(Number) as [
  number,
  number,
  number,
];

/** As the navigation has them, and the word each page begins with. */
const PLACES = [
  'Agents',
  'Conversations',
  'Escalations',
  'Knowledge',
  'Webhooks',
  'Calls',
  'Settings',
  'Overview',
];
const ROUNDS = 5;
/** What a page reads on once it is there; nothing else says that it is done, since the stream goes on. */
const SETTLE_MS = 300;
const FIRST_VIEWS = 5;
const EVENTS = 20;

const browser = await chromium.launch({
  executablePath: process.env['PARLEY_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const parley = await startParley(folder);
print(
  'load of the machine',
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' '),
);
print('CPU of the page', `1/${slow}`);
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(parley.dashboard);
  await page.getByRole('navigation', { name: 'Parley' }).waitFor();
  const asked = new Set(values.only.split(','));
  if (asked.has('views')) await benchFirstView(page);
  if (asked.has('changes')) await benchChanges(page);
  if (asked.has('events')) await benchEvents(page, parley.client);
  if (asked.has('tasks')) await benchTasks(page, parley.client);
  if (asked.has('memory')) await benchMemory(page, parley.client);
} finally {
  await browser.close();
  await parley.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A new tab of who is signed in: nothing in memory, files from the browser's cache or not. */
async function benchFirstView(signedIn: Page): Promise<void> {
  const { origin } = new URL(parley.url);
  for (const kept of [false, true]) {
    const times: number[] = [];
    for (let i = 0; i < FIRST_VIEWS; i += 1) {
      const page = await signedIn.context().newPage();
      const session = await slowed(page);
      await session.send('Network.setCacheDisabled', { cacheDisabled: !kept });
      await page.goto(origin);
      times.push(await page.evaluate(firstViewMs));
      await page.close();
    }
    print(
      `first view usable, files ${kept ? 'kept' : 'not kept'} by the browser`,
      distribution(times),
    );
  }
}

async function benchChanges(page: Page): Promise<void> {
  await slowed(page);
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const place of PLACES) {
      const took = await page.evaluate(changePage, place);
      // The first round warms the data.
      if (round > 0) times.push(took);
      await page.waitForTimeout(SETTLE_MS);
    }
  }
  print('change of page, warm data', distribution(times));
}

/** From the answer of the request that committed an event until it stands on the page. */
async function benchEvents(page: Page, client: ParleyClient): Promise<void> {
  await page.goto(`${new URL(parley.url).origin}/webhooks/events`);
  await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor();
  const agentId = await anAgent(client);
  const times: number[] = [];
  for (let i = 0; i < EVENTS; i += 1) {
    const userId = `bench-${i}`;
    const body = { agent_id: agentId, channel: 'chat', user_id: userId } as const;
    const seen = page.evaluate(watchForText, 'conversation.started');
    const { id } = await ok(client.POST('/v1/conversations', { body }));
    const committedMs = Date.now();
    times.push(Math.max(0, (await seen) - committedMs));
    await ok(client.POST('/v1/conversations/{id}/end', { params: { path: { id } } }));
  }
  print('event visible after its commit', distribution(times));
}

/** Conversations that begin and end: each is three events and as many changes of lists. */
async function benchTasks(page: Page, client: ParleyClient): Promise<void> {
  const agentId = await anAgent(client);
  await slowed(page);
  for (const address of ['/webhooks/events', '/conversations', '/']) {
    await page.goto(new URL(parley.url).origin + address);
    await page.getByRole('status').filter({ hasText: 'Live' }).first().waitFor();
    await page.evaluate(watchLongTasks);
    await load(client, agentId, 20);
    const tasks = await page.evaluate(
      () => (window as unknown as { longTasks: number[] }).longTasks,
    );
    const longest =
      tasks.length === 0 ? 'none > 50 ms' : `${tasks.length}, longest ${ms(Math.max(...tasks))}`;
    print(`long tasks at ${rate} updates a second, 20 s, at ${address}`, longest);
  }
}

async function benchMemory(page: Page, client: ParleyClient): Promise<void> {
  const agentId = await anAgent(client);
  const session = await slowed(page);
  await page.goto(`${new URL(parley.url).origin}/webhooks/events`);
  const heap: number[] = [];
  for (let minute = 0; minute <= minutes; minute += 1) {
    if (minute > 0) await load(client, agentId, 60);
    heap.push(await heapMb(session));
  }
  const line = heap.filter((_, at) => at % Math.max(1, Math.floor(heap.length / 10)) === 0);
  print(
    `memory of the page by minute, ${rate} updates a second`,
    `${line.map((mb) => mb.toFixed(1)).join(' ')} MB`,
  );
  print('memory, last third against second third', `${growth(heap).toFixed(2)} MB`);
}

function growth(heap: number[]): number {
  const third = Math.floor(heap.length / 3);
  const middle = (part: number[]): number => quantile(part, 0.5);
  return middle(heap.slice(-third)) - middle(heap.slice(third, 2 * third));
}

/** A conversation that begins and ends is three events. */
async function load(client: ParleyClient, agentId: string, seconds: number): Promise<void> {
  await openLoop({ rate: rate / 3, seconds }, async () => {
    const body = { agent_id: agentId, channel: 'chat' } as const;
    const { id } = await ok(client.POST('/v1/conversations', { body }));
    await ok(client.POST('/v1/conversations/{id}/end', { params: { path: { id } } }));
  });
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? NaN) / 1_048_576;
}

async function slowed(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slow });
  return session;
}

async function anAgent(client: ParleyClient): Promise<string> {
  for await (const agent of client.list('/v1/agents'))
    if (agent.active_version !== null) return agent.id;
  throw new Error('no agent is live');
}
