import { beforeAll, expect, test } from 'vitest';
import { newId, type IdPrefix } from '../../src/ids.ts';
import { follow, openDashboard, type Opened } from './dashboard.ts';

/** Filters of lists: a page shows every filter that its address has, and can take it away. */

const PAGES = [
  ['/agents', '/v1/agents'],
  ['/conversations', '/v1/conversations'],
  ['/webhooks', '/v1/webhooks'],
  ['/webhooks/deliveries', '/v1/deliveries'],
  ['/webhooks/events', '/v1/events'],
  ['/calls', '/v1/calls'],
  ['/settings/audit', '/v1/audit_log'],
  ['/settings/jobs', '/v1/jobs'],
] as const;
/** Parameters of lists that choose no rows. */
const NO_FILTERS = ['limit', 'cursor', 'order', 'total'];
const KINDS: Readonly<Record<string, IdPrefix>> = {
  agent_id: 'agt',
  call_id: 'call',
  conversation_id: 'conv',
  endpoint_id: 'we',
  event_id: 'evt',
};
const VALUES: Readonly<Record<string, string>> = {
  agent_version: '3',
  from: '+34600111222',
  to: '+34600111333',
  type: 'agent.*',
  event_type: 'agent.published',
};

type Parameter = { name: string; in: string; schema?: { enum?: string[]; type?: string } };
type Paths = Record<string, { get: { parameters: Parameter[] } }>;

/** Returns a value that the API accepts for a filter. */
function valueOf({ name, schema }: Parameter, at: number): string {
  const kind = KINDS[name];
  if (kind) return newId(kind);
  if (schema?.enum) return schema.enum.at(-1)!;
  if (/_(after|before)$/.test(name)) return String(Date.UTC(2026, 0, 10 + at, 12) / 1_000);
  return VALUES[name] ?? (/^(ready|enabled|test)$/.test(name) ? 'true' : `some-${at}`);
}

/** Returns what a control shows of a filter: a time is shown as a day and an hour. */
function shownOf(name: string, value: string): string {
  return /_(after|before)$/.test(name)
    ? new Date(Number(value) * 1_000).toISOString().slice(0, 'yyyy-mm-dd'.length)
    : value;
}

let scene: Opened;

beforeAll(async () => {
  scene = await openDashboard();
});

test.each(PAGES)('%s shows every filter of %s, and clears it', async (at, path) => {
  const { page, server } = scene;
  const { paths } = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
    paths: Paths;
  };
  const filters = paths[path]!.get.parameters.filter(
    (one) => one.in === 'query' && !NO_FILTERS.includes(one.name),
  )
    .filter(({ name }) => name !== 'metadata' && !name.includes('*'))
    .map((one, place) => [one.name, valueOf(one, place)] as const);
  expect(filters.length).toBeGreaterThan(1);
  await follow(
    page,
    `${at}?${new URLSearchParams([['view', 'all'], ...filters.map((one) => [...one])]).toString()}`,
  );
  await page.getByRole('search').locator(':is(input, select)').first().waitFor();
  await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  const controls = await page.locator('.filters :is(input, select)').evaluateAll((all) =>
    all.map((one) => {
      const { type, checked, value } = one as HTMLInputElement;
      return type === 'checkbox' ? String(checked) : value;
    }),
  );
  const hidden = filters.filter(
    ([name, value]) => !controls.some((shown) => shown.startsWith(shownOf(name, value))),
  );
  expect(hidden).toEqual([]);
  await page
    .getByRole('button', { name: /^Clear/ })
    .first()
    .click();
  for (const [name] of filters) {
    await page.waitForURL((url) => !url.searchParams.has(name));
  }
});

test('a value that the page does not know is shown too, and can be taken away', async () => {
  const { page } = scene;
  await follow(page, '/conversations?outcome=lost');
  const outcome = page.getByLabel('Outcome');
  await outcome.waitFor();
  expect(await outcome.inputValue()).toBe('lost');
  await outcome.selectOption('any');
  await page.waitForURL('**/conversations');
});
