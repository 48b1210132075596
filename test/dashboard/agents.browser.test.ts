import { describe, expect, test } from 'vitest';
import type { Page, Route } from 'playwright-core';
import type { ParleyClient } from '../../packages/client/src/client.ts';
import { ok } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import {
  expectAccessible,
  follow,
  openDashboard,
  WALKED_THEMES,
  walkedPages,
} from './dashboard.ts';

/** Agents as people keep them: each story from a click to what the database has then. */

const PROMPT = 'You help customers with refunds. Answer in two sentences.';

async function newAgent(parley: ParleyClient, fields: object = {}): Promise<string> {
  const body = { display_name: 'Refund desk', prompt: PROMPT, ...fields };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

test('an agent is made by a form as a draft, is tried, and is live once it is published', async () => {
  const { page, pool, namespace } = await openDashboard({ at: '/agents', namespace: 'made' });
  await text(page, 'No agents yet');
  await page.getByRole('link', { name: 'New agent' }).first().click();
  await page.getByLabel('Name').fill('x'.repeat(129));
  await page.getByLabel('Prompt').fill('You answer at night.');
  await page.getByLabel('First message').fill('Good evening!');
  await button(page, 'Create agent as a draft').click();
  // What is wrong is said at its field, and nothing that was typed is lost.
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Name').fill('Night watch');
  await button(page, 'Create agent as a draft').click();
  await page.getByRole('heading', { level: 1, name: 'Night watch' }).waitFor();
  await text(page, 'No conversation can start until the draft is published.');
  await page.getByRole('link', { name: 'Try version 1' }).click();
  expect(await page.getByLabel('Version', { exact: true }).innerText()).toBe('Version 1 · draft');
  await page.getByLabel('Message').fill('Are you awake?');
  await page.getByLabel('Message').press('Enter');
  await page.getByRole('log').getByText('Are you awake?').waitFor();
  await button(page, 'Publish version 1').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish version 1' }).click();
  await text(page, 'version 1 is live');
  const { rows } = await pool.query(
    `select a.name, v.content->>'prompt' as prompt, v.created_by as by
       from agents a join agent_versions v on v.agent_id = a.id where a.namespace = $1`,
    [namespace],
  );
  expect(rows).toEqual([
    { name: 'night-watch', prompt: 'You answer at night.', by: 'session:Ana' },
  ]);
});

test('under manual a change waits, is published with a look at it, and rolled back with a reason', async () => {
  const { page, parley, pool } = await openDashboard();
  const id = await newAgent(parley, { publish_policy: 'manual' });
  await ok(parley.POST('/v1/agents/{id}/publish', { params: { path: { id } } }));
  await page.goto(`/agents/${id}`);
  await button(page, 'Change').click();
  await page.getByLabel('Prompt').fill(PROMPT.replace('refunds', 'refunds and returns'));
  await button(page, 'Save without publishing').click();
  await text(page, 'Version 2 is a draft.');

  await button(page, 'Publish version 2').click();
  const dialog = page.getByRole('dialog', { name: 'Publish version 2' });
  expect(await dialog.locator('ins').first().textContent()).toBe(' and returns');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Publish version 2' }).click();
  await text(page, 'version 2 is live');

  await button(page, 'Roll back…').click();
  const back = page.getByRole('dialog', { name: 'Roll back to version 1' });
  expect(await back.locator('del').first().textContent()).toBe(' and returns');
  await back.getByLabel('Reason').fill('Returns are not ours');
  await back.getByRole('button', { name: 'Roll back to version 1' }).click();
  await text(page, 'version 1 is live');
  await page.getByRole('link', { name: 'Release history' }).click();
  await text(page, 'Returns are not ours');
  await text(page, 'Rolled back 2 → 1');
  // The page does not propose to publish the version again that was just rolled back.
  expect(await page.getByText('is a draft').count()).toBe(0);
  const { rows } = await pool.query(
    `select action, from_version as "from", to_version as "to", actor, reason
       from agent_activations where agent_id = $1 order by seq desc limit 2`,
    [toUuid('agt', id)],
  );
  expect(rows).toEqual([
    { action: 'rolled_back', from: 2, to: 1, actor: 'session:Ana', reason: 'Returns are not ours' },
    { action: 'published', from: 1, to: 2, actor: 'session:Ana', reason: null },
  ]);
});

test('a pin is shown with who made it, is taken away where it is shown, and that is undone', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley);
  const params = { path: { id } };
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'You help more.' } }));
  await page.goto(`/agents/${id}/versions`);
  await page.locator('ins', { hasText: 'more' }).waitFor();
  await button(page, 'Roll back to 1').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to version 1' }).click();
  await text(page, /Version 1 is pinned by Ana/);
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page
    .getByRole('row', { name: /Refund desk/ })
    .filter({ hasText: 'pinned' })
    .waitFor();
  await page.goto(`/agents/${id}`);
  await text(page, 'Version 1 is live');
  await button(page, 'Unpin').click();
  const dialog = page.getByRole('dialog', { name: 'Unpin version 1' });
  await dialog.locator('ins').first().waitFor();
  // The page hears of the change before the answer to its own request; what is undone is what it was before.
  const hearFirst = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await text(page, 'The agent was changed while you were here.');
    await route.fulfill({ response });
  };
  await page.route('**/publish', hearFirst, { times: 1 });
  await dialog.getByRole('button', { name: 'Unpin version 1' }).click();
  await text(page, 'version 2 is live');
  expect(await page.getByText('is pinned').count()).toBe(0);
  await button(page, 'Undo').click();
  await text(page, /Version 1 is pinned by Ana/);
  const agent = await ok(parley.GET('/v1/agents/{id}', { params }));
  expect(agent).toMatchObject({ active_version: 1, pinned_version: 1, latest_version: 2 });
});

describe('two people change the same', () => {
  test('the second is told while still typing, and what each did in another field is kept', async () => {
    const ana = await openDashboard();
    const id = await newAgent(ana.parley);
    await ana.page.goto(`/agents/${id}?edit=1`);
    await ana.page.getByLabel('Prompt').fill('You help with exchanges.');
    const bo = await openDashboard({ name: 'Bo', at: `/agents/${id}?edit=1` });
    await bo.page.getByLabel('First message').fill('Hello from Bo');
    await button(bo.page, 'Save and make it live').click();
    await text(bo.page, 'version 2 is live');

    await text(ana.page, 'Changed in the meantime');
    await text(ana.page, /by Bo/);
    await text(ana.page, 'Your changes do not conflict with theirs.');
    await expectAccessible(ana.page);
    expect(await button(ana.page, 'Save and make it live').isDisabled()).toBe(true);
    await button(ana.page, 'Keep both').click();
    await button(ana.page, 'Save and make it live').click();
    await text(ana.page, 'version 3 is live');
    const params = { path: { id } };
    expect(await ok(ana.parley.GET('/v1/agents/{id}', { params }))).toMatchObject({
      prompt: 'You help with exchanges.',
      first_message: 'Hello from Bo',
    });
  });

  test('in the same field one of them decides whose is kept', async () => {
    const { page, parley } = await openDashboard();
    const id = await newAgent(parley);
    // The library that compares arrives while the button is pressed, which must not move the button away.
    const pressed = Promise.withResolvers<void>();
    await page.route(/\/assets\/libesm-/, async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await page.goto(`/agents/${id}?edit=1`);
    await page.getByLabel('Prompt').fill('Mine.');
    const params = { path: { id } };
    await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'Theirs.' } }));
    await text(page, 'You both changed: prompt.');
    await text(page, 'Comparing…');
    await button(page, 'Keep mine').hover();
    await page.mouse.down();
    pressed.resolve();
    await page.locator('ins', { hasText: 'Theirs' }).waitFor();
    await page.mouse.up();
    await button(page, 'Save and make it live').click();
    await text(page, 'version 3 is live');
    expect(await ok(parley.GET('/v1/agents/{id}', { params }))).toMatchObject({ prompt: 'Mine.' });
  });
});

test('what a file declares is read only and says so, and can be rolled back all the same', async () => {
  const { page, parley, server, namespace } = await openDashboard({ namespace: 'files' });
  const { engine } = server;
  const declare = async (prompt: string) => {
    const spec = { displayName: 'From Git', prompt };
    await engine.store.apply(
      { kind: 'Agent', namespace, name: 'git', spec },
      { fieldManager: 'file' },
    );
    await engine.settled('Agent', 'git', namespace);
  };
  await declare('You help.');
  await declare('You help more.');
  const { data } = await ok(parley.GET('/v1/agents'));
  await page.goto(`/agents/${data[0]!.id}?edit=1`);
  await text(page, 'Declared by a manifest file and read-only here.');
  expect(await button(page, 'Change').count()).toBe(0);
  expect(await button(page, /Delete/).count()).toBe(0);
  // Nothing asks for an act that this page does not offer.
  await text(page, 'list them in the agent’s manifest under spec.widget.allowedOrigins');
  expect(await page.getByText('choose Change').count()).toBe(0);
  await button(page, 'Roll back…').click();
  await text(page, 'Applying the same manifest again does not undo it.');
  await button(page, 'Roll back to version 1').click();
  await text(page, 'version 1 is live');
});

test('an agent is deleted by who types its name', async () => {
  const { page, parley, server } = await openDashboard();
  const id = await newAgent(parley, { name: 'to-go', display_name: 'To go' });
  await page.goto(`/agents/${id}`);
  await button(page, 'Delete this agent…').click();
  const really = button(page, 'Delete the agent');
  expect(await really.isDisabled()).toBe(true);
  await page.getByLabel(/Type “to-go”/).fill('to-go');
  await really.click();
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  await server.engine.eventually(async () => {
    const { response } = await parley.GET('/v1/agents/{id}', { params: { path: { id } } });
    return response.status === 404;
  });
});

test('with the scope read alone a changed form cannot be saved', async () => {
  const { page, parley } = await openDashboard({ scopes: ['read'] });
  await page.goto(`/agents/${await newAgent(parley)}?edit=1`);
  await page.getByLabel('Prompt').fill('x');
  expect(await button(page, 'Save and make it live').isDisabled()).toBe(true);
});

test('the list has its figures by one request, however many agents there are', async () => {
  const { page, parley } = await openDashboard({ namespace: 'many' });
  const id = await newAgent(parley, { display_name: 'Number one' });
  for (const n of [2, 3, 4, 5, 6]) await newAgent(parley, { display_name: `Number ${n}` });
  const talk = async (isEscalated: boolean) => {
    const body = { agent_id: id };
    const { id: conversation } = await ok(parley.POST('/v1/conversations', { body }));
    const params = { path: { id: conversation } };
    if (isEscalated) {
      await ok(parley.POST('/v1/conversations/{id}/escalate', { params, body: {} }));
    }
  };
  for (const isEscalated of [true, false]) await talk(isEscalated);
  const params = { path: { id } };
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'You help more.' } }));
  for (const isEscalated of [true, false, false, false]) await talk(isEscalated);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/v1\/(agents|stats)/.test(pathname)) asked.push(pathname);
  });
  await page.goto('/agents');
  const row = page.getByRole('row', { name: /Number one/ });
  await row.getByRole('cell', { name: '4', exact: true }).waitFor();
  await row.getByRole('cell', { name: '−25 points compared with version 1 25%' }).waitFor();
  await row.getByText(/API key/).waitFor();
  // Once more each when the stream opens; never one for an agent.
  expect([...new Set(asked)].toSorted()).toEqual(['/v1/agents', '/v1/stats']);
  expect(asked.length).toBeLessThanOrEqual(6);

  await follow(page, `/agents/${id}/figures`);
  await page.getByRole('columnheader', { name: 'Version 2, live' }).waitFor();
  const escalated = page.getByRole('row', { name: /^Escalated/ });
  await escalated.getByRole('cell', { name: '−25 points compared with version 1 25%' }).waitFor();
  await escalated.getByRole('cell', { name: '50%', exact: true }).waitFor();
});

test.each(WALKED_THEMES)('each page is accessible, %s, and at 360 px', async (theme) => {
  const namespace = `pages-${theme}`;
  const viewport = { width: 360, height: 740 };
  const { page, parley } = await openDashboard({ theme, viewport, namespace });
  const id = await newAgent(parley);
  const params = { path: { id } };
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'You help more.' } }));
  await ok(parley.POST('/v1/agents/{id}/rollback', { params, body: { reason: 'why' } }));
  const of = `/agents/${id}`;
  const pages: [string, string | RegExp][] = [
    ['/agents', 'Refund desk'],
    [`${of}?edit=1`, 'When a human agent takes over'],
    [`${of}/versions`, 'Version 2'],
    [of, 'Delete this agent…'],
    ['/agents/new', 'Publishing'],
    [`${of}?version=1`, 'Version 1'],
    [`${of}/activations`, 'Rolled back 2 → 1'],
    [`${of}/figures`, 'Reply time, median'],
  ];
  for (const [at, words] of walkedPages(pages, 3)) {
    await follow(page, at);
    await text(page, words);
    await expectAccessible(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([at, wide]).toEqual([at, 360]);
  }
});
