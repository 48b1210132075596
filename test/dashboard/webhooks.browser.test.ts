import { expect, test } from 'vitest';
import { ok, verifyWebhook } from '../../packages/client/src/client.ts';
import { expectAccessible, follow, openDashboard } from './dashboard.ts';
import { endpointOf, secretOn } from './endpoint-scene.ts';

/** Endpoints: added, seen through a failure, changed, switched off and removed. */

test('an endpoint is added, and the answer to its test event stands on the same page', async () => {
  const { page, receiver, pool, server, namespace } = await openDashboard({
    namespace: 'added',
    at: '/webhooks',
  });
  await page.getByText('No endpoints yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Add an endpoint' }).first().click();

  await page.getByLabel('URL').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page
    .getByText(/must be|Must be/)
    .first()
    .waitFor();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Selected types').check();
  await page.getByLabel(/^agent\.\*/).check();
  expect(await page.getByLabel(/^agent\.published/).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByLabel('Header name').fill('x-shop');
  await page.getByLabel('Value of x-shop').fill('of-seven');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add endpoint' }).click();

  const secret = await secretOn(page);
  await page.getByText('it is not shown again').waitFor();
  const rows = await server.engine.eventually(async () => {
    const query = 'select event_types from webhook_endpoints where namespace = $1';
    const found = await pool.query(query, [namespace]);
    return found.rows.length > 0 && found.rows;
  });
  expect(rows).toEqual([{ event_types: ['agent.*'] }]);

  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('It arrived').waitFor();
  const [sent] = receiver.received;
  expect(sent!.headers).toMatchObject({ 'parley-test': 'true', 'x-shop': 'of-seven' });
  expect(await verifyWebhook(sent!.body, sent!.headers, secret)).toMatchObject({
    type: 'agent.published',
  });

  receiver.answer((_, response) => {
    response.writeHead(503).end('{"why":"<img src=x onerror=alert(1)>"}');
  });
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('It did not arrive').waitFor();
  await page.getByText('The receiver did not respond with a 2xx status.').waitFor();
  await page.getByText('"why": "<img src=x onerror=alert(1)>"').waitFor();
  await expectAccessible(page);
  receiver.answer((_, response) => void response.writeHead(200).end('ok'));
});

test('what somebody else changed meanwhile is seen before it is overwritten', async () => {
  const { page, parley, receiver, server } = await openDashboard({ namespace: 'edited' });
  const { id } = await endpointOf(parley, receiver.url);
  await page.goto(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('mine');
  await parley.PATCH('/v1/webhooks/{id}', {
    params: { path: { id } },
    body: { url: `${receiver.url}/moved`, description: 'theirs' },
  });
  await dialog
    .getByText('changed this endpoint since you opened it')
    .or(dialog.getByRole('alert'))
    .first()
    .waitFor();
  await dialog.getByText('yours: mine').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save changes' }).isEnabled()).toBe(false);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  expect(await dialog.getByLabel('URL').inputValue()).toBe(`${receiver.url}/moved`);
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.waitFor({ state: 'detached' });
  await server.engine.eventually(async () => {
    const { data } = await parley.GET('/v1/webhooks/{id}', { params: { path: { id } } });
    return data?.url === `${receiver.url}/moved` && data.description === 'mine';
  });
});

test('headers are removed and added, and the request has these alone', async () => {
  const { page, parley, receiver } = await openDashboard({ namespace: 'headers' });
  const { id } = await endpointOf(parley, receiver.url);
  const params = { path: { id } };
  const body = { headers: { 'x-kept': 'a', 'x-old': 'b' } };
  await ok(parley.PATCH('/v1/webhooks/{id}', { params, body }));
  await page.goto(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Remove x-old' }).click();
  await dialog.getByRole('button', { name: 'Add a header' }).click();
  await dialog.getByLabel('Header name').last().fill(' x-new ');
  await dialog.getByLabel('Value of x-new').fill('c');
  const request = page.waitForRequest((one) => one.method() === 'PATCH');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  expect((await request).postDataJSON()).toEqual({ headers: { 'x-old': null, 'x-new': 'c' } });
  await dialog.waitFor({ state: 'detached' });
});

test('it is disabled with a way back, and deleted only by who types its host', async () => {
  const { page, parley, receiver, server } = await openDashboard({ namespace: 'removed' });
  const { id } = await endpointOf(parley, receiver.url);
  const read = async () =>
    (await parley.GET('/v1/webhooks/{id}', { params: { path: { id } } })).data;
  const until = (enabled: boolean | undefined) =>
    server.engine.eventually(async () => (await read())?.enabled === enabled);
  await page.goto(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('set through the API').waitFor();
  await until(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await until(true);

  await page.getByRole('button', { name: 'Delete' }).click();
  const act = page.getByRole('button', { name: 'Delete endpoint' });
  expect(await act.isEnabled()).toBe(false);
  await page.getByLabel(/^Type “/).fill(new URL(receiver.url).host);
  await act.click();
  await page.waitForURL('**/webhooks');
  await until(undefined);
});

test('what is declared in Kubernetes is read and tested here, and changed there', async () => {
  const { page, server, receiver, namespace } = await openDashboard({ namespace: 'declared' });
  await server.engine.declareEndpoint('crm', { url: receiver.url }, namespace);
  await server.engine.settled('WebhookEndpoint', 'crm', namespace);
  await page.goto('/webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByText('kubectl edit webhookendpoint crm').waitFor();
  for (const name of ['Edit', 'Disable', 'Delete'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('It arrived').waitFor();
});

test('who may not read them is told so once, and nothing is asked for', async () => {
  const { page } = await openDashboard({ namespace: 'unread', scopes: ['write'], at: '/calls' });
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  for (const at of ['/webhooks', '/webhooks/deliveries', '/webhooks/events']) {
    await follow(page, at);
    await page.getByText('requires an API key with the read scope').waitFor();
  }
  expect(
    refused.filter((url) => /\/v1\/(webhooks|deliveries|events(?!\/stream))/.test(url)),
  ).toEqual([]);
});
