import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { startOnce } from '../start-once.ts';

/**
 * Returns the Chromium that all test files of this worker share; it ends with the worker. With `args` (a microphone)
 * it starts another one, which the caller closes.
 */
export function borrowBrowser(args: readonly string[] = []): Promise<Browser> {
  return args.length > 0 ? launch(args) : sharedBrowser();
}

/** Pages live for a second or two. Optimized code would cost more than it saves, except in the worklets of sound. */
const SHORT_LIVED = ['--js-flags=--no-maglev,--no-turbofan'];

const sharedBrowser = startOnce(() => launch(SHORT_LIVED));

function launch(args: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['PARLEY_TEST_CHROMIUM']!,
    args: [
      // No name but those of this machine resolves: neither a page nor Chromium itself reaches another host.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...args,
    ],
  });
}

/** A tab of a profile of its own, without cookies and storage. */
export type Seat = {
  context: BrowserContext;
  page: Page;
  /** Empties it for the next person, or closes it if something in it outlives that. */
  leave: () => Promise<void>;
};

export type Seats = { take: () => Promise<Seat>; close: () => Promise<void> };

/**
 * Tabs that people use one after another: the process of a new tab costs Chromium more than the load of a page, so
 * a tab is emptied and used again.
 *
 * @param prepare installs what every page of these tabs has, such as scripts that run first
 * @param restUrl a small page of the site, which an empty tab shows: at another site it would get a new process
 */
export function createSeats(
  browser: Browser,
  restUrl: string,
  options: BrowserContextOptions,
  { prepare }: { prepare?: (page: Page) => Promise<void> } = {},
): Seats {
  const free: Seat[] = [];
  const open = async (): Promise<Seat> => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await prepare?.(page);
    const isChanged = noteLasting(context, page);
    const seat: Seat = {
      context,
      page,
      leave: async () => {
        if (!isChanged() && !page.isClosed() && (await isEmptied(seat, restUrl))) free.push(seat);
        else await context.close();
      },
    };
    return seat;
  };
  return {
    take: async () => free.pop() ?? open(),
    close: async () => {
      for (const { context } of free.splice(0)) await context.close();
    },
  };
}

/** Whether something was installed in the tab that no later call takes away. */
function noteLasting(context: BrowserContext, page: Page): () => boolean {
  let isChanged = false;
  const note = <T extends object>(on: T, name: keyof T): void => {
    const original = on[name] as (...given: unknown[]) => unknown;
    Object.assign(on, {
      [name]: (...given: unknown[]) => {
        isChanged = true;
        return original.apply(on, given);
      },
    });
  };
  note(page, 'addInitScript');
  note(page, 'exposeFunction');
  note(page.clock, 'install');
  note(context, 'addInitScript');
  return () => isChanged;
}

async function isEmptied({ context, page }: Seat, restUrl: string): Promise<boolean> {
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    page.removeAllListeners();
    for (const other of context.pages()) if (other !== page) await other.close();
    // A person who opened no page left nothing in the tab.
    if (page.url() !== restUrl) {
      await page.goto(restUrl);
      await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
      });
    }
    await context.clearCookies();
    await context.clearPermissions();
    return true;
  } catch {
    return false; // Chromium or the server is gone.
  }
}
