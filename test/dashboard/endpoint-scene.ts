import type { Page } from 'playwright-core';
import type { ParleyClient } from '../../packages/client/src/client.ts';

/** The signing secret, while a page shows it. */
export async function secretOn(page: Page): Promise<string> {
  return (await page.getByLabel('Signing secret', { exact: true }).last().innerText()).trim();
}

/** An endpoint with its secret, made by the API. */
export async function endpointOf(parley: ParleyClient, url: string) {
  const { data } = await parley.POST('/v1/webhooks', { body: { url } });
  return data!;
}
