import { expect, onTestFinished, test } from 'vitest';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { startStubModel } from '../models/stub-model.ts';
import { expectAccessible, follow, openDashboard, walkedPages } from './dashboard.ts';

test('a key is made with some scopes, shown once, works, and is refused once it is deleted', async () => {
  const { page, call } = await openDashboard({ at: '/settings' });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('shop front');
  await page.getByRole('checkbox', { name: /write/ }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create the key' }).click();
  const text = await page.getByLabel('The key').innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const made = await call('GET', '/v1/me', { key: text });
  expect(made.body).toMatchObject({ scopes: ['read', 'write'], api_key: { name: 'shop front' } });

  await page.getByRole('button', { name: 'Delete shop front' }).click();
  await page.getByRole('button', { name: 'Delete the key' }).click();
  await page.getByRole('row').filter({ hasText: 'shop front' }).waitFor({ state: 'detached' });
  expect((await call('GET', '/v1/me', { key: text })).status).toBe(401);
});

test('a key is rotated: the new one works, the old one ends when it was said', async () => {
  const { page, call } = await openDashboard({ at: '/settings' });
  const made = await call('POST', '/v1/api_keys', {
    json: { name: 'to rotate', scopes: ['read'] },
  });
  await page.reload();
  await page.getByRole('button', { name: 'Rotate to rotate' }).click();
  await page.getByLabel('The old key expires').selectOption({ label: 'immediately' });
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  const text = await page.getByLabel('The key').innerText();
  const old = await call('GET', '/v1/me', { key: String(made.body.key) });
  const next = await call('GET', '/v1/me', { key: text });
  expect([old.status, next.status]).toEqual([401, 200]);
});

test('a key that expires says why it cannot be rotated', async () => {
  const { page, parley } = await openDashboard({ namespace: 'expiring' });
  const soon = Math.floor(Date.now() / 1_000) + 3_600;
  const body = { name: 'ending', scopes: ['read' as const], expires_at: soon };
  await ok(parley.POST('/v1/api_keys', { body }));
  await page.goto('/settings');
  const rotate = page.getByRole('button', { name: 'Rotate ending' });
  await rotate.waitFor();
  expect(await rotate.isDisabled()).toBe(true);
  expect(await rotate.getAttribute('title')).toContain('can’t be rotated');
});

test('a carrier is connected with its token, edited and deleted', async () => {
  const { page, parley, server } = await openDashboard({
    at: '/settings/telephony',
    namespace: 'carriers',
  });
  await ok(parley.POST('/v1/agents', { body: { name: 'front-desk', prompt: 'You help.' } }));
  await page.getByText('No carrier is connected.').waitFor();
  await page.getByRole('button', { name: 'Connect a carrier' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('main');
  await dialog.getByLabel('Account SID').fill('AC00000000000000000000000000000001');
  await dialog.getByLabel('Auth token').fill('token-1');
  await dialog.getByLabel('Number 1', { exact: true }).fill('+442071838750');
  await dialog.getByLabel('Agent that answers number 1').fill('nobody');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await dialog
    .getByText(/nobody/)
    .first()
    .waitFor();
  await dialog.getByLabel('Agent that answers number 1').fill('front-desk');
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('row', { name: /main.*ready.*\+442071838750/ }).waitFor();
  const address = page.getByLabel('A call comes in');
  expect(await address.textContent()).toBe(`${server.url}/v1/telephony/twilio/voice`);
  const { data } = await ok(parley.GET('/v1/telephony_providers'));
  const name = expect.stringMatching(/^tp-/);
  expect(data).toMatchObject([
    { auth_token_secret_ref: { name }, numbers: [{ agent: 'front-desk' }] },
  ]);

  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await dialog.getByLabel('New auth token').inputValue()).toBe('');
  await dialog.getByLabel('URL of the carrier').fill('https://carrier.example.com');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog
    .getByText(/must be sent again/)
    .first()
    .waitFor();
  await dialog.getByLabel('New auth token').fill('token-2');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changed main').waitFor();

  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('Agents will no longer answer calls to +442071838750.').waitFor();
  await dialog.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByText('No carrier is connected.').waitFor();
});

test('a model is connected: tested with its key, saved, and its key replaced', async () => {
  const stub = await startStubModel({ models: ['m-1', 'm-2'] });
  onTestFinished(() => stub.stop());
  const { page, parley } = await openDashboard({ at: '/settings/providers', namespace: 'models' });
  await page.getByRole('link', { name: 'Connect a model' }).first().click();
  await page.getByLabel('Provider', { exact: true }).selectOption('Other compatible API');
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByLabel('Base URL').fill('http://10.0.0.1/v1');
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('10.0.0.1').waitFor();

  await page.getByLabel('Base URL').fill(stub.url);
  await page.getByLabel('API key').fill(' sk-one ');
  stub.script({ status: 401, body: '{}' });
  await page.getByLabel('Default model').fill('m-1');
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('Paste the complete key again').waitFor();
  await expectAccessible(page);
  stub.script({ text: 'OK' });
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText(/It works\. m-1 replied “OK”/).waitFor();
  await page.getByRole('button', { name: 'Connect' }).click();

  await page.getByRole('heading', { name: 'shop' }).waitFor();
  await page.getByText('stored by Parley, never shown').waitFor();
  const { data } = await ok(parley.GET('/v1/model_providers'));
  expect(data).toMatchObject([{ name: 'shop', chat: { default_model: 'm-1' } }]);
  const body = { name: 'front-desk', prompt: 'You help.', model: { provider: 'shop' } };
  await ok(parley.POST('/v1/agents', { body }));
  await page.getByRole('region', { name: 'Used by' }).getByText('front-desk').waitFor();
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByLabel('New API key').fill('sk-two');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Replace the key' }).click();
  await page.getByText('Replaced the key of shop').waitFor();
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('It works.').waitFor();
  const keys = stub.requests.map(({ headers }) => headers.authorization);
  expect(keys).toEqual(['Bearer sk-one', 'Bearer sk-one', 'Bearer sk-two']);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Default model').fill('m-2');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('m-2').waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByText('1 agent uses it').waitFor();
  await page.getByRole('button', { name: 'Delete the provider' }).click();
  await page.getByText('No model is connected.').waitFor();
});

test('an erasure is listed with its progress, and no longer names the customer when it is done', async () => {
  const { page, parley } = await openDashboard({ namespace: 'erasures' });
  const { id } = await ok(parley.POST('/v1/agents', { body: { prompt: 'You help.' } }));
  await ok(parley.POST('/v1/conversations', { body: { agent_id: id, user_id: 'nina' } }));
  const params = { path: { user_id: 'nina' } };
  await ok(parley.DELETE('/v1/customers/{user_id}', { params }));
  await page.goto('/settings/jobs');
  await page.getByText('No replays.').waitFor();
  const erasures = page.getByRole('table', { name: 'Customer erasures' });
  const row = erasures.getByRole('row').filter({ hasText: /erased.*done.*1 of 1/ });
  await row.waitFor();
  expect(await erasures.getByText('nina').count()).toBe(0);
  await expectAccessible(page);
});

test('somebody else’s session is ended, and their page asks them to sign in', async () => {
  const ben = await openDashboard({ at: '/agents', name: 'Ben' });
  // After Ben has signed in: no event reports it.
  const ana = await openDashboard({ at: '/settings/sessions' });
  await ana.page.getByRole('button', { name: 'End Ben’s session' }).click();
  await expectAccessible(ana.page);
  await ana.page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
  await ana.page.getByText('Ben is signed out').waitFor();
  await ben.page.getByLabel('API key', { exact: true }).waitFor();
});

test('the audit log is filtered by the address, and a line shows what it changed', async () => {
  const { page, parley } = await openDashboard({ at: '/settings/audit', namespace: 'acts' });
  const body = { name: 'for-the-log', prompt: 'You help.' };
  const agent = await ok(parley.POST('/v1/agents', { body }));
  await page.getByLabel('Action').fill('agent.created');
  await page.getByLabel('Action').press('Enter');
  await page.waitForURL(/action=agent\.created/);
  const row = page.getByRole('row').filter({ hasText: 'agent.created' });
  await row.getByRole('button', { name: /^Show/ }).click();
  await page.getByRole('dialog').getByText('for-the-log').first().waitFor();
  expect(await page.getByRole('dialog').getByRole('link').getAttribute('title')).toBe(agent.id);
  await expectAccessible(page);
});

test('the audit log is filtered by the target, and by the actor', async () => {
  const { page, parley } = await openDashboard({ namespace: 'audited' });
  const made = async (client: ParleyClient) =>
    (await ok(client.POST('/v1/agents', { body: { prompt: 'You help.' } }))).id;
  const [first, second] = [await made(parley), await made(parley)];
  // Another key of the namespace is another actor.
  const other = await openDashboard({ namespace: 'audited' });
  const third = await made(other.parley);
  const query = { action: 'agent.created' };
  const { data } = await ok(parley.GET('/v1/audit_log', { params: { query } }));
  const actorOf = (id: string) => data.find(({ target }) => target === id)!.actor;
  expect(actorOf(third)).not.toBe(actorOf(first));

  await page.goto('/settings/audit?action=agent.created');
  const targets = (...ids: string[]) =>
    page.waitForFunction((wanted) => {
      const found = [...document.querySelectorAll('[role=row] [title^=agt_]')].map(
        (one) => one.getAttribute('title') ?? '',
      );
      return found.toSorted().join() === wanted;
    }, ids.toSorted().join());
  await targets(first, second, third);
  await page.getByLabel('Target').fill(second);
  await page.getByLabel('Target').press('Enter');
  await targets(second);
  await page.getByLabel('Target').fill('');
  await page.getByLabel('Target').press('Enter');
  await targets(first, second, third);
  await page.getByLabel('Actor').fill(actorOf(first));
  await page.getByLabel('Actor').press('Enter');
  await targets(first, second);
  const { searchParams } = new URL(page.url());
  expect([...searchParams]).toEqual([
    ['action', 'agent.created'],
    ['actor', actorOf(first)],
  ]);
});

test('a call is hung up from its page', async () => {
  const { page, parley } = await openDashboard({ at: '/calls' });
  const agent = await ok(
    parley.POST('/v1/agents', {
      body: { name: 'caller', prompt: 'You call.', first_message: 'This is the shop.' },
    }),
  );
  const simulated = { turns: [{ after_ms: 60_000, text: 'hm' }] };
  const body = { agent_id: agent.id, to: '+34600111222', simulated };
  const { id } = await ok(parley.POST('/v1/calls', { body }));
  // By the name of its agent, in the list and among the choices of the filter.
  await page.getByRole('table').getByRole('link', { name: 'caller' }).waitFor();
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'caller' });
  await page.waitForURL(new RegExp(`agent_id=${agent.id}`));
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('log', { name: 'Transcript' }).getByText('This is the shop.').waitFor();
  await page.getByRole('button', { name: 'Hang up' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click();
  await page.getByText('The call has ended').waitFor();
  const { data } = await parley.GET('/v1/calls/{id}', { params: { path: { id } } });
  expect(data?.ended_at).not.toBeNull();
  await expectAccessible(page);
});

test('pages are accessible in the dark, 360 wide, and say what a key without scopes lacks', async () => {
  const viewport = { width: 360, height: 740 };
  const { page } = await openDashboard({
    theme: 'dark',
    viewport,
    scopes: ['replay'],
  });
  const pages = [
    '/settings',
    '/settings/usage',
    '/calls',
    '/settings/sessions',
    '/settings/audit',
    '/settings/jobs',
    '/settings/providers',
    '/settings/telephony',
  ];
  for (const at of walkedPages(pages, 3)) {
    await follow(page, at);
    await page.getByText('This requires an API key with the').waitFor();
    await expectAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect({ at, fits: width <= 360 }).toEqual({ at, fits: true });
  }
});
