import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import type { Responder } from '../../src/conversations/turns/responder.ts';
import { toUuid } from '../../src/ids.ts';
import { pressOfInputMethod } from './input-method.ts';
import {
  expectAccessible,
  follow,
  openDashboard,
  type Opened,
  WALKED_THEMES,
} from './dashboard.ts';

/** Any version is talked with, the reply is seen as it is made, and what it was made of beside it. */

const run = promisify(execFile);

/** Says which version it is; a message with "wait" is answered in two parts, the second when let go. */
let letGo: () => void;
let held: Promise<void>;
const responder: Responder = async ({ text, speaker, emitToken, signal }) => {
  const version = `I am version ${speaker.agentVersion}.`;
  emitToken(`${version} `);
  if (text.includes('long')) {
    emitToken(lines(1));
    await held;
    emitToken(lines(LINES + 1));
    return { text: lines(1) + lines(LINES + 1) };
  }
  if (text.includes('wait')) {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([held, stopped]);
    if (signal.aborted) return { text: version, interrupted: true };
  }
  emitToken('That is all.');
  return {
    text: `${version} That is all.`,
    latency: { model_ms: 40, tools_ms: 12 },
    model: {
      provider: 'default',
      name: 'stub-model',
      finish_reason: 'stop',
      steps: 2,
      usage: { input_tokens: 1_234, output_tokens: 56, cached_input_tokens: 0, estimated: false },
      cost: null,
      time_to_first_token_ms: 31,
    },
    toolTurns: [
      {
        text: '',
        toolCall: { id: 'tool_1', name: 'order_status', arguments: { order: 'T-1002' } },
        toolResult: { ok: true, content: { status: 'on its way' }, duration_ms: 12 },
      },
    ],
  };
};

const LINES = 60;

function lines(from: number): string {
  return Array.from({ length: LINES }, (_, at) => `line ${from + at}.\n`).join('');
}

let scene: Opened;

beforeAll(async () => {
  scene = await openDashboard({
    responder: { respond: responder, takesTime: async () => true },
  });
});

beforeEach(() => {
  held = new Promise((resolve) => {
    letGo = resolve;
  });
});

/** Version 1 is live, version 2 never was. */
async function newAgent(parley: ParleyClient): Promise<string> {
  const body = {
    prompt: 'Help {{name}}.',
    first_message: 'Hello {{name}}!',
    publish_policy: 'manual',
  } as const;
  const { id } = await ok(parley.POST('/v1/agents', { body }));
  const params = { path: { id } };
  await ok(parley.POST('/v1/agents/{id}/publish', { params, body: {} }));
  const { response } = await parley.GET('/v1/agents/{id}', { params });
  const header = { 'If-Match': response.headers.get('etag') ?? '' };
  await ok(
    parley.PATCH('/v1/agents/{id}', {
      params: { path: { id }, header },
      body: { prompt: 'Help {{name}} quickly.' },
    }),
  );
  return id;
}

test('a reply is seen as it comes, with what it was made of; nothing of it is told or counted', async () => {
  const { page, parley, pool } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  await page.getByLabel('name', { exact: true }).fill('Ada');
  await page.getByLabel('Message').fill('Please wait for it');
  const left = await pressOfInputMethod(page.getByLabel('Message'), 'Enter');
  expect(left).toBe('Please wait for it');
  await page.getByLabel('Message').press('Enter');

  const log = page.getByRole('log');
  await log.getByText('I am version 1.', { exact: true }).waitFor();
  await log.getByText('Hello Ada!').waitFor();
  expect(await log.getByText('That is all.').count()).toBe(0);
  letGo();
  await log.getByText('I am version 1. That is all.').waitFor();

  await log.getByText('order_status').waitFor();
  await log.getByText('"order": "T-1002"').waitFor();
  await log.getByText('"status": "on its way"').waitFor();
  await log.getByText('1,234 in, 56 out').waitFor();
  await log.getByText('31 ms').waitFor();
  await page.getByText(/Measured in this browser: first token \d/).waitFor();

  const conversationId = new URL(page.url()).searchParams.get('conversation') ?? '';
  const uuid = toUuid('conv', conversationId);
  const { rows } = await pool.query('select test from conversations where id = $1', [uuid]);
  expect(rows).toEqual([{ test: true }]);
  const query = { conversation_id: conversationId, test: true };
  const events = await ok(parley.GET('/v1/events', { params: { query } }));
  expect(events.data).toEqual([]);

  // The address has the talk: whoever opens it sees it.
  await page.reload();
  await log.getByText('I am version 1. That is all.').waitFor();
});

test('a reply is stopped, and what was said of it is kept', async () => {
  const { page, parley } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  await page.getByLabel('Message').fill('wait');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log').getByText('I am version 1.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('log').getByText('interrupted').waitFor();
  const conversationId = new URL(page.url()).searchParams.get('conversation') ?? '';
  const { turns } = await ok(
    parley.GET('/v1/conversations/{id}/transcript', { params: { path: { id: conversationId } } }),
  );
  expect(turns.at(-1)).toMatchObject({ role: 'agent', text: 'I am version 1.', interrupted: true });
  // And one can go on.
  await page.getByLabel('Message').fill('again');
  await page.getByLabel('Message').press('Enter');
  await page.getByRole('log').getByText('I am version 1. That is all.').waitFor();
});

test('the end is followed until the reader scrolls up, and again when they come back', async () => {
  const { page, parley } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  await page.getByLabel('Message').fill('a long one');
  await page.getByLabel('Message').press('Enter');
  const leftPx = () =>
    page.evaluate(() => document.documentElement.scrollHeight - window.scrollY - innerHeight);
  await page.getByText(`line ${LINES}.`).waitFor();
  await page.waitForFunction(() => window.scrollY > 500);
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, -400);
  await page.getByRole('button', { name: 'Scroll to the end' }).waitFor();
  // The wheel scrolls over several frames.
  const before = await page.evaluate(async () => {
    for (let last = NaN, still = 0; still < 10; last = window.scrollY) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = window.scrollY === last ? still + 1 : 0;
    }
    return window.scrollY;
  });
  letGo();
  await page.getByText(`line ${2 * LINES}.`).waitFor();
  await page.getByText(/Measured in this browser/).waitFor();
  expect(await page.evaluate(() => window.scrollY)).toBe(before);
  expect(await leftPx()).toBeGreaterThan(1_000);
  await page.getByRole('button', { name: 'Scroll to the end' }).click();
  await page.waitForFunction(
    () => document.documentElement.scrollHeight - window.scrollY - innerHeight < 400,
  );
});

test('the prompt is edited beside the conversation, saved as a draft and tried', async () => {
  const { page, parley } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  const prompt = page.getByLabel('Prompt of version 1');
  await page.getByText('Choose version 2 to edit the prompt.').waitFor();
  expect(await prompt.isEditable()).toBe(false);
  await page.getByRole('link', { name: 'Try version 2' }).click();
  await page.getByLabel('Prompt of version 2').fill('You answer at night.');
  await page.getByRole('button', { name: 'Save as a draft and try it' }).click();
  await page.getByLabel('Prompt of version 3').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Message').fill('Hello');
  await page.getByLabel('Message').press('Enter');
  await page.getByText('I am version 3. That is all.').waitFor();
  const params = { path: { id } };
  expect(await ok(parley.GET('/v1/agents/{id}', { params }))).toMatchObject({
    prompt: 'You answer at night.',
    active_version: 1,
    latest_version: 3,
  });
});

test('the same is asked of a version that never was live, and both are told what is said next', async () => {
  const { page, parley } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  await page.getByLabel('Message').fill('Where is my order?');
  await page.getByLabel('Message').press('Enter');
  await page.getByText('I am version 1. That is all.').waitFor();

  await page.getByLabel('Version', { exact: true }).selectOption('Version 2 · draft');
  await page.getByRole('button', { name: 'Repeat with version 2' }).click();
  const first = page.getByRole('region', { name: 'Talk with version 1' });
  const second = page.getByRole('region', { name: 'Talk with version 2' });
  await second.getByText('Where is my order?').waitFor();
  await second.getByText('I am version 2. That is all.').waitFor();
  await expectAccessible(page);

  await page.getByLabel('Message').fill('And now?');
  await page.getByLabel('Message').press('Enter');
  await first.getByText('And now?').waitFor();
  await second.getByText('And now?').waitFor();
  await second.getByText('I am version 2. That is all.').nth(1).waitFor();
  await first.getByText('I am version 1. That is all.').nth(1).waitFor();
});

test('a message is copied as curl, which says it again with the key of the environment', async () => {
  const { page, parley, apiKey, server } = scene;
  const id = await newAgent(parley);
  await follow(page, `/agents/${id}/playground`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const said = `it's "quoted" $HOME \`date\` \\ done`;
  await page.getByLabel('Message').fill(said);
  await page.getByLabel('Message').press('Enter');
  await page.getByText('I am version 1. That is all.').waitFor();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied as curl').waitFor();
  const command = await page.evaluate(async () => navigator.clipboard.readText());
  expect(command).toContain(`${server.url}/v1/conversations/conv_`);
  expect(command).toContain('$PARLEY_API_KEY');
  expect(command).not.toMatch(/parley_[A-Za-z0-9]/);
  const env = { ...process.env, PARLEY_API_KEY: apiKey };
  const { stdout } = await run('sh', ['-c', command], { env });
  expect(stdout).toContain('event: done');
  await page.getByRole('log').getByText(said).nth(1).waitFor();
});

test.each(WALKED_THEMES)('the page is accessible, %s', async (theme) => {
  const id = await newAgent(scene.parley);
  const { page } = await openDashboard({ at: `/agents/${id}/playground`, theme });
  await page.getByLabel('Message').fill('Hello');
  await expectAccessible(page);
  await page.getByLabel('Message').press('Enter');
  await page.getByText('I am version 1. That is all.').waitFor();
  await expectAccessible(page);
});
