import { expect, test } from 'vitest';
import { expectAccessible, openDashboard } from './dashboard.ts';

/** The support of these tests: what it is to find, it finds. */

test.each([
  ['an error in the console', /console: broken here/, () => console.error('broken here')],
  [
    'an exception that nobody catches',
    /exception: Error: thrown here/,
    () =>
      queueMicrotask(() => {
        throw new Error('thrown here');
      }),
  ],
  [
    'a request to another host',
    /another host: GET http:\/\/elsewhere\.example\//,
    () => new Image().setAttribute('src', 'http://elsewhere.example/x.png'),
  ],
  [
    'a style in the page',
    /console: .*Content Security Policy/,
    () => document.body.setAttribute('style', 'color: red'),
  ],
  [
    'a file that is not there',
    /answer: 404 GET \/assets\/gone\.js/,
    () => fetch('/assets/gone.js').then(() => undefined),
  ],
])('%s makes a page unclean', async (_, problem, cause) => {
  const { page, close } = await openDashboard({ at: '/settings/usage' });
  await page.evaluate(cause);
  await page.waitForFunction(() => true); // Whatever the page was to say has been said.
  await expect(close()).rejects.toThrow(problem);
});

test('a refusal of the API is part of the talk, and one person sees nothing of another', async () => {
  const [ana, ben] = [
    await openDashboard({ at: '/settings/usage' }),
    await openDashboard({ at: '/settings/usage', name: 'Ben', scopes: ['read'], theme: 'dark' }),
  ];
  const whoIs = (): Promise<{ actor: string; scopes: string[] }> =>
    fetch('/v1/me').then((answer) => answer.json());
  expect(await ana.page.evaluate(whoIs)).toMatchObject({ actor: 'session:Ana' });
  expect(await ben.page.evaluate(whoIs)).toMatchObject({ actor: 'session:Ben', scopes: ['read'] });
  const refused = await ben.page.evaluate(async () => (await fetch('/v1/api_keys')).status);
  expect(refused).toBe(403);
});

test('what is not accessible is named with its place', async () => {
  const { page } = await openDashboard({ at: '/settings/usage' });
  await page.evaluate(() => {
    const button = document.createElement('button');
    button.id = 'nameless';
    document.body.append(button);
  });
  await expect(expectAccessible(page)).rejects.toThrow(/button-name[\s\S]*#nameless/);
});
