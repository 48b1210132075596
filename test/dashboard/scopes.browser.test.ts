import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { Route } from '../../src/platform/http/route.ts';
import { type Scope, SCOPES } from '../../src/platform/http/authorize.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { ROUTES } from '../roles/api/api-setup.ts';
import { UNENDING } from '../roles/api/route-scene.ts';
import { follow, openDashboard, type Opened } from './dashboard.ts';
import { HARMLESS, type Place, PLACES, type Scene, setScene } from './scope-rows.ts';

/**
 * What a session may do is live on the screen, and nothing else is: each operation that changes something,
 * where it is done, and each set of scopes, asked of the server and looked up in the browser.
 */

const PAIRS = SCOPES.filter((scope) => scope !== 'read').map((scope) => ['read', scope] as const);
const EVERY_SET = [...SCOPES.map((scope) => [scope]), ...PAIRS, SCOPES];
/**
 * No two scopes appear in exactly the same short sets, so one of the sets reveals a control that follows another scope than
 * its route. The stories of test/dashboard/settings.browser.test.ts show that the controls of `keys` are live.
 */
const SHORT_SETS: typeof EVERY_SET = [
  ['read'],
  ['read', 'write', 'replay'],
  ['read', 'publish', 'replay'],
];
const SETS: readonly (readonly Scope[])[] = IS_NIGHTLY ? EVERY_SET : SHORT_SETS;
/** All pages of one set, on a machine that has others to do. */
const WALK_MS = 90_000;
const SETTLED_MS = 30_000;

const writes = ROUTES.filter(({ method }) => method !== 'get');

/** Operations that the rows do not know, and rows of what is gone. */
function differences(routes: readonly Pick<Route, 'operationId'>[]): string[] {
  const ids = routes.map(({ operationId }) => operationId);
  return [
    ...ids.filter((id) => !Object.hasOwn(PLACES, id)).map((id) => `no row: ${id}`),
    ...Object.keys(PLACES)
      .filter((id) => !ids.includes(id))
      .map((id) => `no route: ${id}`),
  ];
}

test('every operation that changes something has its place on the screen, or the reason why not', () => {
  expect(differences(writes)).toEqual([]);
  expect(differences([...writes, { operationId: 'inventSomething' }])).toEqual([
    'no row: inventSomething',
  ]);
});

/** Something on a page that can be pressed or written into. */
type Control = { name: string; isLive: boolean; isButton: boolean; title: string };
type Seen = { controls: Control[]; text: string };

type Wanted = { names: (string | RegExp)[]; missing: RegExp; waitMs: number };

/**
 * Waits until all controls of these names are there, or the page says what is missing, and returns all of the page:
 * what is in closed menus too. Looks again only when the page has changed. Runs in the page.
 */
async function settled({ names, missing, waitMs }: Wanted): Promise<Seen> {
  const nameOf = (one: HTMLButtonElement | HTMLInputElement | HTMLTextAreaElement): string =>
    one.ariaLabel ?? (one.labels?.[0] ?? one).textContent;
  const look = (): Seen => {
    const found = document.querySelectorAll<HTMLButtonElement>('button, textarea, [type=radio]');
    return {
      controls: [...found].map((one) => ({
        name: nameOf(one).replaceAll(/\s+/g, ' ').trim(),
        isLive: !one.disabled,
        isButton: one.tagName === 'BUTTON',
        title: one.title || (one.closest('fieldset')?.title ?? ''),
      })),
      text: document.querySelector('main')?.innerText ?? '',
    };
  };
  const isSettled = ({ controls, text }: Seen): boolean =>
    missing.test(text) ||
    names.every((wanted) =>
      controls.some(({ name }) =>
        typeof wanted === 'string' ? name === wanted : wanted.test(name),
      ),
    );
  let isLate = false;
  let wake = (): void => undefined;
  const observer = new MutationObserver(() => wake());
  observer.observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  const late = setTimeout(() => {
    isLate = true;
    wake();
  }, waitMs);
  for (;;) {
    const changed = new Promise<void>((resolve) => (wake = resolve));
    const seen = look();
    if (isSettled(seen) || isLate) {
      observer.disconnect();
      clearTimeout(late);
      return seen;
    }
    await changed;
    // One look for all changes of a frame.
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

const isNamed = ({ name }: Control, { control }: Place): boolean =>
  typeof control === 'string' ? name === control : control.test(name);
/** By what a page says that cannot show it. */
const MISSING = /requires an API key with the .*?yours lacks/is;

/** All of the page once it is settled. What is not there after 30 s is judged so. */
function settle(page: Page, places: readonly Place[]): Promise<Seen> {
  const names = places.map(({ control }) => control);
  return page.evaluate(settled, { names, missing: MISSING, waitMs: SETTLED_MS });
}

/** What the server says to a request of the page itself; a body that nothing takes, so nothing happens. */
async function refusals(page: Page): Promise<Map<string, string | null>> {
  const asked = writes
    .filter(({ scope }) => scope !== null)
    .map((route) => ({
      operationId: route.operationId,
      method: route.method.toUpperCase(),
      address: route.path.replaceAll(/\{\w+\}/g, 'x'),
    }));
  const answers = await page.evaluate(
    (all) =>
      Promise.all(
        all.map(async ({ operationId, method, address }) => {
          const headers = { 'content-type': 'application/json' };
          const request = { method, headers, body: '{"nothing_of_the_kind":true}' };
          const response = await fetch(address, request);
          const found = await response.json();
          const code: unknown = found.code ?? found.error?.code;
          const detail: unknown = found.detail ?? found.error?.message;
          return { operationId, status: response.status, code, detail: String(detail) };
        }),
      ),
    asked,
  );
  return new Map(
    answers.map(({ operationId, status, code, detail }) => {
      expect({ operationId, isDone: status < 400 }).toEqual({ operationId, isDone: false });
      return [operationId, code === 'missing_scope' ? detail : null];
    }),
  );
}

let person: Opened;
let scene: Scene;

beforeAll(async () => {
  person = await openDashboard({
    server: { fetchers: { ...UNENDING, integration: UNENDING.website! } },
  });
  scene = await setScene(person);
}, WALK_MS);

const rows = writes.flatMap((route) => {
  const places = PLACES[route.operationId];
  return Array.isArray(places) ? (places as Place[]).map((place) => ({ route, place })) : [];
});

/** The scope that the server asks for there; null: any session may. */
function scopeOf({ scope }: Route, place: Place): Scope | null {
  const needed = place.scope ?? scope;
  return needed === 'any' ? null : needed;
}

/** What is wrong with what the screen shows of one row. */
function judge(scopes: readonly Scope[], row: (typeof rows)[number], seen: Seen): string | null {
  const scope = scopeOf(row.route, row.place);
  const may = scope === null || scopes.includes(scope);
  const found = seen.controls.filter((one) => isNamed(one, row.place));
  const control = found.find(({ isLive }) => isLive !== may) ?? found[0];
  const says = (missing: string): boolean =>
    new RegExp(String.raw`\b${missing}\b`).test(MISSING.exec(seen.text)?.[0] ?? '');
  if (may && control?.isLive) return null;
  if (may && control) return `is not live, and says: ${control.title}`;
  if (may) return !scopes.includes('read') && says('read') ? null : 'is not there';
  if (control?.isLive) return 'is live, and the server refuses it';
  if (control) return control.title.includes(scope) ? null : `does not say why: ${control.title}`;
  return says(scope) || (!scopes.includes('read') && says('read')) ? null : 'says nothing of it';
}

/** Buttons that are live for who may only read, and are known to do no more than that. */
function unknownIn({ controls }: Seen, address: string): string[] {
  return controls
    .filter(
      ({ isButton, isLive, name }) => isButton && isLive && !HARMLESS.some((one) => one.test(name)),
    )
    .map(({ name }) => `${address}: “${name}” is live, and not known to be harmless`);
}

describe.each(SETS.map((scopes) => [scopes.join(', '), scopes] as const))(
  'a session with %s',
  (_, scopes) => {
    test(
      'has live what the server lets it do, and no more; of the rest it is told what is missing',
      async () => {
        const { page } = await openDashboard({ scopes, at: '/settings' });
        const refused = await refusals(page);
        for (const { operationId, scope } of writes) {
          if (scope === null) continue;
          const isRefused = scope !== 'any' && !scopes.includes(scope);
          const text = isRefused ? expect.stringContaining(`the \`${scope}\` scope`) : null;
          expect({ operationId, text: refused.get(operationId) }).toEqual({ operationId, text });
        }

        const wrong: string[] = [];
        for (const [address, inside] of Map.groupBy(rows, ({ place }) => place.page(scene))) {
          await follow(page, address);
          const seen = await settle(
            page,
            inside.map(({ place }) => place),
          );
          for (const row of inside) {
            const found = judge(scopes, row, seen);
            if (found) wrong.push(`${address}: “${String(row.place.control)}” ${found}`);
          }
          if (String(scopes) === 'read') wrong.push(...unknownIn(seen, address));
        }
        expect(wrong).toEqual([]);
      },
      WALK_MS,
    );
  },
);
