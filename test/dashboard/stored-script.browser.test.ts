import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import type { Responder } from '../../src/conversations/turns/responder.ts';
import { toUuid } from '../../src/ids.ts';
import { follow, NOWHERE, openDashboard, type Opened } from './dashboard.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/**
 * Script in whatever comes from outside: users, models, tools, receivers, manifests, colleagues. On every
 * page that shows it, it stands there as the text it is, and nothing runs, loads or leads away.
 */

/** Both forms that browsers run when text becomes markup; short, since names are. */
const evil = (what: string): string =>
  `<img src=x onerror=ran=1><script>ran=1</script><b>${what}</b>`;
const SCRIPT_URL = 'javascript:ran=1';
/** The whole of a scene, on a machine that has others to do. */
const SCENE_MS = 60_000;
const SHOWN_MS = 30_000;

/** What a model makes of it, with what a tool was asked and what it answered. */
const responder: Responder = async ({ text, emitToken }) => {
  emitToken(evil('the reply'));
  return {
    text: evil('the reply'),
    ...(text.includes('question') && {
      unanswered: { question: text, topScore: 0.1, closest: [] },
    }),
    toolTurns: [
      {
        text: '',
        toolCall: { id: 'tool_1', name: 'look_up', arguments: { q: evil('an argument') } },
        toolResult: { ok: true, content: { [evil('a member')]: evil('a result') }, duration_ms: 1 },
      },
    ],
  };
};

type Scene = Record<
  | 'agent'
  | 'broken'
  | 'conversation'
  | 'escalation'
  | 'source'
  | 'openGap'
  | 'answered'
  | 'endpoint'
  | 'delivery'
  | 'event'
  | 'call',
  string
>;

let person: Opened;
let scene: Scene;

beforeAll(async () => {
  person = await openDashboard({
    name: `<img src=x onerror=ran=1>`,
    responder: { respond: responder, takesTime: async () => true },
  });
  scene = await setScene(person);
  await person.page.goto('/nowhere');
}, SCENE_MS);

async function setScene(opened: Opened): Promise<Scene> {
  const { parley, receiver, server } = opened;
  receiver.answer((_, response) => void response.writeHead(500).end(evil('the answer')));
  const agents = await setAgents(opened);
  const webhook = await setEndpoint(parley, receiver.url);
  const { id: source } = await ok(
    parley.POST('/v1/knowledge/sources', {
      body: { type: 'text', name: 'hours', text: `# ${evil('a heading')}\n\nWe open at nine.` },
    }),
  );
  await ok(parley.POST('/v1/api_keys', { body: { name: evil('a key'), scopes: ['read'] } }));
  const talk = await setTalk(parley, agents.agent);
  // Of another agent: to one the two are nearly the same question.
  await ask(parley, agents.broken, ['an answered question']);
  const { id: call } = await ok(
    parley.POST('/v1/calls', {
      body: { agent_id: agents.agent, to: '+34600111222', metadata: { crm: evil('of a call') } },
    }),
  );
  const gaps = await server.engine.eventually(async () => {
    const { data } = await ok(parley.GET('/v1/knowledge/gaps'));
    return data.length === 2 && data;
  });
  const gap = (what: string): string => gaps.find(({ question }) => question.includes(what))!.id;
  const [openGap, answered] = [gap('open question'), gap('answered question')];
  await ok(
    parley.POST('/v1/knowledge/gaps/{id}/resolve', {
      params: { path: { id: answered } },
      body: { answer: evil('an answer') },
    }),
  );
  await setUnready(opened, agents.broken);
  return { ...agents, ...webhook, ...talk, source, openGap, answered, call };
}

/** Not ready, for a reason that quotes what was declared. */
async function setUnready({ parley, pool, server, namespace }: Opened, id: string): Promise<void> {
  const { name } = await ok(parley.GET('/v1/agents/{id}', { params: { path: { id } } }));
  await server.engine.settled('Agent', name, namespace);
  // As the operator projects the condition of an object in Kubernetes.
  const { rowCount } = await pool.query(
    `UPDATE agents SET ready = false, reason = 'SourceNotFound', message = $2 WHERE id = $1`,
    [toUuid('agt', id), evil('a condition')],
  );
  expect(rowCount).toBe(1);
}

/** One with all its words, and another. */
async function setAgents({ parley }: Opened) {
  const body = {
    display_name: evil('an agent'),
    prompt: evil('a prompt'),
    first_message: evil('a greeting'),
    metadata: { note: evil('metadata') },
  };
  const { id: agent } = await ok(parley.POST('/v1/agents', { body }));
  const params = { path: { id: agent } };
  await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: evil('another prompt') } }));
  const { id: broken } = await ok(parley.POST('/v1/agents', { body: { prompt: 'Help.' } }));
  return { agent, broken };
}

async function setEndpoint(parley: ParleyClient, url: string) {
  const body = { url: `${url}?q=<b>of-a-url</b>`, description: evil('an endpoint') };
  const { id: endpoint } = await ok(parley.POST('/v1/webhooks', { body }));
  const params = { path: { id: endpoint } };
  const sent = await ok(parley.POST('/v1/webhooks/{id}/test', { params, body: {} }));
  if (!('delivery_id' in sent)) throw new Error('nothing was sent');
  return { endpoint, delivery: sent.delivery_id };
}

async function setTalk(parley: ParleyClient, agentId: string) {
  const body = {
    agent_id: agentId,
    user_id: evil('a user'),
    metadata: { plan: evil('a plan') },
  };
  const { id: conversation } = await ok(parley.POST('/v1/conversations', { body }));
  const params = { path: { id: conversation } };
  await say(parley, conversation, ['an open question', 'a message']);
  const { id: escalation } = await ok(
    parley.POST('/v1/conversations/{id}/escalate', { params, body: { reason: evil('a reason') } }),
  );
  const { data } = await ok(
    parley.GET('/v1/events', { params: { query: { conversation_id: conversation } } }),
  );
  const event = data.find(({ type }) => type === 'escalation.requested')!.id;
  return { conversation, escalation, event };
}

async function ask(parley: ParleyClient, agentId: string, texts: string[]): Promise<void> {
  const body = { agent_id: agentId };
  await say(parley, (await ok(parley.POST('/v1/conversations', { body }))).id, texts);
}

async function say(parley: ParleyClient, id: string, texts: string[]): Promise<void> {
  const params = { path: { id } };
  for (const text of texts.map(evil)) {
    await ok(parley.POST('/v1/conversations/{id}/messages', { params, body: { text } }));
  }
}

/** Whatever a page may do on its own behalf that it was not written to do. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/x')) seen.push(`request: ${request.url()}`);
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) seen.push(`frame: ${frame.url()}`);
  });
  return seen;
}

/** Nothing ran, and nothing stands there that could. Violations of the policy: test/dashboard/dashboard.ts. */
async function expectInert(page: Page, seen: readonly string[]): Promise<void> {
  const found = await page.evaluate(() => ({
    hasRun: 'ran' in globalThis,
    elements: [
      ...document.body.querySelectorAll(
        'img, iframe, object, embed, form[action], [src="x"], [onerror], [srcdoc], b',
      ),
    ].map(({ outerHTML }) => outerHTML),
    leading: [...document.body.querySelectorAll<HTMLAnchorElement>('a[href]')]
      .map(({ href }) => href)
      .filter((href) => new URL(href).origin !== location.origin),
  }));
  expect({ ...found, seen }).toEqual({ hasRun: false, elements: [], leading: [], seen: [] });
}

/** Of these texts, what is not on the page as text; boxes and what is folded away count. Runs in the page. */
function missing(texts: readonly string[]): string[] {
  const boxes = document.querySelectorAll<HTMLInputElement>('input, textarea');
  const all = [document.body.textContent, ...[...boxes].map(({ value }) => value)].join('\n');
  return texts.filter((text) => !all.includes(text));
}

async function expectShown(page: Page, texts: readonly string[]): Promise<void> {
  const endMs = performance.now() + SHOWN_MS;
  let left = await page.evaluate(missing, texts);
  while (left.length > 0 && performance.now() < endMs) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    left = await page.evaluate(missing, texts);
  }
  expect({ at: page.url(), left }).toEqual({ at: page.url(), left: [] });
}

type Shown = [address: (scene: Scene) => string, ...texts: string[]];

/** Every page that shows what somebody else wrote, with what of it. */
const PAGES: Shown[] = [
  [() => '/', 'an agent'],
  [() => '/agents', 'an agent'],
  [({ agent }) => `/agents/${agent}`, 'an agent', 'another prompt', 'a greeting'],
  [({ agent }) => `/agents/${agent}?edit=1`, 'another prompt', 'a greeting', 'metadata'],
  [({ agent }) => `/agents/${agent}?version=1`, 'a prompt'],
  [({ agent }) => `/agents/${agent}/versions`, 'an agent'],
  [({ agent }) => `/agents/${agent}/activations`, 'an agent'],
  [({ agent }) => `/agents/${agent}/figures`, 'an agent'],
  [({ agent }) => `/agents/${agent}/playground`, 'a greeting'],
  [
    ({ agent, conversation }) => `/agents/${agent}/playground?conversation=${conversation}`,
    'a message',
    'the reply',
    'an argument',
    'a result',
    'a member',
  ],
  [({ broken }) => `/agents/${broken}`, 'a condition'],
  [() => '/conversations', 'a user', 'an agent'],
  [() => '/conversations?q=message', 'a user'],
  [
    ({ conversation }) => `/conversations/${conversation}`,
    'a user',
    'a plan',
    'a message',
    'the reply',
    'an argument',
    'a result',
    'a member',
  ],
  [() => '/escalations', 'a reason'],
  [({ escalation }) => `/escalations/${escalation}`, 'a reason', 'a message', 'the reply'],
  [({ source }) => `/knowledge/sources/${source}`, 'a heading'],
  [() => '/knowledge/search?q=open%20nine', 'a heading'],
  [() => '/knowledge/gaps', 'an open question'],
  [({ openGap }) => `/knowledge/gaps/${openGap}`, 'an open question', 'an agent'],
  [({ answered }) => `/knowledge/gaps/${answered}`, 'an answered question', 'an answer'],
  [({ endpoint }) => `/webhooks/${endpoint}`, 'an endpoint'],
  [({ delivery }) => `/webhooks/deliveries/${delivery}`, 'the answer'],
  [({ event }) => `/webhooks/events/${event}`, 'a reason'],
  [({ call }) => `/calls/${call}`, 'of a call'],
  [() => '/settings', 'a key'],
];

describe('script in what others wrote is shown as the text it is, and does nothing', () => {
  const shownPages = PAGES.filter((_, at) => IS_NIGHTLY || at % 3 === 0);
  test.each(shownPages.map((shown) => [shown[0].toString().split('=> ')[1]!, shown] as const))(
    '%s',
    async (_, [address, ...texts]) => {
      const { page } = person;
      const seen = watch(page);
      await follow(page, address(scene));
      await expectShown(page, texts.map(evil));
      await expectInert(page, seen);
      page.removeAllListeners();
    },
  );

  test('the name of who is signed in, in the shell, the sessions and the audit log', async () => {
    const { page } = person;
    const seen = watch(page);
    const name = '<img src=x onerror=ran=1>';
    await follow(page, '/settings/sessions');
    await expectShown(page, [`End ${name}’s session`]);
    await follow(page, '/settings/audit');
    await page.getByRole('button', { name: /^Show/ }).first().click();
    await page.getByRole('dialog').waitFor();
    await expectShown(page, [name]);
    await expectInert(page, seen);
  });
});

test('an address with script in place of an id or a filter is no more than an address', async () => {
  const { page } = person;
  const seen = watch(page);
  const id = encodeURIComponent(evil('an id'));
  const at = ['agents', 'conversations', 'escalations', 'knowledge/sources', 'knowledge/gaps'];
  const more = ['webhooks', 'webhooks/deliveries', 'webhooks/events', 'calls'];
  // Loaded as by a link from elsewhere, then followed.
  await page.goto(`/${at[0]}/${id}`);
  await page.getByRole('alert').first().waitFor();
  await expectInert(page, seen);
  for (const path of [...at, ...more].map((one) => `/${one}/${id}`)) {
    await follow(page, path);
    await page.getByRole('alert').first().waitFor();
    await expectInert(page, seen);
  }
  await page.goto(`/nothing/${id}`);
  await page.getByText(NOWHERE).waitFor();
  await expectInert(page, seen);
  for (const list of [
    'agents',
    'conversations',
    'calls',
    'webhooks/deliveries',
    'settings/audit',
  ]) {
    const names = ['q', 'status', 'user_id', 'agent_id', 'action', 'actor', 'managed_by', 'days'];
    await follow(page, `/${list}?${names.map((name) => `${name}=${id}`).join('&')}`);
    await page.locator('main h1').waitFor();
    await expectInert(page, seen);
  }
});

test('an address that is a script is refused wherever one is declared', async () => {
  const { call } = person;
  const agent = (url: string) => ({
    prompt: 'Help.',
    tools: [{ type: 'webhook', name: 'a', url }],
  });
  const website = (url: string) => ({ type: 'website', name: 'site', url });
  const bodies: [string, object][] = [
    ['/v1/webhooks', { url: SCRIPT_URL }],
    ['/v1/model_providers', { base_url: SCRIPT_URL }],
    ['/v1/agents', agent(SCRIPT_URL)],
    ['/v1/knowledge/sources', website(SCRIPT_URL)],
    ['/v1/webhooks', { url: 'https://example.com/', headers: { [evil('x')]: 'x' } }],
  ];
  for (const [path, json] of bodies) {
    const { status } = await call('POST', path, { json });
    expect({ path, status }).toEqual({ path, status: 422 });
  }
});

test('what is saved has a file name of our own letters, whoever is in it', async () => {
  const { page } = person;
  await follow(page, `/conversations/${scene.conversation}`);
  for (const [form, ending] of [
    ['JSON', 'json'],
    ['Text', 'txt'],
  ] as const) {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: form, exact: true }).click();
    expect((await saved).suggestedFilename()).toBe(`${scene.conversation}.${ending}`);
  }
  await follow(page, `/conversations?user_id=${encodeURIComponent(evil('a user'))}`);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  expect((await saved).suggestedFilename()).toMatch(/^conversations-[\dT-]+\.ndjson$/);
});
