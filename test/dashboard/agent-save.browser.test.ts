import { test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { openDashboard } from './dashboard.ts';

/** Labels of the agent form that predict an effect, compared with the effect. */

async function newAgent(parley: ParleyClient, fields: object): Promise<string> {
  const body = { prompt: 'You help customers.', ...fields };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

test('the button of the form names the effect of the save, also if the policy changes with it', async () => {
  const { page, parley } = await openDashboard();
  const open = async (fields: object): Promise<string> => {
    const id = await newAgent(parley, fields);
    await page.goto(`/agents/${id}?edit=1`);
    return id;
  };
  const [live, held] = ['Save and make it live', 'Save without publishing'];

  await open({ publish_policy: 'manual' });
  await page.getByLabel('First message').fill('Hello');
  await button(page, held).waitFor();
  await page.getByLabel('Automatic').check();
  await button(page, live).click();
  await text(page, 'version 2 is live');

  await open({});
  await page.getByLabel('First message').fill('Hello');
  await button(page, live).waitFor();
  await page.getByLabel('Manual').check();
  await button(page, held).click();
  await text(page, 'Version 2 waits to be published.');
  // The content stays the same, and the version that waits goes live.
  await button(page, 'Change').click();
  await page.getByLabel('Name').fill('Returns');
  await button(page, 'Save').waitFor();
  await page.getByLabel('Automatic').check();
  await button(page, live).click();
  await text(page, 'version 2 is live');

  const id = await open({});
  const params = { path: { id } };
  await ok(parley.POST('/v1/agents/{id}/publish', { params, body: { version: 1 } }));
  await text(page, 'Version 1 is pinned');
  await page.getByLabel('First message').fill('Hello');
  await button(page, held).click();
  await text(page, 'version 1 is live');
});
