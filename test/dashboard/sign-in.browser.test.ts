import { expect, test } from 'vitest';
import { findApiKey } from '../../src/access/api-keys.sql.ts';
import { ok } from '../../packages/client/src/client.ts';
import { makeSignInToken } from '../../src/access/sign-in.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { expectAccessible, openDashboard } from './dashboard.ts';

test('an API key and a name open the page that was asked for, and the name is in the histories', async () => {
  const { page, apiKey, parley } = await openDashboard({ name: null, at: '/settings/audit' });
  await expectAccessible(page);
  await page.getByLabel('API key', { exact: true }).fill('parley_wrong_wrong_wrong_wrong');
  await page.getByLabel('Your name').fill('Berta');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'is unknown' }).waitFor();
  expect(await page.getByLabel('Your name').inputValue()).toBe('Berta');

  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings/audit');
  await page.getByRole('row').filter({ hasText: 'session.created' }).first().waitFor();

  const { data } = await parley.GET('/v1/audit_log', {
    params: { query: { action: 'session.created' } },
  });
  expect(data?.data[0]?.after).toMatchObject({ name: 'Berta' });
});

test('the key is kept nowhere in the browser, and no script can read the session', async () => {
  const { page, apiKey } = await openDashboard({ name: null, at: '/' });
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByLabel('Your name').fill('Ana');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Parley' }).waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([
      document.cookie,
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      location.href,
    ]),
  );
  expect(kept).not.toContain(apiKey);
  expect(kept).not.toContain('session=');
});

test('a link signs in once, asks for the name once, and says so when it is used again; the address is clean', async () => {
  const { page, pool, parley, apiKey, server } = await openDashboard({ name: null, at: '/' });
  const key = (await findApiKey(pool, apiKey))!;
  const by = { namespace: key.namespace, keyId: key.id, name: 'root' };
  const open = async (token: string, path: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${server.url}${path}#sign-in=${token}`);
  };
  const token = await makeSignInToken({ pool }, by);
  await open(token, '/calls');
  await page.getByLabel('Your name').fill('Ana  Silva');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  expect(page.url()).toBe(`${server.url}/calls`);
  const { data } = await ok(parley.GET('/v1/sessions'));
  expect(data[0]?.name).toBe('Ana Silva');

  // The next link of the same browser needs no click.
  await page.context().clearCookies();
  await open(await makeSignInToken({ pool }, by), '/calls');
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  await page.getByRole('button', { name: 'Ana Silva', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key', { exact: true }).waitFor();
  expect(await page.getByLabel('Your name').inputValue()).toBe('');

  await open(token, '/');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('This sign-in link has been used').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
});

test('a link without a name signs in as the one for whom it was made', async () => {
  const { page, pool, apiKey, server } = await openDashboard({ name: null, at: '/' });
  const key = (await findApiKey(pool, apiKey))!;
  const by = { namespace: key.namespace, keyId: key.id, name: 'Root' };
  await page.goto('about:blank');
  await page.goto(`${server.url}/calls#sign-in=${await makeSignInToken({ pool }, by)}`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Root', exact: true }).waitFor();
});

test('a session that ends in the middle of work is gone on with in place, and nothing typed is lost', async () => {
  const { page, apiKey, server, parley } = await openDashboard({ at: '/settings' });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('half a name');
  const { data } = await parley.GET('/v1/sessions');
  const own = data?.data.find(({ name }) => name === 'Ana');
  await parley.DELETE('/v1/sessions/{id}', { params: { path: { id: own!.id } } });

  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByLabel('Your name').fill('Ana');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('API key', { exact: true }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a name');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByText('Copy the key now').waitFor();
  expect(page.url()).toBe(`${server.url}/settings`);
});

const ELSEWHERE = [
  '/\\evil.example',
  '/#sign-in=x&next=//evil.example',
  '//evil.example/',
  '/?next=https://evil.example',
];

test.each(ELSEWHERE.slice(0, IS_NIGHTLY ? undefined : 2))(
  'nobody is sent elsewhere by signing in at %s',
  async (address) => {
    const { page, apiKey, server } = await openDashboard({ name: null });
    await page.goto(server.url + address);
    if (address.includes('#')) await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('API key', { exact: true }).fill(apiKey);
    await page.getByLabel('Your name').fill('Ana');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Parley' }).waitFor();
    expect(new URL(page.url()).origin).toBe(server.url);
  },
);
