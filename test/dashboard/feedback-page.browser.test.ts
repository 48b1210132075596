import { expect, test } from 'vitest';
import { ok } from '../../packages/client/src/client.ts';
import { expectAccessible, openDashboard } from './dashboard.ts';

/** The page by which users rate, as their browsers show it: not of the dashboard, and without a script. */

test.each([
  ['light', { width: 360, height: 640 }],
  ['dark', { width: 1280, height: 800 }],
] as const)(
  'a user rates by keyboard, in the %s, at %j, and it is accessible',
  async (theme, viewport) => {
    const { page, parley } = await openDashboard({ theme, viewport });
    const body = { prompt: 'Help.', display_name: 'The desk' };
    const { id: agentId } = await ok(parley.POST('/v1/agents', { body }));
    const { id } = await ok(
      parley.POST('/v1/conversations', { body: { agent_id: agentId, test: true } }),
    );
    const params = { path: { id } };
    const { url } = await ok(
      parley.POST('/v1/conversations/{id}/feedback_link', { params, body: {} }),
    );
    await page.goto(url);
    await page.getByText('How satisfied are you with your conversation with The desk?').waitFor();
    await expectAccessible(page);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(viewport.width);
    // Styles came through the policy.
    const display = await page.evaluate(
      "getComputedStyle(document.querySelector('fieldset > div')).display",
    );
    expect(display).toBe('flex');

    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').waitFor();
    expect((await ok(parley.GET('/v1/conversations/{id}', { params }))).csat).toBe(4);
    expect(await page.getByRole('radio', { name: '4' }).isChecked()).toBe(true);
    await expectAccessible(page);
  },
);
