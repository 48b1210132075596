import { expect, test } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/client.ts';
import { expectAccessible, openDashboard } from './dashboard.ts';
import { endpointOf, secretOn } from './endpoint-scene.ts';

/** Secrets of endpoints: rotated in two steps, and what is signed with them checked. */

test('a secret is rotated in two steps, and requests carry both signatures between them', async () => {
  const { page, parley, receiver } = await openDashboard({ namespace: 'rotated' });
  const { id, secret: first } = await endpointOf(parley, receiver.url);
  await page.goto(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create a new secret' }).click();
  const second = await secretOn(page);
  await page.getByText(/^23:59:\d\d$/).waitFor();

  const sendTest = async () => {
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send a test event' }).click();
    return (await receiver.until((all) => all.length > before)).at(-1)!;
  };
  const during = await sendTest();
  const next = during.headers['parley-signature-next'];
  await verifyWebhook(during.body, { 'parley-signature': next }, second);
  await verifyWebhook(
    during.body,
    { 'parley-signature': during.headers['parley-signature'] },
    first,
  );

  await page.getByRole('button', { name: 'Activate the new secret now' }).click();
  await page.getByText('The old secret expires in').waitFor();
  const after = await sendTest();
  const { 'parley-signature': signature } = after.headers;
  await verifyWebhook(after.body, { 'parley-signature': signature }, second);
});

test('a signature is checked with an example of the endpoint itself, in the page alone', async () => {
  const { page, parley, receiver } = await openDashboard({ namespace: 'signed' });
  const { id, secret } = await endpointOf(parley, receiver.url);
  await page.goto(`/webhooks/${id}`);
  await page.getByRole('link', { name: 'Check a signature' }).click();
  const body = await page.getByLabel('Example body').innerText();
  for (const language of ['Node', 'Python', 'Go', 'Java']) {
    await page.getByLabel(language, { exact: true }).check();
    const code = await page.getByLabel(`Code for ${language}`).innerText();
    expect(code).toContain(JSON.stringify(body));
  }
  await expectAccessible(page);
  const signature = await page.getByText(/^[0-9a-f]{64}$/).innerText();
  await verifyWebhook(body, { 'parley-signature': signature }, secret);

  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
  const check = async (given: { body: string; secret: string }): Promise<void> => {
    await page.getByLabel('Raw body').fill(given.body);
    await page.getByLabel(/^parley-signature or/).fill(signature);
    await page.getByLabel('Secret', { exact: true }).fill(given.secret);
    await page.getByRole('button', { name: 'Check the signature' }).click();
  };
  await check({ body, secret });
  await page.getByText('Signed with this secret').waitFor();
  await check({ body: JSON.stringify(JSON.parse(body), null, 2), secret });
  await page.getByText('parsed and written again').waitFor();
  await check({ body, secret: `${secret.slice(0, -4)}AAA=` });
  await page.getByText('signed with a different secret').waitFor();
  // Nothing but what the page reads by itself.
  expect(asked.filter((one) => !one.startsWith('GET'))).toEqual([]);
  expect(receiver.received.filter(({ json }) => json.id === JSON.parse(body).id)).toEqual([]);
});
