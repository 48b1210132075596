import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { createParleyClient, type ParleyClient } from '../../packages/client/src/client.ts';
import { type Scope, SCOPES } from '../../src/platform/http/authorize.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';

/**
 * The dashboard as people use it: Chromium before the API, an operator and delivery on a database of
 * this file alone. They start with the first `openDashboard` and end with the file.
 *
 *     const { page, parley } = await openDashboard({ scopes: ['read'], at: '/agents' });
 *     await page.getByRole('button', { name: 'Publish' }).click();
 *     await expectAccessible(page);
 *
 * What a test opens is closed after it; what `beforeAll` opens, after the file. A test fails by itself on
 * an error in the console, an exception in the page, a violation of its policy, a request to another host,
 * an answer of 5xx and a file that is not there. A refusal of the API (4xx under /v1) is part of the talk;
 * `expected` of `openDashboard` takes what else a test brings about. Callbacks of `page.evaluate` have the
 * types of the DOM here; they run in the page, so they see nothing of the test but their argument.
 */
export type Opened = {
  page: Page;
  /** Its `url`, `engine` and `call`, as in test/roles/api/api-setup.ts. */
  server: Api;
  /** Where webhooks of this file may go: test/webhooks/receiver.ts. */
  receiver: Receiver;
  pool: Pool;
  /** Of who is signed in. */
  apiKey: string;
  /** With all scopes of the same namespace, whatever the person has: to set the scene. */
  parley: ParleyClient;
  /** Ends what the person sees before the test does, and checks it. */
  close: () => Promise<void>;
};

export type OpenOptions = {
  /** Of the person; default: all. */
  scopes?: readonly Scope[];
  /** Default: `default`. A test that counts things takes one of its own. */
  namespace?: string;
  /** Default: 1280 × 800. */
  viewport?: { width: number; height: number };
  theme?: 'light' | 'dark';
  /** The address opened; default: `/`. */
  at?: string;
  /** Of the person, as events and the audit log name them; default: Ana. null: nobody signs in. */
  name?: string | null;
  /** Problems that this test brings about on purpose. */
  expected?: readonly RegExp[];
  /** Of the first call in a file: what the API is started with, such as a `responder`. */
  server?: StartOptions;
  /** Of the first call in a file too: what Chromium is started with, such as a microphone. */
  browserArgs?: readonly string[];
};

export { expectAccessible } from './accessible.ts';

type StartOptions = NonNullable<Parameters<typeof startApi>[0]>;

const DESKTOP = { width: 1280, height: 800 };

type Running = { server: Api; receiver: Receiver; browser: Browser };

let running: Promise<Running> | undefined;
let isInTest = false;
const people = new Set<{ ofTest: boolean; leave: () => Promise<void>; check: () => void }>();

/** These three are the hooks of every browser test file (test/setup/browser-file.ts). */
export function enterTest(): void {
  isInTest = true;
}

export async function leaveTest(): Promise<void> {
  isInTest = false;
  const found = [...people];
  for (const one of found.filter(({ ofTest }) => ofTest)) await one.leave();
  for (const one of found) {
    if (one.ofTest) people.delete(one);
    one.check();
  }
}

export async function closeDashboard(): Promise<void> {
  for (const one of people) await one.leave();
  people.clear();
  if (!running) return;
  const { server, receiver, browser } = await running;
  running = undefined;
  await browser.close();
  await server.stop();
  await receiver.close();
}

/** A person with a browser of their own: call it again for a second one. */
export async function openDashboard(open: OpenOptions = {}): Promise<Opened> {
  const { server, receiver, browser } = await (running ??= start(open));
  const namespace = open.namespace ?? 'default';
  const apiKey = await server.newKey(namespace, open.scopes ?? SCOPES);
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: open.viewport ?? DESKTOP,
    colorScheme: open.theme ?? 'light',
    locale: 'en-US',
  });
  const problems = watch(context, server.url);
  const check = (): void => {
    const unexpected = problems
      .splice(0)
      .filter((text) => !open.expected?.some((one) => one.test(text)));
    if (unexpected.length > 0) throw new Error(`the page is not clean:\n${unexpected.join('\n')}`);
  };
  const person = { ofTest: isInTest, leave: () => context.close(), check };
  people.add(person);
  if (open.name !== null) {
    await signIn(context, { url: server.url, apiKey, name: open.name ?? 'Ana' });
  }
  const page = await context.newPage();
  await page.goto(open.at ?? '/');
  const key = await server.newKey(namespace);
  return {
    page,
    server,
    receiver,
    pool: server.engine.pool,
    apiKey,
    parley: createParleyClient({ baseUrl: server.url, apiKey: key }),
    close: async () => {
      await context.close();
      people.delete(person);
      check();
    },
  };
}

async function start({ server: options, browserArgs = [] }: OpenOptions): Promise<Running> {
  const [server, receiver, browser] = await Promise.all([
    startApi({
      delivery: true,
      dashboardFolder: process.env['PARLEY_TEST_DASHBOARD']!,
      widgetFolder: process.env['PARLEY_TEST_WIDGET']!,
      ...options,
    }),
    startReceiver(),
    chromium.launch({
      executablePath: process.env['PARLEY_TEST_CHROMIUM']!,
      // Nothing but this machine has a name: neither a page nor Chromium itself asks anybody else.
      args: [
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
        ...browserArgs,
      ],
    }),
  ]);
  return { server, receiver, browser };
}

type Person = { url: string; apiKey: string; name: string };

/** As the page does it; the cookie is the context's. `Origin`, since no page asks here. */
async function signIn(context: BrowserContext, { url, apiKey, name }: Person): Promise<void> {
  const answer = await context.request.post(`${url}/v1/sessions`, {
    data: { api_key: apiKey, name },
    headers: { origin: url },
  });
  if (!answer.ok()) throw new Error(`nobody is signed in: ${await answer.text()}`);
}

/** Gathers what must not happen, of all pages of one person. */
function watch(context: BrowserContext, url: string): string[] {
  const problems: string[] = [];
  context.on('console', (message) => {
    // Chromium says so of each answer that is not 2xx; those are looked at below.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => {
    problems.push(`exception: ${error.error().stack ?? String(error.error())}`);
  });
  context.on('request', (request) => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith('blob:');
    if (!isOurs) problems.push(`another host: ${request.method()} ${request.url()}`);
  });
  context.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const status = response.status();
    if (status >= 500 || (status >= 400 && !pathname.startsWith('/v1/')))
      problems.push(`answer: ${status} ${response.request().method()} ${pathname}`);
  });
  return problems;
}
