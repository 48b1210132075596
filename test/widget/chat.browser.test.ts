import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { expectAccessible, WALKED_THEMES } from '../dashboard/dashboard.ts';
import { GREETING } from '../talks/talk-setup.ts';
import { until } from '../until.ts';
import { openScene, type Scene, type Visit, type VisitOptions } from './visitor.ts';

/** Visitors of another site's page write with an agent. */

const responder = scriptedResponder();
let scene: Scene;
let visits: Visit[];

beforeAll(async () => {
  scene = await openScene({ responder });
});
beforeEach(() => {
  responder.play(echo);
  visits = [];
});
afterEach(async () => {
  for (const { leave } of visits) await leave();
});
afterAll(() => scene?.stop());

async function visit(options: VisitOptions = {}): Promise<Visit> {
  const opened = await scene.visit(options);
  visits.push(opened);
  return opened;
}

const launcher = ({ page }: Visit) =>
  page.getByRole('button', { name: /Talk with|Mit .* sprechen/ });

async function open(options?: VisitOptions): Promise<Visit> {
  const opened = await visit(options);
  await launcher(opened).click();
  return opened;
}

async function write({ page }: Visit, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByLabel('Message').press('Enter');
}

const log = ({ page }: Visit) => page.getByRole('log');

test('the agent is named, greets with the first message, and answers', async () => {
  const visitor = await open();
  await visitor.page.getByRole('dialog', { name: 'The shop' }).waitFor();
  await visitor.page.getByText('Ask The shop anything.').waitFor();
  // Who only looks begins no conversation.
  expect((await scene.talks.read('/v1/conversations')).data).toEqual([]);
  await write(visitor, 'How much is it?');
  await log(visitor).getByText(GREETING).waitFor();
  await log(visitor).getByText('You said: How much is it?').waitFor();
  expect(await log(visitor).getByRole('listitem').count()).toBe(3);
});

test('nobody is asked anything before the panel is opened', async () => {
  const visitor = await visit();
  const asked: string[] = [];
  visitor.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visitor.page.reload();
  await launcher(visitor).waitFor();
  await visitor.page.waitForLoadState('networkidle');
  expect(asked.filter((path) => !/^\/(page-\d+|favicon.ico)$/.test(path))).toEqual(['/widget.js']);
});

test('a reply is seen as it is made', async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  responder.play(async ({ emitToken }) => {
    emitToken('It costs ');
    await held;
    emitToken('20 euros.');
    return { text: 'It costs 20 euros.' };
  });
  const visitor = await open();
  await write(visitor, 'How much is it?');
  await visitor.page.getByText('It costs', { exact: true }).waitFor();
  letGo();
  await log(visitor).getByText('It costs 20 euros.').waitFor();
});

test('a reload and the next page of the site go on with it, and the panel is as it was', async () => {
  const visitor = await open();
  await write(visitor, 'Remember me');
  await log(visitor).getByText('You said: Remember me').waitFor();
  await visitor.page.reload();
  await log(visitor).getByText('You said: Remember me').waitFor();
  await write(visitor, 'Still there?');
  await log(visitor).getByText('You said: Still there?').waitFor();
  const ready = visitor.came.filter(({ type }) => type === 'ready');
  expect(new Set(ready.map((frame) => frame['conversation_id'])).size).toBe(1);
  expect(ready.length).toBeGreaterThan(1);
  const kept = await visitor.page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)));
  expect(kept).not.toContain('Remember');

  await visitor.page.getByRole('button', { name: 'Close' }).click();
  await visitor.page.reload();
  await launcher(visitor).waitFor();
  expect(await visitor.page.getByRole('dialog').count()).toBe(0);
});

test('a network that goes and comes back: what was written meanwhile arrives, once', async () => {
  const visitor = await open({ expected: [/ERR_|WebSocket/] });
  await write(visitor, 'Before');
  await log(visitor).getByText('You said: Before').waitFor();
  scene.cut();
  await visitor.page.getByText('The connection was lost. Trying again').waitFor();
  await write(visitor, 'Meanwhile');
  scene.heal();
  await log(visitor).getByText('You said: Meanwhile').waitFor();
  expect(await log(visitor).getByText('You: Meanwhile', { exact: true }).count()).toBe(1);
  expect(await visitor.page.getByText('This message may not have been sent').count()).toBe(0);
});

test('a page of an origin that is not allowed is told so, and nothing more', async () => {
  await scene.talks.api.call('PATCH', `/v1/agents/${scene.talks.agentId}`, {
    json: { widget: { allowed_origins: ['https://other.example.com'] } },
  });
  try {
    const visitor = await open({ expected: [/403/] });
    await visitor.page.getByText('This assistant is not allowed on this page.').waitFor();
  } finally {
    await scene.talks.api.call('PATCH', `/v1/agents/${scene.talks.agentId}`, {
      json: { widget: { allowed_origins: [scene.origin] } },
    });
  }
});

test('where nobody can be reached the message is kept, and sent when it can', async () => {
  const visitor = await open({ expected: [/ERR_|WebSocket/] });
  await visitor.page.getByRole('dialog', { name: 'The shop' }).waitFor();
  scene.cut();
  await write(visitor, 'Anybody?');
  await visitor.page.getByText('There is no connection.').waitFor();
  scene.heal();
  await visitor.page.getByRole('button', { name: 'Try again' }).click();
  await log(visitor).getByText('You said: Anybody?').waitFor();
});

describe('what an agent says', () => {
  test('in Markdown is shown as such while it is made; what a visitor writes stays as it is', async () => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const parts = [
      '**Delivery** takes *fo',
      'ur* days:\n\n1. Order on the [shop page](https://shop.example/a)\n2. Pay\n\n| Size | Price |\n|---|---|\n| S | 10 € |',
    ];
    responder.play(async ({ emitToken }) => {
      emitToken(parts[0]!);
      await held;
      emitToken(parts[1]!);
      return { text: parts.join('') };
    });
    const visitor = await open();
    await write(visitor, '**How** [long](https://a.example)?');
    const coming = visitor.page.locator('.coming');
    await coming.getByText('Delivery', { exact: true }).waitFor();
    expect(await coming.textContent()).toBe('Delivery takes fo');
    expect(await coming.locator('strong, em').allTextContents()).toEqual(['Delivery', 'fo']);
    letGo();
    const bubble = log(visitor).getByRole('listitem').filter({ hasText: 'Delivery takes four' });
    await bubble.getByRole('cell', { name: '10 €' }).waitFor();
    expect(await bubble.locator('ol li').allTextContents()).toEqual([
      'Order on the shop page',
      'Pay',
    ]);
    const link = bubble.getByRole('link', { name: 'shop page' });
    expect(await link.getAttribute('href')).toBe('https://shop.example/a');
    await log(visitor).getByText('You: **How** [long](https://a.example)?').waitFor();
    await expectAccessible(visitor.page);
  });

  const HOSTILE = [
    '<img src=x onerror="document.title=1"> <script>document.title=2</script>',
    'javascript:alert(1) data:text/html,x [click](javascript:alert(2))',
    'https://bank.example@evil.example/ and https://help.example.com/a?b=c, or (http://127.0.0.1/x).',
    '<img src=y onerror="document.title=3"> behind them all',
  ].join('\n');

  test('stays text; web addresses alone are links, which tell nobody where one came from', async () => {
    responder.play(async () => ({ text: HOSTILE }));
    const visitor = await open();
    await write(visitor, 'Say it');
    await log(visitor).getByText('<script>document.title=2</script>').waitFor();
    const bubble = log(visitor).getByRole('listitem').last();
    expect(await bubble.textContent()).toBe(`The shop: ${HOSTILE}`);
    const links = await bubble
      .locator('a')
      .evaluateAll((all) =>
        all.map((link) => [link.getAttribute('href'), link.getAttribute('rel'), link.textContent]),
      );
    expect(links).toEqual([
      [
        'https://help.example.com/a?b=c',
        'noopener noreferrer nofollow',
        'https://help.example.com/a?b=c',
      ],
      ['http://127.0.0.1/x', 'noopener noreferrer nofollow', 'http://127.0.0.1/x'],
    ]);
    expect(await bubble.locator('img, script').count()).toBe(0);
    expect(await visitor.page.title()).toBe('A shop');
  });
});

describe('a page', () => {
  test('with the strictest policy shows all of it', async () => {
    const api = scene.url;
    const visitor = await open({
      headers: {
        'content-security-policy': [
          "default-src 'none'",
          `script-src ${api}`,
          `connect-src ${api} ${api.replace('http', 'ws')}`,
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ].join(';'),
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-opener-policy': 'same-origin',
      },
    });
    await write(visitor, 'Hello');
    await log(visitor).getByText('You said: Hello').waitFor();
    const style = await visitor.page
      .getByRole('dialog')
      .evaluate((panel) => getComputedStyle(panel).position);
    expect(style).toBe('fixed');
  });

  test('reaches into it by custom properties alone', async () => {
    const visitor = await open({
      body: '<style>* { color: red !important; display: block } :root { --parley-accent: rgb(10, 90, 10) }</style>',
    });
    const send = visitor.page.getByRole('button', { name: 'Send' });
    const colours = await send.evaluate((one) => {
      const { backgroundColor, color } = getComputedStyle(one);
      return { backgroundColor, color };
    });
    expect(colours).toEqual({ backgroundColor: 'rgb(10, 90, 10)', color: 'rgb(255, 255, 255)' });
  });

  test('in German has it in German; one that places the element itself has one', async () => {
    const visitor = await visit({
      lang: 'de-AT',
      embed: `<parley-widget agent="${scene.talks.agentId}" greeting="Servus!"></parley-widget>
        <script src="${scene.url}/widget.js" async></script>`,
    });
    await launcher(visitor).click();
    await visitor.page.getByText('Servus!').waitFor();
    await visitor.page.getByRole('button', { name: 'Schließen' }).waitFor();
    expect(await visitor.page.locator('parley-widget').count()).toBe(1);
  });

  test('may know its visitor: the token comes from its own server', async () => {
    const made = await scene.talks.talkToken({ user_id: 'u_7', variables: { name: 'Ada' } });
    const visitor = await visit({ data: { 'token-url': '/my-token' } });
    const session = { name: 'session', value: 'of-ada', url: scene.origin };
    await visitor.context.addCookies([session]);
    let cookie: string | undefined;
    await visitor.page.route('**/my-token', async (route) => {
      cookie = (await route.request().allHeaders())['cookie'];
      await route.fulfill({ status: 201, json: made.body });
    });
    await launcher(visitor).click();
    await write(visitor, 'Who am I?');
    await log(visitor).getByText('You said: Who am I?').waitFor();
    const [ready] = visitor.came;
    const conversation = await scene.talks.read(
      `/v1/conversations/${String(ready?.['conversation_id'])}`,
    );
    expect(conversation).toMatchObject({ user_id: 'u_7' });
    expect(cookie).toBe('session=of-ada');
  });
});

describe('somebody', () => {
  test('at the keyboard alone opens it, writes, closes it, and is where they were', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await launcher(visitor).waitFor();
    await page.getByRole('link', { name: 'A link of the page' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('alone');
    await page.keyboard.press('Enter');
    await log(visitor).getByText('You said: By keys alone').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await focused(page)).toBe('launcher');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'A link of the page',
    );
  });

  test('with a phone has it over the whole screen, and nothing of the page behind it', async () => {
    const visitor = await open({ viewport: { width: 360, height: 640 } });
    const { page } = visitor;
    await write(visitor, 'A word that is toolongforascreenofsuchawidth'.repeat(3));
    await log(visitor).getByText('You said: A word').waitFor();
    const panel = await page.getByRole('dialog').boundingBox();
    expect(panel).toEqual({ x: 0, y: 0, width: 360, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    // Behind it nothing takes the focus.
    for (let at = 0; at < 12; at += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('A');
    }
  });

  test.each(WALKED_THEMES)('finds it accessible in the %s', async (theme) => {
    const visitor = await visit({ theme });
    await launcher(visitor).waitFor();
    await expectAccessible(visitor.page);
    await launcher(visitor).click();
    responder.play(async () => ({ text: 'See https://help.example.com/ for it.' }));
    await write(visitor, 'Is it?');
    await log(visitor).getByText('See https').waitFor();
    await expectAccessible(visitor.page);
    const [ready] = visitor.came;
    await scene.talks.api.call(
      'POST',
      `/v1/conversations/${String(ready?.['conversation_id'])}/end`,
      {
        json: {},
      },
    );
    await visitor.page.getByText('The conversation has ended.').waitFor();
    await expectAccessible(visitor.page);
    await visitor.page.getByRole('button', { name: 'New conversation' }).click();
    await visitor.page.getByText('Ask The shop anything.').waitFor();
  });

  test('sees that a colleague is awaited, and that one answers with Markdown', async () => {
    const visitor = await open();
    await write(visitor, 'A person, please');
    await log(visitor).getByText('You said').waitFor();
    const id = String(visitor.came[0]?.['conversation_id']);
    const { api } = scene.talks;
    const asked = await api.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
    expect([asked.status, asked.text]).toEqual([201, expect.anything()]);
    await visitor.page.getByText('Waiting for a team member to join.').waitFor();
    const [escalation] = (await scene.talks.read('/v1/escalations')).data;
    const place = `/v1/escalations/${escalation.id}`;
    const accepted = await api.call('POST', `${place}/accept`, {
      json: { accepted_by: { id: 'ana', name: 'Ana' } },
    });
    expect(accepted.text).toContain('"accepted"');
    await visitor.page.getByText('A team member has joined.').waitFor();
    const said = await api.call('POST', `${place}/messages`, { json: { text: 'Ana **here**.' } });
    expect([said.status, said.text]).toEqual([200, expect.anything()]);
    await until(
      'the words of the colleague',
      async () => (await log(visitor).getByText('Team member: Ana here.').count()) === 1,
    );
    await log(visitor).locator('strong').getByText('here').waitFor();
  });
});

async function focused(page: Visit['page']): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className);
}
