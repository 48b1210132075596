import { expect, test } from 'vitest';
import { expectAccessible, follow, openDashboard, walkedPages } from './dashboard.ts';
import { endpointOf } from './endpoint-scene.ts';

test('each page is as accessible in the dark and on a telephone', async () => {
  const { parley, receiver } = await openDashboard({ namespace: 'dark' });
  receiver.answer((_, response) => void response.writeHead(503).end());
  const { id: endpointId } = await endpointOf(parley, receiver.url);
  await parley.POST('/v1/agents', { body: { name: 'support', prompt: 'Help.' } });
  await receiver.until((all) => all.length > 0);
  const query = { endpoint_id: endpointId };
  const { data } = await parley.GET('/v1/deliveries', { params: { query } });
  const { id: deliveryId, event_id: eventId } = data!.data[0]!;
  const viewport = { width: 360, height: 800 };
  const { page } = await openDashboard({
    namespace: 'dark',
    theme: 'dark',
    viewport,
  });
  const pages = [
    ['', 'failing'],
    [`/${endpointId}`, 'Latency and outcomes'],
    [`/deliveries/${deliveryId}`, 'Attempt 1'],
    ['/events?view=all', 'agent.published'],
    ['/new', 'URL'],
    [`/${endpointId}/signature`, 'Created just now'],
    ['/deliveries', 'retrying'],
    ['/events', 'Receiving events'],
    [`/events/${eventId}`, 'Why it did not arrive'],
  ] as const;
  for (const [at, sign] of walkedPages(pages, 4)) {
    await follow(page, `/webhooks${at}`);
    await page.getByRole('main').getByText(sign).filter({ visible: true }).first().waitFor();
    await expectAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([at, width]).toEqual([at, 360]);
  }
}, 60_000);
