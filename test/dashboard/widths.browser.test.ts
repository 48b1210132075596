import { expect, test } from 'vitest';
import { ok } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { until } from '../until.ts';
import { cutOff, expectAccessible, follow, openDashboard } from './dashboard.ts';

/** What people look for is on the screen whole, however narrow it is. */

test('the list of agents has whole names and states beside its figures, 1024 wide', async () => {
  const { page, parley } = await openDashboard({
    namespace: 'widths',
    viewport: { width: 1024, height: 768 },
  });
  const add = (fields: { display_name: string; publish_policy?: 'manual' }) =>
    ok(parley.POST('/v1/agents', { body: { prompt: 'You help.', ...fields } }));
  await add({ display_name: 'Harbour Bikes' });
  const { id } = await add({ display_name: 'Tidewater Internet', publish_policy: 'manual' });
  const params = { path: { id } };
  await ok(parley.POST('/v1/agents/{id}/publish', { params, body: { version: 1 } }));
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'You help more.' } }));
  await page.goto('/agents');
  const row = page.getByRole('row', { name: /Tidewater Internet/ });
  await row.getByText('version 2 is a draft').last().waitFor();
  await page.getByRole('row', { name: /Harbour Bikes/ }).waitFor();
  await row.getByRole('cell', { name: '–', exact: true }).first().waitFor();
  expect(await page.getByRole('cell').evaluateAll(cutOff)).toEqual([]);

  await follow(page, `/agents/${id}`);
  const panel = page.getByRole('complementary', { name: 'Content settings' });
  const inside = panel.getByText('Maximum duration');
  await inside.waitFor({ state: 'hidden' });
  await panel.getByText('Content settings').click();
  await inside.waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const [left, right] = [page.getByRole('region', { name: 'Prompt' }), panel];
  await until('the settings to stand beside the content', async () => {
    const [content, beside] = [await left.boundingBox(), await right.boundingBox()];
    return beside!.x > content!.x + content!.width;
  });
  await inside.waitFor();
});

test('an escalation has the customer beside the conversation, 1440 wide, and times by the clock', async () => {
  const { page, parley, pool } = await openDashboard({
    namespace: 'beside',
    viewport: { width: 1440, height: 900 },
  });
  const agent = await ok(parley.POST('/v1/agents', { body: { prompt: 'You help.' } }));
  const begin = (userId: string) =>
    ok(parley.POST('/v1/conversations', { body: { agent_id: agent.id, user_id: userId } }));
  const aged = async (age: string): Promise<void> => {
    const { id } = await begin('maria.lopez');
    await ok(parley.POST('/v1/conversations/{id}/end', { params: { path: { id } } }));
    const sql = 'update conversations set started_at = started_at - $2::interval where id = $1';
    await pool.query(sql, [toUuid('conv', id), age]);
  };
  await aged('3 hours');
  await aged('400 days');
  await begin('somebody.else');
  const { id } = await begin('maria.lopez');
  const params = { path: { id } };
  const asked = await ok(parley.POST('/v1/conversations/{id}/escalate', { params, body: {} }));

  await page.goto(`/escalations/${asked.id}`);
  const panel = page.getByRole('complementary', { name: 'About this customer' });
  await panel.getByRole('heading', { name: 'maria.lopez' }).waitFor();
  const earlier = panel.getByRole('region', { name: 'Earlier conversations' });
  await earlier.getByRole('listitem').nth(1).waitFor();
  expect(await earlier.getByRole('listitem').count()).toBe(2);
  const times = await earlier.locator('time').allTextContents();
  expect(times.map((one) => one.replace('\u202f', ' ')).sort()).toEqual([
    expect.stringMatching(/^([A-Z][a-z]{2} )?\d{1,2}:\d\d [AP]M$/),
    expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/),
  ]);
  await expectAccessible(page);
});

test('on a phone whoever waits is in view on every page, and a key has its scopes below its name', async () => {
  const { page, parley } = await openDashboard({
    namespace: 'phone',
    viewport: { width: 390, height: 844 },
  });
  const agent = await ok(parley.POST('/v1/agents', { body: { prompt: 'You help.' } }));
  const { id } = await ok(parley.POST('/v1/conversations', { body: { agent_id: agent.id } }));
  const params = { path: { id } };
  await ok(parley.POST('/v1/conversations/{id}/escalate', { params, body: {} }));
  const body = { name: 'shop front', scopes: ['read' as const, 'write' as const] };
  await ok(parley.POST('/v1/api_keys', { body }));

  await page.goto('/settings');
  const current = page.getByRole('link', { name: 'Settings' });
  await until('the current place to be in view', async () => {
    const { x, width } = (await current.boundingBox())!;
    return x >= 0 && x + width <= 390;
  });
  const badge = page.getByRole('link', { name: /^Escalations.*1 waiting$/ });
  for (const scrolled of [0, 9_999]) {
    await page.getByRole('navigation', { name: 'Parley' }).evaluate((strip, left) => {
      strip.scrollLeft = left;
    }, scrolled);
    const box = await badge.boundingBox();
    expect({ scrolled, left: box!.x >= 0, right: box!.x + box!.width <= 390 }).toEqual({
      scrolled,
      left: true,
      right: true,
    });
  }

  const row = page.getByRole('row').filter({ hasText: 'shop front' });
  await row.getByText('read, write').first().waitFor();
  expect(await row.getByRole('cell').evaluateAll(cutOff)).toEqual([]);
  await expectAccessible(page);

  for (const [at, line] of [
    ['/settings/audit', /, api:key_/],
    ['/settings/sessions', 'all scopes'],
  ] as const) {
    await follow(page, at);
    const first = page.getByRole('row').filter({ hasText: line }).first();
    await first.getByText(line).filter({ visible: true }).waitFor();
    expect(await first.getByRole('cell').evaluateAll(cutOff)).toEqual([]);
  }
});
