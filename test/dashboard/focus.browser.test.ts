import { expect, test } from 'vitest';
import type { Locator, Page, Route } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { expectAccessible, follow, openDashboard } from './dashboard.ts';
import { endpointOf } from './endpoint-scene.ts';

/** The focus of the keyboard: after each dialog, action and change of page it is on the page, and not on its body. */

async function newAgent(parley: ParleyClient, fields: object = {}): Promise<string> {
  const body = { display_name: 'Refund desk', prompt: 'You help.', ...fields };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits until the element has the focus. */
async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

async function press(element: Locator): Promise<void> {
  await element.focus();
  await element.press('Enter');
}

test('a dialog returns the focus to the button that opened it, however it is closed', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley);
  const params = { path: { id } };
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'You help more.' } }));
  const { id: talk } = await ok(parley.POST('/v1/conversations', { body: { agent_id: id } }));
  // The first dialog is removed with the component around it. The second one is removed alone.
  for (const [address, name] of [
    [`/agents/${id}`, 'Roll back…'],
    [`/conversations/${talk}`, 'Erase'],
  ] as const) {
    await follow(page, address);
    const opener = button(page, name);
    await press(opener);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(opener);
    await opener.press('Enter');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
    await hasFocus(opener);
  }
});

test('an action that removes its own button leaves the focus near it', async () => {
  const { page, parley } = await openDashboard({ namespace: 'acts' });
  const id = await newAgent(parley, { publish_policy: 'manual' });
  await page.goto(`/agents/${id}`);
  await press(button(page, 'Publish version 1'));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Publish version 1' }));
  await page.getByText('version 1 is live').first().waitFor();
  await hasFocus(page.getByRole('heading', { level: 1 }));
  await expectAccessible(page);

  const body = { agent_id: id };
  const { id: conversation } = await ok(parley.POST('/v1/conversations', { body }));
  const asking = { path: { id: conversation } };
  await ok(
    parley.POST('/v1/conversations/{id}/escalate', {
      params: asking,
      body: { reason: 'Lost key' },
    }),
  );
  await follow(page, '/escalations');
  await press(page.getByRole('link', { name: 'Lost key' }));
  await press(button(page, 'Accept'));
  await hasFocus(page.getByLabel(/^Reply as/));
  await press(page.getByRole('button', { name: /to (the )?agent$/ }));
  await page.getByText('completed').first().waitFor();
  await hasFocus(page.getByRole('region', { name: 'Escalation', exact: true }));
});

test('a button that is disabled while it works has the focus again afterwards', async () => {
  const { page, parley, receiver } = await openDashboard();
  const { id } = await endpointOf(parley, receiver.url);
  await page.goto(`/webhooks/${id}`);
  const send = button(page, 'Send a test event');
  const isLost = Promise.withResolvers<void>();
  const untilLost = async (route: Route): Promise<void> => {
    await page.waitForFunction(() => document.activeElement === document.body);
    await route.continue();
    isLost.resolve();
  };
  await page.route('**/test', untilLost, { times: 1 });
  await press(send);
  await isLost.promise;
  await hasFocus(send);
});

test('a new page has the focus on its heading, and a click beside everything has it nowhere', async () => {
  const { page, parley } = await openDashboard({ namespace: 'pages' });
  const id = await newAgent(parley);
  await page.goto('/');
  await page.getByRole('link', { name: 'Refund desk', exact: true }).waitFor();
  // Nobody has moved yet, so the first key goes to the link that skips the navigation.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  await press(page.getByRole('link', { name: 'Agents', exact: true }));
  await hasFocus(page.getByRole('heading', { level: 1, name: 'Agents' }));
  await press(page.getByRole('link', { name: 'Refund desk', exact: true }));
  await hasFocus(page.getByRole('heading', { level: 1, name: 'Refund desk' }));
  await press(button(page, 'Change'));
  await page.getByLabel('Prompt').waitFor();
  await hasFocus(page.getByRole('heading', { level: 1, name: 'Refund desk' }));

  await page.getByLabel('Prompt').focus();
  await page.locator('main').click({ position: { x: 2, y: 2 } });
  await page.evaluate(() => document.body.append(document.createElement('i')));
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  expect(page.url()).toContain(id);
});
