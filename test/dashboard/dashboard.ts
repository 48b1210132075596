import { randomBytes } from 'node:crypto';
import type {
  BrowserContext,
  ConsoleMessage,
  Page,
  Request,
  Response,
  WebError,
} from 'playwright-core';
import { createParleyClient, type ParleyClient } from '../../packages/client/src/client.ts';
import { type Scope, SCOPES } from '../../src/platform/http/authorize.ts';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import type { WhoReplies } from '../../src/conversations/turns/who-replies.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { createCall, startApi, type Api, type Call } from '../roles/api/api-setup.ts';
import { borrowBrowser, createSeats, type Seats } from './browser.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { startOnce } from '../start-once.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';

/**
 * The dashboard as people use it: Chromium in front of an API, an operator and delivery. The files of a worker share
 * them, and each file has namespaces of its own. A file that passes `server` to its first `openDashboard` has an API
 * of its own.
 *
 *     const { page, parley } = await openDashboard({ scopes: ['read'], at: '/agents' });
 *     await page.getByRole('button', { name: 'Publish' }).click();
 *     await expectAccessible(page);
 *
 * What a test opens is closed after it, and what `beforeAll` opens is closed after the file. A test fails by itself on
 * an error in the console, an exception in the page, a violation of its policy, a request to another host,
 * a 5xx response and a file that does not exist. A 4xx response under /v1 is fine. A test that causes other problems
 * on purpose names them in `expected`. Callbacks of `page.evaluate` have the types of the DOM here; they run in the
 * page, so they see nothing of the test but their argument.
 */
export type Opened = {
  page: Page;
  /** The name in the database of the namespace that `openDashboard` was called with. */
  namespace: string;
  /** The API. Its `call` and `key` are for the namespace `default`, which other files of the worker share. */
  server: Api;
  /** A receiver of webhooks for this file: test/webhooks/receiver.ts. */
  receiver: Receiver;
  pool: Pool;
  /** The key of the person who is signed in. */
  apiKey: string;
  /** Has all scopes in the same namespace, whatever scopes the person has: to set the scene. */
  parley: ParleyClient;
  /** The same for requests that the client's types do not allow. */
  call: Call;
  /** Closes the person's browser before the test ends, and checks that its pages were clean. */
  close: () => Promise<void>;
};

export type OpenOptions = {
  /** Scopes of the person; default: all. */
  scopes?: readonly Scope[];
  /** A word that tells namespaces of a file apart. A test that counts things takes one of its own. */
  namespace?: string;
  /** Default: 1280 × 800. */
  viewport?: { width: number; height: number };
  theme?: 'light' | 'dark';
  /** The address opened. Default: none, so that a test which sets its scene first loads one page. */
  at?: string;
  /** Name of the person in events and the audit log; default: Ana. null: nobody signs in. */
  name?: string | null;
  /** Problems that this test causes on purpose. */
  expected?: readonly RegExp[];
  /** What replies to users while this file runs, instead of passages; for the first call in a file. */
  responder?: WhoReplies;
  /** Options of an API for this file alone, such as `fetchers`; for the first call in a file. */
  server?: StartOptions;
};

/** Themes of the walks through all pages, which run at night. By day the stories check the pages, some in the dark theme. */
export const WALKED_THEMES = IS_NIGHTLY ? (['light', 'dark'] as const) : [];

/** Returns the pages of such a walk: all of them at night, and the first ones by day. */
export function walkedPages<Place>(pages: readonly Place[], byDay: number): readonly Place[] {
  return IS_NIGHTLY ? pages : pages.slice(0, byDay);
}

export { cutOff, expectAccessible } from './accessible.ts';

type StartOptions = NonNullable<Parameters<typeof startApi>[0]>;

const DESKTOP = { width: 1280, height: 800 };

type FileScene = {
  server: Api;
  receiver: Receiver;
  seats: Seats;
  /** Makes the namespaces of this file different from those of others. */
  mark: string;
  stop: () => Promise<void>;
};

/** What replies in the shared API where a file has no responder of its own: the passages that the API quotes too. */
const PASSAGES: WhoReplies = {
  respond: createExtractiveResponder({ nowMs: () => performance.now() }),
  takesTime: async () => false,
};
let replies = PASSAGES;

const sharedServer = startOnce(() =>
  start({
    responder: {
      respond: (request) => replies.respond(request),
      takesTime: (request) => replies.takesTime(request),
    },
  }),
);
let scene: Promise<FileScene> | undefined;
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
  const closing = scene;
  // A scene that could not be set has nothing to stop. The next file sets its own.
  scene = undefined;
  await (await closing?.catch(() => undefined))?.stop();
}

/** A person with a browser of their own: call it again for a second one. */
export async function openDashboard(open: OpenOptions = {}): Promise<Opened> {
  const { server, receiver, seats, mark } = await (scene ??= setScene(open));
  const namespace = `${open.namespace ?? 'main'}-${mark}`;
  const apiKey = await server.newKey(namespace, open.scopes ?? SCOPES);
  const seat = await seats.take();
  const { context, page } = seat;
  await page.setViewportSize(open.viewport ?? DESKTOP);
  await page.emulateMedia({ colorScheme: open.theme ?? 'light', reducedMotion: 'reduce' });
  const { problems, stopWatching } = watch(context, server.url);
  const check = (): void => {
    const unexpected = problems
      .splice(0)
      .filter((text) => !open.expected?.some((one) => one.test(text)));
    if (unexpected.length > 0) throw new Error(`the page is not clean:\n${unexpected.join('\n')}`);
  };
  const leave = async (): Promise<void> => {
    stopWatching();
    await seat.leave();
  };
  const person = { ofTest: isInTest, leave, check };
  people.add(person);
  if (open.name !== null) {
    await signIn(context, { url: server.url, apiKey, name: open.name ?? 'Ana' });
  }
  if (open.at !== undefined) await page.goto(open.at);
  const key = await server.newKey(namespace);
  return {
    page,
    namespace,
    server,
    receiver,
    pool: server.engine.pool,
    apiKey,
    parley: createParleyClient({
      baseUrl: server.url,
      apiKey: key,
      fetch: (request) => fetchSettled(server, namespace, request),
    }),
    call: createCall(server.url, key),
    close: async () => {
      people.delete(person);
      await leave();
      check();
    },
  };
}

/** The text of a page whose address does not exist. */
export const NOWHERE = 'There is no page at this address.';

/**
 * Follows an address as a link does, in a page of the dashboard that is open; a tab without one loads it. It goes by way
 * of an address that is none, so all that the page shows afterwards is new. This costs a quarter of the CPU time of a load.
 */
export async function follow(page: Page, address: string): Promise<void> {
  if ((await page.locator('#root').count()) === 0) {
    await page.goto(address);
    return;
  }
  const push = (to: string): Promise<void> =>
    page.evaluate(`history.pushState({}, '', ${JSON.stringify(to)})`);
  const nowhere = page.getByText(NOWHERE);
  await push('/nowhere');
  await nowhere.waitFor();
  await push(address);
  await nowhere.waitFor({ state: 'detached' });
}

async function setScene({ server: options, responder }: OpenOptions): Promise<FileScene> {
  const isShared = options === undefined;
  replies = responder ?? PASSAGES;
  const [{ server, seats }, receiver] = await Promise.all([
    isShared ? sharedServer() : start(options),
    startReceiver(),
  ]);
  return {
    server,
    receiver,
    seats,
    mark: randomBytes(3).toString('hex'),
    stop: async () => {
      if (!isShared) {
        await seats.close();
        await server.stop();
      }
      await receiver.close();
    },
  };
}

/**
 * The dashboard loads the files of all other pages while the browser is idle. In these tabs a file is loaded when a test opens
 * a page that needs it, which makes each load of a page cheaper.
 */
const NEVER_IDLE = 'globalThis.requestIdleCallback = () => 0;';

type Served = { server: Api; seats: Seats };

async function start(options: StartOptions): Promise<Served> {
  const [server, browser] = await Promise.all([
    startApi({
      delivery: true,
      dashboardFolder: process.env['PARLEY_TEST_DASHBOARD']!,
      widgetFolder: process.env['PARLEY_TEST_WIDGET']!,
      ...options,
    }),
    borrowBrowser(),
  ]);
  const seats = createSeats(
    browser,
    `${server.url}/v1/nothing`,
    { baseURL: server.url, locale: 'en-US' },
    { prepare: async (page) => void (await page.addInitScript(NEVER_IDLE)) },
  );
  return { server, seats };
}

const KINDS: Readonly<Record<string, string>> = {
  agents: 'Agent',
  'knowledge/sources': 'KnowledgeSource',
  model_providers: 'ModelProvider',
  webhooks: 'WebhookEndpoint',
};

/**
 * Waits until the operator has seen what a request declares. The API waits for that too, but on a busy machine it
 * answers 202 first, and what is declared cannot be read or used yet.
 */
async function fetchSettled(
  { engine }: Api,
  namespace: string,
  request: globalThis.Request,
): Promise<globalThis.Response> {
  const response = await fetch(request);
  const [, collection = ''] =
    /\/v1\/(agents\b|knowledge\/sources\b|model_providers\b|webhooks(?=(\/we_\w+)?$))/.exec(
      request.url,
    ) ?? [];
  const kind = KINDS[collection];
  if (response.status !== 202 || kind === undefined) return response;
  const { name } = (await response.clone().json()) as { name: string };
  await engine.settled(kind, name, namespace);
  return response;
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

type Watched = { problems: string[]; stopWatching: () => void };

/** Gathers what must not happen in the pages of one person. */
function watch(context: BrowserContext, url: string): Watched {
  const problems: string[] = [];
  const onConsole = (message: ConsoleMessage): void => {
    // Chromium logs each response that is not 2xx; `onResponse` judges those.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    problems.push(`console: ${message.text()}`);
  };
  const onError = (error: WebError): void => {
    problems.push(`exception: ${error.error().stack ?? String(error.error())}`);
  };
  const onRequest = (request: Request): void => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith('blob:');
    if (!isOurs) problems.push(`another host: ${request.method()} ${request.url()}`);
  };
  const onResponse = (response: Response): void => {
    const { pathname } = new URL(response.url());
    const status = response.status();
    if (status >= 500 || (status >= 400 && !pathname.startsWith('/v1/')))
      problems.push(`answer: ${status} ${response.request().method()} ${pathname}`);
  };
  context.on('console', onConsole).on('weberror', onError);
  context.on('request', onRequest).on('response', onResponse);
  return {
    problems,
    stopWatching: () => {
      context.off('console', onConsole).off('weberror', onError);
      context.off('request', onRequest).off('response', onResponse);
    },
  };
}
