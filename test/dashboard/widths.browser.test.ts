import { expect, test } from 'vitest';
import { ok } from '../../packages/client/src/client.ts';
import { cutOff, expectAccessible, openDashboard } from './dashboard.ts';

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
  await row.getByText('version 2 is unpublished').waitFor();
  await page.getByRole('row', { name: /Harbour Bikes/ }).waitFor();
  await row.getByRole('cell', { name: '–', exact: true }).first().waitFor();
  expect(await page.getByRole('cell').evaluateAll(cutOff)).toEqual([]);
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
});
