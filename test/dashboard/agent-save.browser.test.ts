import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { expectAccessible, follow, openDashboard } from './dashboard.ts';

/** Labels of the agent form that predict an effect, compared with the effect; and a save that begins a rollout. */

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
    await follow(page, `/agents/${id}?edit=1`);
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
  await text(page, 'Version 2 is a draft.');
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

test('a rollout is declared, watched, held, advanced and aborted on the page of versions', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley, {});
  await page.goto(`/agents/${id}`);
  await button(page, 'Change').click();
  await page.getByLabel('Progressive').check();
  await page.getByLabel('Share of conversations at each step').fill('5, 4');
  await page.getByLabel('Conversations required for each step').fill('50, 150');
  await page.getByText('What counts as worse').click();
  await page.getByLabel('average rating').fill('0.3');
  await page.getByLabel('after an abort').selectOption('escalate');
  await button(page, 'Save').click();
  await text(page, /weights of the steps must increase/);
  await page.getByLabel('Share of conversations at each step').fill('5, 25');
  await button(page, 'Save').click();
  await text(page, 'Saved changes begin a rollout.');
  const params = { path: { id } };
  expect((await ok(parley.GET('/v1/agents/{id}', { params }))).rollout).toEqual({
    steps: [
      { weight: 5, min_conversations: 50 },
      { weight: 25, min_conversations: 150 },
    ],
    checks: [
      { metric: 'escalation_rate', worse_by: 0.05 },
      { metric: 'csat_average', worse_by: 0.3 },
    ],
    on_abort: 'escalate',
  });
  await button(page, 'Change').click();
  await page.getByLabel('Prompt').fill('You help more.');
  await button(page, 'Save and begin a rollout').click();
  await page.getByRole('link', { name: 'Versions' }).click();
  const card = page.getByRole('region', { name: /Rollout of version 2/ });
  await card.getByText('Step 1 of 2: 5% of new conversations get version 2.').waitFor();
  await card.getByRole('row', { name: /Escalated conversations/ }).waitFor();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Hold' }).click();
  await card.getByText('holding').waitFor();
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByRole('button', { name: 'Next step' }).click();
  await card.getByText('Step 2 of 2: 25% of new conversations get version 2.').waitFor();
  await card.getByRole('button', { name: 'Abort…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort the rollout' }).click();
  await card.getByText('aborted', { exact: true }).waitFor();
  const { data } = await ok(parley.GET('/v1/agents/{id}/rollouts', { params }));
  expect(data.map(({ action, actor }) => [action, actor])).toEqual([
    ['aborted', 'session:Ana'],
    ['advanced', 'session:Ana'],
    ['resumed', 'session:Ana'],
    ['held', 'session:Ana'],
    ['started', 'session:Ana'],
  ]);
  await card.getByRole('button', { name: 'Recall version 2…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Version 2 never goes live again. This can’t be undone.').waitFor();
  await dialog.getByRole('button', { name: 'Recall version 2' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('table', { name: 'Versions' }).getByText('recalled').waitFor();
  expect(await card.getByRole('button').all()).toEqual([]);
  expect(await button(page, 'Publish 2').all()).toEqual([]);
  const { data: recalls } = await ok(
    parley.GET('/v1/agents/{id}/recalls', { params: { path: { id } } }),
  );
  expect(recalls.map(({ versions, actor }) => [versions, actor])).toEqual([[[2], 'session:Ana']]);
});

test('a rollback proposes no recalled version, and none can be chosen', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley, {});
  const params = { path: { id } };
  for (const prompt of ['You help more.', 'You help most.'])
    await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt } }));
  await ok(
    parley.POST('/v1/agents/{id}/recalls', { params, body: { versions: [2], reason: 'Wrong.' } }),
  );
  await follow(page, `/agents/${id}/versions`);
  await page.getByRole('table', { name: 'Versions' }).getByText('recalled').waitFor();
  await button(page, 'Roll back…').click();
  const dialog = page.getByRole('dialog', { name: 'Roll back to version 1' });
  const options = dialog.getByLabel('To version').getByRole('option');
  expect(await options.allTextContents()).toEqual(['2 (recalled)', '1']);
  expect(await options.first().isDisabled()).toBe(true);
});
