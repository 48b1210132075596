import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import {
  CHANNELS,
  CONVERSATION_STATUSES,
} from '../../src/conversations/record/conversations.sql.ts';
import { OUTCOMES } from '../../src/conversations/record/outcomes.ts';
import { toUuid } from '../../src/ids.ts';
import { KNOWLEDGE } from '../conversations/conversation-setup.ts';
import { pressOfInputMethod } from './input-method.ts';
import {
  expectAccessible,
  follow,
  openDashboard,
  type Opened,
  WALKED_THEMES,
} from './dashboard.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** Conversations are found, read with all that followed, exported and erased: from click to effect. */

let agentId: string;

async function newAgent(parley: ParleyClient): Promise<string> {
  const body = {
    prompt: 'Help.',
    display_name: 'Shop help',
    first_message: 'Hello, this is the shop.',
    knowledge: { source_names: ['handbook'] },
  };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

type Held = { user?: string; metadata?: Record<string, string>; says?: string[]; ends?: boolean };

async function hold(parley: ParleyClient, held: Held = {}): Promise<string> {
  const body = {
    agent_id: agentId,
    ...(held.user && { user_id: held.user }),
    ...(held.metadata && { metadata: held.metadata }),
  };
  const { id } = await ok(parley.POST('/v1/conversations', { body }));
  const params = { path: { id } };
  for (const text of held.says ?? ['How long does delivery take?']) {
    await ok(parley.POST('/v1/conversations/{id}/messages', { params, body: { text } }));
  }
  if (held.ends !== false) await ok(parley.POST('/v1/conversations/{id}/end', { params }));
  return id;
}

let scene: Opened;

beforeAll(async () => {
  scene = await openDashboard();
  const { server, parley, receiver, namespace } = scene;
  const spec = { type: 'text', text: KNOWLEDGE };
  const source = { kind: 'KnowledgeSource', namespace, name: 'handbook', spec } as const;
  await server.engine.store.apply(source, { fieldManager: 'kubectl' });
  await server.engine.settled('KnowledgeSource', 'handbook', namespace);
  agentId = await newAgent(parley);
  const body = { url: receiver.url };
  await ok(parley.POST('/v1/webhooks', { body }));
});

const rows = (page: Page) => page.getByRole('table', { name: 'Conversations' }).getByRole('row');

describe('the list', () => {
  test('is filtered, the address keeps that, and new ones come in live', async () => {
    const { parley } = scene;
    await hold(parley, { user: 'ada', metadata: { plan: 'gold' } });
    await hold(parley, { user: 'bob' });
    const { page } = await openDashboard({ at: '/conversations' });
    await page.getByRole('link', { name: 'ada' }).waitFor();
    await page.getByRole('link', { name: 'bob' }).waitFor();

    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Metadata').fill('plan=gold');
    expect(await pressOfInputMethod(page.getByLabel('Metadata'), 'Enter')).toBe('plan=gold');
    await page.getByLabel('Metadata').press('Enter');
    await page.getByRole('link', { name: 'bob' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('metadata.plan')).toBe('gold');

    // Somebody else opens the same address.
    const other = await openDashboard({ at: `/conversations${new URL(page.url()).search}` });
    await other.page.getByRole('link', { name: 'ada' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'bob' }).count()).toBe(0);

    await hold(parley, { user: 'cleo', metadata: { plan: 'gold' }, ends: false });
    await page.getByRole('link', { name: 'cleo' }).waitFor();
    await page.getByRole('button', { name: 'Remove plan=gold' }).click();
    await page.getByRole('link', { name: 'bob' }).waitFor();
  });

  test('is filtered by any status, outcome and channel that the API has', async () => {
    const { page } = scene;
    await follow(page, '/conversations?status=failed&outcome=failed&channel=web_voice');
    for (const [label, chosen, values] of [
      ['Status', 'failed', CONVERSATION_STATUSES],
      ['Outcome', 'failed', OUTCOMES],
      ['Channel', 'web_voice', CHANNELS],
    ] as const) {
      const select = page.getByLabel(label, { exact: true });
      await select.waitFor();
      const options = await select
        .locator('option')
        .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
      expect(options.toSorted()).toEqual(['', ...values].toSorted());
      expect(await select.inputValue()).toBe(chosen);
    }
  });

  test('is searched by what was said', async () => {
    const { page, parley } = scene;
    await hold(parley, { user: 'dora' });
    await hold(parley, { user: 'emil', says: ['Do you sell umbrellas?'] });
    await follow(page, '/conversations');
    await page.getByRole('link', { name: 'dora' }).waitFor();
    await page.getByLabel('Search').fill('umbrellas');
    await page.getByRole('link', { name: 'dora' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'emil' }).waitFor();
    expect(await rows(page).count()).toBe(2);
    // The sentence with the word, which opens at its turn.
    const said = rows(page).getByText('Do you sell umbrellas?');
    expect(await said.locator('mark').allTextContents()).toEqual(['umbrellas']);
    await page.getByRole('link', { name: 'emil' }).click();
    await page.locator('.turn-found').getByText('Do you sell umbrellas?').waitFor();
    expect(new URL(page.url()).hash).toBe('#turn-1');
  });

  test('shows the last words and the total, and leads from one conversation to the next', async () => {
    const { page, parley } = scene;
    for (const user of ['una', 'vic', 'wes']) {
      await hold(parley, { user, metadata: { walk: 'yes' }, ends: user !== 'una' });
    }
    await follow(page, '/conversations?metadata.walk=yes');
    await page.getByText('3 matching conversations').waitFor();
    const row = rows(page).filter({ hasText: 'una' });
    await row.getByText(/^Agent: We deliver within three working days/).waitFor();
    const users = () => page.getByRole('table').getByRole('link').allTextContents();
    expect(await users()).toEqual(['wes', 'vic', 'una']);
    await page.getByRole('button', { name: 'Started' }).click();
    await page.waitForURL(/order=oldest/);
    await page.getByRole('row').nth(1).filter({ hasText: 'una' }).waitFor();
    expect(await users()).toEqual(['una', 'vic', 'wes']);

    await page.getByRole('link', { name: 'una' }).click();
    const titled = (user: string) =>
      page.getByRole('heading', { name: `Conversation ${user}` }).waitFor();
    await titled('una');
    await page.getByRole('link', { name: 'Next' }).click();
    await titled('vic');
    await page.keyboard.press('j');
    await titled('wes');
    await page.getByRole('link', { name: 'Previous' }).waitFor();
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
    await page.keyboard.press('k');
    await titled('vic');
    await page.getByRole('link', { name: '← Conversations' }).click();
    await page.waitForURL(/order=oldest/);
  });

  test.runIf(IS_NIGHTLY)('is of one agent, which among many is chosen by typing', async () => {
    const { page, parley } = await openDashboard({ namespace: 'many' });
    for (let number = 1; number <= 26; number += 1) {
      await ok(parley.POST('/v1/agents', { body: { name: `agent-${number}`, prompt: 'Help.' } }));
    }
    // Late, so that a choice shown before it is known how many there are would be met.
    const isShown = page.getByLabel('Search').waitFor();
    await page.route('**/v1/agents?*', async (route) => {
      await isShown;
      await route.continue();
    });
    await page.goto('/conversations');
    await page.getByLabel('Agent').fill('agent-17');
    await page.waitForURL(/agent_id=agt_/);
    const { data } = await ok(
      parley.GET('/v1/agents', { params: { query: { name: 'agent-17' } } }),
    );
    expect(new URL(page.url()).searchParams.get('agent_id')).toBe(data[0]?.id);
    expect(await page.getByLabel('Agent').inputValue()).toBe('agent-17');
    await page.getByLabel('Agent').fill('');
    await page.waitForURL(/conversations$/);
  });

  test('says what to do where there is nothing, and what is missing where nothing may be read', async () => {
    const empty = await openDashboard({ at: '/conversations', namespace: 'nobody' });
    await empty.page.getByRole('link', { name: 'Go to agents' }).waitFor();
    const { page } = await openDashboard({ at: '/conversations', scopes: ['write'] });
    await page.getByText('This requires an API key with the').waitFor();
  });

  test('is exported as the filters have it, a line each', async () => {
    const { page, parley } = scene;
    const id = await hold(parley, { user: 'eve', metadata: { export: 'yes' } });
    await follow(page, '/conversations?metadata.export=yes');
    await page.getByRole('link', { name: 'eve' }).waitFor();
    const downloading = page.waitForEvent('download');
    // The page says so for six seconds, which a slow download can outlast.
    const said = page.getByText('Exported 1 conversation', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    const lines = text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { id, transcript: { turns: [{ role: 'agent' }, { role: 'user' }, { role: 'agent' }] } },
    ]);
    await said;
  });
});

describe('a conversation', () => {
  test('shows its words, the passages they were drawn from, and its line to the attempts', async () => {
    const { page, parley, receiver, pool } = scene;
    const id = await hold(parley, { user: 'finn' });
    await receiver.until((all) =>
      all.some(
        ({ json }) =>
          json.type === 'conversation.transcript.ready' && json.data['conversation_id'] === id,
      ),
    );
    await follow(page, '/conversations');
    await page.getByRole('link', { name: 'finn' }).click();
    const transcript = page.getByRole('log', { name: 'Transcript' });
    await transcript.getByText('How long does delivery take?').first().waitFor();
    await transcript.getByText('within three working days').first().waitFor();

    await transcript.getByText('The answer uses 1 of').click();
    await transcript.getByText('used', { exact: true }).click();
    await transcript.getByRole('link', { name: 'Go to the source' }).first().waitFor();
    const passage = transcript.getByRole('blockquote').getByText('We deliver within three working');
    await passage.waitFor();

    const line = page.getByRole('region', { name: 'From version to attempts' });
    await line.getByText('3 events').waitFor();
    await line.getByText('3 deliveries').waitFor();
    await line.getByText('3 attempts').waitFor();
    expect(await line.getByRole('link', { name: 'version 1' }).getAttribute('href')).toBe(
      `/agents/${agentId}/versions?to=1`,
    );
    await line.getByText('Events, deliveries and attempts').click();
    await line
      .getByText(/200 after/)
      .first()
      .waitFor();
    await line.getByRole('link', { name: /^to / }).first().click();
    const deliveryId = page.url().split('/').at(-1) ?? '';
    const { rows: found } = await pool.query('select 1 from deliveries where id = $1', [
      toUuid('dlv', deliveryId),
    ]);
    expect(found).toHaveLength(1);
  });

  test('goes on before the eyes of who reads it', async () => {
    const { page, parley } = scene;
    const id = await hold(parley, { user: 'gil', ends: false });
    await follow(page, `/conversations/${id}`);
    await page.getByText('within three working days').first().waitFor();
    const body = { text: 'Can I return it?' };
    await ok(parley.POST('/v1/conversations/{id}/messages', { params: { path: { id } }, body }));
    await page.getByRole('log').getByText('Can I return it?').first().waitFor();
    await page.getByRole('log').getByText('within 30 days').first().waitFor();
  });

  test('is saved as text and for players', async () => {
    const { page, parley } = scene;
    const id = await hold(parley, { user: 'hana' });
    await follow(page, `/conversations/${id}`);
    for (const [name, beginning] of [
      ['Text', 'Agent: Hello, this is the shop.'],
      ['WebVTT, for media players', 'WEBVTT'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      const text = await readFile(await (await downloading).path(), 'utf8');
      expect(text).toContain(beginning);
    }
  });

  test('is erased after a check, and its words are gone', async () => {
    const { page, parley, pool } = scene;
    const id = await hold(parley, { user: 'ines', says: ['My secret is a blue parrot.'] });
    await hold(parley, { user: 'ines' });
    await follow(page, '/conversations?user_id=ines');
    // The back link keeps the filter of the list.
    const ofInes = rows(page).getByRole('link', { name: 'ines' });
    await ofInes.first().click();
    await page.getByRole('link', { name: '← Conversations' }).click();
    await page.waitForURL(/conversations\?user_id=ines$/);
    const all = page.getByText('2 matching conversations').getByRole('link', { name: 'ines' });
    expect(await all.getAttribute('href')).toBe('/customers/ines');
    await ofInes.nth(1).click();
    await page.waitForURL(new RegExp(id));
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this conversation?' });
    const erase = dialog.getByRole('button', { name: 'Erase the conversation' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Cancel pending events').check();
    await dialog.getByLabel('Type “erase” to continue').fill('erase');
    await expectAccessible(page);
    await erase.click();
    const toast = page.getByText(/^Erased the conversation/);
    await toast.waitFor();
    await page.waitForURL(/conversations\?user_id=ines$/);
    await ofInes.waitFor();
    // The confirmation covers no row.
    const [told, table] = [await toast.boundingBox(), await page.getByRole('table').boundingBox()];
    expect(told!.x + told!.width).toBeLessThan(table!.x);
    const { rows: kept } = await pool.query(
      `select 1 from turns where text like '%blue parrot%'
       union all select 1 from conversations where summary like '%blue parrot%'
       union all select 1 from events where convert_from(body, 'utf8') like '%blue parrot%'`,
    );
    expect(kept).toEqual([]);
    const { response } = await parley.GET('/v1/conversations/{id}', { params: { path: { id } } });
    expect(response.status).toBe(404);
  });
});

describe('a customer', () => {
  test('is reached from a conversation, exported, and erased with everything that was said', async () => {
    const { page, parley, pool } = scene;
    const user = 'maria/lópez ?';
    const id = await hold(parley, { user, says: ['My secret is a green parrot.'] });
    await hold(parley, { user, ends: false });
    const calling = { agent_id: agentId, to: '+442071838750', user_id: user };
    const body = { ...calling, simulated: { answer: 'busy' as const } };
    await ok(parley.POST('/v1/calls', { body }));
    await follow(page, `/conversations/${id}`);
    await page.getByRole('link', { name: user }).click();
    await page.getByRole('heading', { name: user, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/customers/${encodeURIComponent(user)}`);
    // The address works as well.
    await page.reload();
    const figures = page.getByRole('region', { name: 'Statistics' });
    await figures.getByText('1 in progress').waitFor();
    await page.getByRole('heading', { name: 'Open questions' }).waitFor();
    const table = page.getByRole('table', { name: 'Conversations and calls' });
    await table.getByRole('link', { name: 'Call → +442071838750' }).waitFor();
    await table.getByRole('link', { name: 'In progress' }).waitFor();
    await expectAccessible(page);

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = await readFile(await (await downloading).path(), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ user_id: user, activity: [{}, {}, { id }] });

    await page.getByRole('button', { name: 'Erase everything' }).click();
    const dialog = page.getByRole('dialog', { name: `Erase all data about ${user}?` });
    const erase = dialog.getByRole('button', { name: 'Erase everything' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByText('2 conversations and 1 call').waitFor();
    await dialog.getByLabel('Type “erase” to continue').fill('erase');
    await expectAccessible(page);
    await erase.click();
    await page.getByText(`Erased all data about ${user}`).waitFor();
    await page.waitForURL(/\/conversations$/);
    const { rows: kept } = await pool.query(
      `select 1 from turns where text like '%green parrot%'
       union all select 1 from conversations where user_id = $1
       union all select 1 from calls where user_id = $1
       union all select 1 from events where convert_from(body, 'utf8') like '%green parrot%'`,
      [user],
    );
    expect(kept).toEqual([]);
    const params = { path: { user_id: user } };
    expect((await parley.GET('/v1/customers/{user_id}', { params })).response.status).toBe(404);
  });

  test('shows the progress of an erasure that somebody else has started', async () => {
    const { parley, pool } = scene;
    const id = await hold(parley, { user: 'nina' });
    const client = await pool.connect();
    await client.query('begin');
    // The erasure waits for this lock.
    const held = 'select 1 from conversations where id = $1 for update';
    await client.query(held, [toUuid('conv', id)]);
    const params = { path: { user_id: 'nina' } };
    await ok(parley.DELETE('/v1/customers/{user_id}', { params }));
    const { page } = await openDashboard({ at: '/customers/nina' });
    await page.getByText('0 of 1').waitFor();
    await client.query('rollback');
    client.release();
    await page.getByText('Erased all data about nina').waitFor();
  });
});

test.each(WALKED_THEMES)('both pages are accessible, %s', async (theme) => {
  const id = await hold(scene.parley, { user: 'jo', metadata: { look: theme } });
  const { page } = await openDashboard({ at: `/conversations?metadata.look=${theme}`, theme });
  await page.getByRole('link', { name: 'jo' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'jo' }).click();
  await page.getByText('3 attempts').waitFor();
  await page.getByText('Events, deliveries and attempts').click();
  await page.getByText('The answer uses 1 of').click();
  await expectAccessible(page);
  expect(page.url()).toContain(id);
});
