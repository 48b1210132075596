import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { expectAccessible, openDashboard } from './dashboard.ts';

/** What the headers of the page are for, tried in a browser. */

const REFUSED = /Content Security Policy|This document requires .Trusted/;

test('the page is shown, and is clean and accessible', async () => {
  const { page } = await openDashboard({ at: '/' });
  await page.locator('#root > *').first().waitFor();
  expect(await page.title()).toContain('Parley');
  const places = page.getByRole('navigation', { name: 'Parley' });
  const support = places.getByRole('group', { name: 'Support' });
  await support.getByRole('link', { name: 'Escalations' }).waitFor();
  // The policy lets the page load its own fonts, and its text uses them.
  const fonts = await page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts].filter(({ status }) => status === 'loaded').map((one) => one.family);
  });
  expect(fonts).toContain('Inter');
  await expectAccessible(page);
});

describe('the policy of the page', () => {
  test('lets no script run that is no file of this server', async () => {
    const { page } = await openDashboard({ at: '/', expected: [REFUSED, /another host/] });
    const ran = await page.evaluate(async () => {
      const seen: string[] = [];
      const ended = new Promise<void>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => {
          seen.push(event.effectiveDirective);
          if (seen.length === 3) resolve();
        });
      });
      const inline = document.createElement('script');
      inline.append('globalThis.ranInline = true');
      document.body.append(inline);
      const foreign = document.createElement('script');
      try {
        foreign.src = 'http://elsewhere.example/x.js';
        document.body.append(foreign);
      } catch {
        // Trusted types refuse the address itself.
      }
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ranHandler = true">');
      } catch {
        // As they do this.
      }
      await ended;
      return { seen, inline: 'ranInline' in globalThis, handler: 'ranHandler' in globalThis };
    });
    expect(ran).toMatchObject({ inline: false, handler: false });
    expect(ran.seen).toContain('require-trusted-types-for');
  });

  test('lets nothing out to another host', async () => {
    const { page, receiver } = await openDashboard({
      at: '/',
      expected: [REFUSED, /another host/],
    });
    const sent = await page.evaluate(
      async (url) => fetch(url, { method: 'POST', mode: 'no-cors' }).then(String, String),
      receiver.url,
    );
    expect(sent).toContain('TypeError');
    expect(receiver.received).toEqual([]);
  });
});

test('in a frame of another site there is nothing to click', async () => {
  const { page, server } = await openDashboard({ expected: [/frame-ancestors|another host/] });
  const attacker = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe src="${server.url}/agents" width="800" height="600"></iframe>`);
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
  try {
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
    await refused;
    const frame = page.frames().find((one) => one !== page.mainFrame());
    expect(frame?.url()).not.toContain(server.url);
    expect(await frame?.locator('#root').count()).toBe(0);
  } finally {
    attacker.closeAllConnections();
    attacker.close();
  }
});
