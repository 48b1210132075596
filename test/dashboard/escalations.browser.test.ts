import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { pressOfInputMethod } from './input-method.ts';
import { expectAccessible, follow, openDashboard, type Opened } from './dashboard.ts';

/** The escalation inbox: who waits is seen, taken over by one, talked with, and given back. */

type Waiting = { conversationId: string; escalationId: string };

/** Somebody asks for a person; `reason` is how the inbox calls it. */
async function wait(parley: ParleyClient, reason: string, timeoutSec = 300): Promise<Waiting> {
  const agent = await ok(
    parley.POST('/v1/agents', {
      body: { prompt: 'Help.', display_name: 'Help desk', escalation: { timeout_sec: timeoutSec } },
    }),
  );
  const { id: conversationId } = await ok(
    parley.POST('/v1/conversations', { body: { agent_id: agent.id, user_id: 'jo' } }),
  );
  await say(parley, conversationId, 'My parcel is lost');
  const escalation = await ok(
    parley.POST('/v1/conversations/{id}/escalate', {
      params: { path: { id: conversationId } },
      body: { reason },
    }),
  );
  return { conversationId, escalationId: escalation.id };
}

function say(parley: ParleyClient, id: string, text: string): Promise<unknown> {
  return ok(
    parley.POST('/v1/conversations/{id}/messages', { params: { path: { id } }, body: { text } }),
  );
}

function itemOf(page: Page, reason: string) {
  return page.getByRole('link', { name: reason });
}

async function status({ pool }: Opened, id: string): Promise<unknown> {
  const query = `SELECT e.status, e.accepted_by->>'name' AS by, c.status AS conversation, c.outcome
    FROM escalations e JOIN conversations c ON c.id = e.conversation_id WHERE e.id = $1`;
  return (await pool.query(query, [toUuid('esc', id)])).rows[0];
}

async function titled(page: Page, title: string): Promise<void> {
  await page.waitForFunction((wanted) => document.title === wanted, title);
}

test('who waits is taken over by one, and the other sees all of it without a click', async () => {
  const namespace = 'inbox-race';
  const ana = await openDashboard({ namespace, name: 'Ana', at: '/escalations' });
  const ben = await openDashboard({ namespace, name: 'Ben', at: '/escalations' });
  await ana.page.getByText('Nobody is waiting').waitFor();
  await ben.page.getByText('Live', { exact: true }).waitFor();
  await ana.page.getByText('Live', { exact: true }).waitFor();

  const { conversationId, escalationId } = await wait(ana.parley, 'Lost parcel');
  await itemOf(ben.page, 'Lost parcel').click();
  await itemOf(ana.page, 'Lost parcel').click();
  await titled(ana.page, '(1) Escalations · Parley');
  await ana.page.getByRole('region', { name: 'Hand-over note' }).waitFor();
  await ben.page.getByRole('log').getByText('My parcel is lost').first().waitFor();
  await ana.page.getByText(/The user has been waiting for \d+:\d\d/).waitFor();
  await expectAccessible(ana.page);

  await ana.page.getByRole('button', { name: 'Accept' }).click();
  await ben.page.getByText('Ana accepted the escalation').waitFor();
  const reply = ana.page.getByRole('textbox', { name: 'Reply as Ana' });
  await reply.waitFor();
  expect(await reply.evaluate((box) => box === document.activeElement)).toBe(true);
  expect(await ben.page.getByRole('textbox').count()).toBe(0);
  await titled(ana.page, 'Escalations · Parley');
  // The row shows the customer and the request, and stays in its place.
  const row = itemOf(ana.page, 'Lost parcel').filter({ hasText: 'Ana' });
  await row.getByText('jo', { exact: true }).waitFor();
  await row.getByText('My parcel is lost').waitFor();
  expect(await row.getAttribute('aria-current')).not.toBeNull();

  await ana.page.keyboard.type('I look for it');
  await ana.page.keyboard.press('Enter');
  await ana.page.keyboard.type('at once.');
  const given = { keyCode: 229, ctrlKey: true };
  expect(await pressOfInputMethod(reply, 'Enter', given)).toBe('I look for it\nat once.');
  await ana.page.keyboard.press('Control+Enter');
  const said = ben.page.getByRole('log').locator('.turn-human').first();
  await said.getByText('I look for it\nat once.').waitFor();
  await said.getByText('Ana', { exact: true }).waitFor();
  expect(await said.locator('time').textContent()).toMatch(/^\d{1,2}:\d\d/);
  expect(await reply.inputValue()).toBe('');
  await reply.fill('Track it **here**: https://example.com/parcel <b>x</b>');
  await ana.page.keyboard.press('Control+Enter');
  const tracked = ben.page.getByRole('log').locator('.turn-human').nth(1);
  await tracked.getByText('<b>x</b>').waitFor();
  expect(await tracked.locator('.turn-text strong').allTextContents()).toEqual(['here']);
  const link = tracked.getByRole('link', { name: 'https://example.com/parcel' });
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  await say(ana.parley, conversationId, 'Thank you');
  await ana.page.getByRole('log').getByText('Thank you').waitFor();
  expect(await status(ana, escalationId)).toMatchObject({ status: 'accepted', by: 'Ana' });

  await ana.page.getByRole('button', { name: 'Give back to the agent' }).click();
  await ben.page.getByText('Ana gave the conversation back to the agent').waitFor();
  expect(await status(ana, escalationId)).toMatchObject({
    status: 'completed',
    conversation: 'active',
  });
  await expectAccessible(ben.page);
});

test('whoever accepted is there as long as a tab is open; then somebody else is asked, who passes it on', async () => {
  const namespace = 'inbox-gone';
  const ana = await openDashboard({ namespace, name: 'Ana', at: '/escalations' });
  const ben = await openDashboard({ namespace, name: 'Ben', at: '/escalations' });
  const { escalationId } = await wait(ana.parley, 'Lost keys');
  await itemOf(ana.page, 'Lost keys').click();
  await ana.page.getByRole('button', { name: 'Accept' }).click();
  await ana.page.getByText('You accepted the escalation').waitFor();
  // On another page too, and after it was loaded anew.
  await ana.page.clock.install();
  await ana.page.goto('/agents');
  await ana.page.getByRole('heading', { level: 1 }).waitFor();
  const beating = ana.page.waitForResponse(/\/heartbeat$/);
  await ana.page.clock.fastForward(20_000);
  const beat = await beating;
  expect([beat.status(), beat.request().postDataJSON()]).toEqual([200, { by: 'Ana' }]);

  await ana.close();
  // As if the time were over in which she was to be heard of.
  await ben.pool.query('update escalations set heartbeat_due_at = now() where id = $1', [
    toUuid('esc', escalationId),
  ]);
  await itemOf(ben.page, 'Lost keys').click();
  await ben.page.getByText('Ana has left').first().waitFor();
  await ben.page.getByRole('button', { name: 'Accept' }).click();
  await ben.page.getByRole('button', { name: 'Pass to somebody else…' }).click();
  const dialog = ben.page.getByRole('dialog', { name: 'Ask somebody else?' });
  await dialog.getByLabel('Team').fill('lawyers');
  await expectAccessible(ben.page);
  await dialog.getByRole('button', { name: 'Ask somebody else' }).click();
  await dialog.waitFor({ state: 'detached' });
  await ben.page.getByRole('button', { name: 'Accept' }).waitFor();
  await follow(ben.page, '/escalations');
  await itemOf(ben.page, 'lawyers').waitFor();
  await ben.page.getByLabel('Team').selectOption('lawyers');
  await itemOf(ben.page, 'Lost keys').waitFor();
  await expectAccessible(ben.page);
  const { rows } = await ben.pool.query(
    'select status, team, accepted_by from escalations where id = $1',
    [toUuid('esc', escalationId)],
  );
  expect(rows).toEqual([{ status: 'requested', team: 'lawyers', accepted_by: null }]);
}, 60_000);

test('a private note is for colleagues, and can be taken back', async () => {
  const namespace = 'inbox-notes';
  const ana = await openDashboard({ namespace, name: 'Ana' });
  const { conversationId, escalationId } = await wait(ana.parley, 'Odd noise');
  const at = `/escalations/${escalationId}`;
  const ben = await openDashboard({ namespace, name: 'Ben', at });
  await ben.page.getByRole('heading', { name: 'Odd noise' }).waitFor();
  await ana.page.goto(at);
  await ana.page.getByRole('button', { name: 'Add note' }).click();
  await ana.page.keyboard.type('Call back at six.');
  await expectAccessible(ana.page);
  await ana.page.getByRole('button', { name: 'Save note' }).click();
  const noted = ben.page.getByRole('region', { name: 'Private notes' }).getByRole('listitem');
  await noted.getByText('Call back at six.').waitFor();
  await noted.getByText('Ana', { exact: true }).waitFor();
  const params = { path: { id: conversationId } };
  const { turns } = await ok(ana.parley.GET('/v1/conversations/{id}/transcript', { params }));
  expect(JSON.stringify(turns)).not.toContain('Call back');

  await ben.page.getByRole('button', { name: 'Delete note' }).click();
  await noted.waitFor({ state: 'detached' });
  await ben.page.getByRole('button', { name: 'Undo' }).click();
  await noted.getByText('Call back at six.').waitFor();
});

test('a canned reply is prepared, inserted with its values, changed and deleted', async () => {
  const ana = await openDashboard({ namespace: 'inbox-canned', name: 'Ana' });
  const { escalationId } = await wait(ana.parley, 'Late train');
  const { page } = ana;
  await page.goto(`/escalations/${escalationId}`);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('button', { name: 'Canned replies' }).click();
  await page.getByText('No canned replies yet').waitFor();
  await page.getByRole('button', { name: 'New canned reply' }).click();
  await page.getByLabel('Title').fill('Sorry');
  await page.getByLabel('Text').fill('Sorry, {{customer}}. I am {{me}} of {{agent}}, {{nobody}}.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  const filled = 'Sorry, jo. I am Ana of Help desk, {{nobody}}.';
  await page.getByRole('button', { name: filled }).waitFor();
  await page.getByLabel('Search').fill('train');
  await page.getByText('No canned replies contain these words').waitFor();
  await page.getByLabel('Search').fill('SORRY');
  await expectAccessible(page);
  await page.getByRole('button', { name: filled }).click();
  const reply = page.getByRole('textbox', { name: 'Reply as Ana' });
  expect(await reply.inputValue()).toBe(filled);
  expect(await reply.evaluate((box) => box === document.activeElement)).toBe(true);

  await page.getByRole('button', { name: 'Canned replies' }).click();
  await page.getByRole('button', { name: 'Edit Sorry' }).click();
  await page.getByLabel('Text').fill('Hello');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Sorry Hello' }).waitFor();
  await page.getByRole('button', { name: 'Edit Sorry' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No canned replies yet').waitFor();
});

test('who is a moment too late sees who took it, and no error', async () => {
  const namespace = 'inbox-late';
  const ana = await openDashboard({ namespace, name: 'Ana', at: '/escalations' });
  const { escalationId } = await wait(ana.parley, 'Broken lamp');
  await itemOf(ana.page, 'Broken lamp').focus();
  // Held back, so that Ana acts on what she still sees.
  const accepted = ana.page.waitForRequest(/\/accept$/);
  await ana.page.route(/\/accept$/, async (route) => {
    await ok(
      ana.parley.POST('/v1/escalations/{id}/accept', {
        params: { path: { id: escalationId } },
        body: { accepted_by: { id: 'Ben', name: 'Ben' } },
      }),
    );
    await route.continue();
  });
  await ana.page.keyboard.press('a');
  await accepted;
  await ana.page.getByText(/Ben accepted this escalation \d+ s ago/).waitFor();
  expect(await ana.page.getByRole('alert').count()).toBe(0);
});

test('by keyboard: move, accept, end with an outcome', async () => {
  const namespace = 'inbox-keys';
  const ana = await openDashboard({ namespace, name: 'Ana', at: '/escalations', theme: 'dark' });
  await wait(ana.parley, 'First');
  const { escalationId } = await wait(ana.parley, 'Second');
  await itemOf(ana.page, 'Second').waitFor();
  await itemOf(ana.page, 'First').focus();
  await ana.page.keyboard.press('Enter');
  await ana.page.getByRole('heading', { name: 'First' }).waitFor();
  // What was opened leaves the focus where it was: on to the next.
  await ana.page.keyboard.press('j');
  await ana.page.keyboard.press('a');
  const reply = ana.page.getByRole('textbox', { name: 'Reply as Ana' });
  await reply.waitFor();
  // In the box the letter is a letter.
  await ana.page.keyboard.type('a');
  expect(await reply.inputValue()).toBe('a');
  await ana.page.getByRole('link', { name: /^Mine/ }).click();
  await itemOf(ana.page, 'Second').waitFor();
  expect(await itemOf(ana.page, 'First').count()).toBe(0);

  await ana.page.getByRole('button', { name: 'End the conversation…' }).click();
  await ana.page.getByLabel('Outcome').selectOption('resolved');
  await expectAccessible(ana.page);
  await ana.page.getByRole('button', { name: 'End the conversation', exact: true }).click();
  await ana.page.getByText(/The conversation ended .*, while Ana handled it: resolved/).waitFor();
  // What was half written is not lost with the box.
  expect(await ana.page.getByLabel('Your unsent reply').textContent()).toBe('a');
  expect(await status(ana, escalationId)).toMatchObject({
    conversation: 'ended',
    outcome: 'resolved',
  });
});

test('a sound and a notification are made by choice, for others and not for oneself', async () => {
  const namespace = 'inbox-alerts';
  const { page, parley } = await openDashboard({ namespace });
  await page.addInitScript(recordAlerts);
  await page.goto('/escalations');
  const alerts = () => page.evaluate(() => (globalThis as unknown as Recorded).alerts);

  await wait(parley, 'Unheard');
  await itemOf(page, 'Unheard').waitFor();
  expect(await alerts()).toEqual({ tones: 0, notifications: [] });

  await page.getByRole('button', { name: 'Alerts: off' }).click();
  await page.getByLabel('A short sound').check();
  // Not checked before the browser has said yes.
  await page.getByLabel('A notification while this page is in the background').click();
  await page.getByRole('button', { name: 'Alerts: sound, notification' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const { tones } = await alerts();
  expect(tones).toBe(2); // To hear what was chosen.

  await page.evaluate(() => {
    document.hasFocus = () => false;
  });
  await wait(parley, 'user_request');
  await itemOf(page, 'User request').waitFor();
  // The tones wait for a lock, so that one tab alone makes them.
  await page.waitForFunction(() => {
    const { tones, notifications } = (globalThis as unknown as Recorded).alerts;
    return tones >= 4 && notifications.length > 0;
  });
  expect(await alerts()).toEqual({ tones: 4, notifications: ['user request'] });

  // Given back and taken back by oneself: somebody waits for a moment, and that is no news.
  await itemOf(page, 'User request').click();
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('button', { name: 'Give back to the agent' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: /Taken back/ }).waitFor();
  expect(await alerts()).toEqual({ tones: 4, notifications: ['user request'] });
});

type Recorded = { alerts: { tones: number; notifications: string[] } };

/** Runs in the page: counts the tones and the notifications. */
function recordAlerts(): void {
  const alerts: Recorded['alerts'] = { tones: 0, notifications: [] };
  Object.assign(globalThis, { alerts });
  globalThis.OscillatorNode = class extends OscillatorNode {
    override start(when?: number): void {
      alerts.tones += 1;
      super.start(when);
    }
  };
  // The headless shell shows none and refuses them, so this stands in for a browser whose user allows them.
  class Shown extends EventTarget {
    static permission = 'default';
    static requestPermission(): Promise<string> {
      return Promise.resolve((Shown.permission = 'granted'));
    }
    constructor(_: string, options?: NotificationOptions) {
      super();
      alerts.notifications.push(options?.body ?? '');
    }
    close(): void {}
  }
  Object.assign(globalThis, { Notification: Shown });
}

test('with the key of a reader everything is seen and nothing can be done; on a telephone', async () => {
  const namespace = 'inbox-reader';
  const { page, parley } = await openDashboard({
    namespace,
    scopes: ['read'],
    viewport: { width: 360, height: 740 },
    at: '/escalations',
  });
  await wait(parley, 'Wet shoes', 30);
  await itemOf(page, 'Wet shoes').click();
  const accept = page.getByRole('button', { name: 'Accept' });
  await accept.waitFor();
  expect(await accept.isDisabled()).toBe(true);
  await page.getByText(/The agent continues in 0:\d\d/).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: '← All escalations' }).click();
  await itemOf(page, 'Wet shoes').waitFor();
  await expectAccessible(page);
});
