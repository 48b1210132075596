import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { startMediaSpeech, type MediaSpeech } from '../calls/phone/media-speech.ts';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { until } from '../until.ts';
import { holdMicrophone } from '../widget/microphone.ts';
import type { Page } from 'playwright-core';
import { expectAccessible, openDashboard, type Opened } from './dashboard.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** Somebody speaks with an agent in the playground. */

const GREETING = 'Hello, this is the shop.';
const QUESTION = 'How much is Tide 500?';
const INTERRUPTION = 'Stop, please.';
const LONG = 'It is a long story that nobody wants to hear to its end, but I tell it. '.repeat(15);

const responder = scriptedResponder();
let speech: MediaSpeech;
let scene: Opened;

beforeAll(async () => {
  speech = await startMediaSpeech();
  scene = await openDashboard({ responder });
  const body = {
    name: 'speech',
    base_url: speech.url,
    speech: { default_model: 'tts-1', default_voice: 'alloy' },
    transcription: { default_model: 'whisper-1' },
  };
  await ok(scene.parley.POST('/v1/model_providers', { body }));
  await scene.server.engine.settled('ModelProvider', 'speech', scene.namespace);
});
beforeEach(() => responder.play(echo));
afterAll(() => speech?.stop());

const SPOKEN = { voice: { provider: 'speech' }, transcriber: { provider: 'speech' } };

async function newAgent(parley: ParleyClient, spoken: object = SPOKEN): Promise<string> {
  const body = { prompt: 'Sell to {{name}}.', first_message: GREETING, ...spoken };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

test('an agent is talked with, interrupted, and each reply has how long it took', async () => {
  responder.play(async ({ text, emitToken }) => {
    const reply = text === QUESTION ? LONG : 'Yes.';
    emitToken(reply);
    return { text: reply };
  });
  const id = await newAgent(scene.parley);
  const { page } = await openDashboard({ at: `/agents/${id}/playground` });
  const say = await holdMicrophone(page);
  await page.getByLabel('name', { exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Talk by voice' });
  await bar.getByText('Listening').waitFor();
  const seen = await watchBar(page);
  const log = page.getByRole('log');
  await log.getByText(GREETING).waitFor();
  await say(speech.utter(QUESTION, 0.9));
  await log.getByText(QUESTION).waitFor();
  await bar.getByText('The agent is speaking. You can interrupt it.').waitFor();
  await say(speech.utter(INTERRUPTION, 0.9));
  await log.getByText('interrupted').waitFor();
  await log.getByText(INTERRUPTION).waitFor();
  await log.getByText('Yes.', { exact: true }).waitFor();
  await bar
    .getByText(/recognition .+s → model .+s → synthesis .+s = .+s/)
    .first()
    .waitFor();
  await bar.getByText(/· interrupted/).waitFor();
  await expectAccessible(page);
  expect((await seen()).said).toContain('The agent is speaking. You can interrupt it.');
  expect((await seen()).levels.every((level) => level > 0.3)).toBe(true);

  await bar.getByRole('button', { name: 'Stop talking' }).click();
  await page.getByText('The conversation has ended.').waitFor();
  const conversationId = new URL(page.url()).searchParams.get('conversation') ?? '';
  const path = { id: conversationId };
  const conversation = await ok(scene.parley.GET('/v1/conversations/{id}', { params: { path } }));
  expect(conversation).toMatchObject({
    channel: 'web_voice',
    test: true,
    variables: { name: 'Ada' },
    ended_reason: 'user_hangup',
  });
});

type Seen = { said: string[]; levels: [you: number, agent: number] };

/** What the bar showed from now on, however short: its states, and the most of both meters. */
async function watchBar(page: Page): Promise<() => Promise<Seen>> {
  await page.evaluate(() => {
    const seen: Seen = { said: [], levels: [0, 0] };
    Object.assign(globalThis, { seen });
    const bar = document.querySelector('.voice')!;
    new MutationObserver(() => {
      seen.said.push(bar.querySelector('[role=status]')?.textContent ?? '');
      bar.querySelectorAll<HTMLElement>('.voice-meter > i').forEach((meter, at) => {
        const level = Number(/[\d.]+/.exec(meter.style.transform)?.[0] ?? 0);
        seen.levels[at] = Math.max(seen.levels[at]!, level);
      });
    }).observe(bar, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
}

test.runIf(IS_NIGHTLY)('one may write as well, and a page that is left hangs up', async () => {
  const id = await newAgent(scene.parley);
  const { page } = await openDashboard({ at: `/agents/${id}/playground` });
  await holdMicrophone(page);
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await page.getByText('Listening').waitFor();
  await page.getByLabel('Message').fill('Written');
  await page.getByLabel('Message').press('Enter');
  // Stored and still growing, the reply may stand there twice for a moment.
  const reply = page.getByRole('log').getByText('You said: Written');
  await until('the reply, once', async () => (await reply.count()) === 1);
  const conversationId = new URL(page.url()).searchParams.get('conversation') ?? '';
  await page.getByRole('link', { name: 'Versions' }).click();
  const path = { id: conversationId };
  await until('the call to end', async () => {
    const read = scene.parley.GET('/v1/conversations/{id}', { params: { path } });
    return (await ok(read)).ended_reason === 'user_hangup';
  });
});

test('who may not write sees no Talk, nor does an agent without own speech have one', async () => {
  const id = await newAgent(scene.parley);
  const reader = await openDashboard({ at: `/agents/${id}/playground`, scopes: ['read'] });
  await reader.page.getByText('Talking requires an API key').waitFor();
  expect(await reader.page.getByRole('button', { name: 'Talk', exact: true }).count()).toBe(0);

  const mute = await newAgent(scene.parley, {});
  const { page } = await openDashboard({ at: `/agents/${mute}/playground` });
  await page.getByLabel('Message').waitFor();
  expect(await page.getByRole('button', { name: 'Talk', exact: true }).count()).toBe(0);
});

test('an agent whose speech provider or model is missing says so in the playground', async () => {
  const lost = { voice: { provider: 'nosuch' }, transcriber: { provider: 'speech' } };
  const id = await newAgent(scene.parley, lost);
  const { page } = await openDashboard({ at: `/agents/${id}/playground` });
  await page
    .getByText('Voice is not set up: the voice’s model provider “nosuch” does not exist.')
    .waitFor();
  expect(await page.getByRole('button', { name: 'Talk', exact: true }).count()).toBe(0);
  await page.getByText('This agent has no model.').waitFor();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Connect a model' }).click();
  await page.waitForURL(/settings\/providers\/new/);
});

test('a voice is chosen among the providers, heard, and saved with the transcriber', async () => {
  const id = await newAgent(scene.parley, {});
  const { page } = await openDashboard({ at: `/agents/${id}?edit=1` });
  const played = await watchSound(page);
  await page.getByText('Voice', { exact: true }).first().click();
  const hear = page.getByRole('button', { name: 'Hear it' });
  expect(await hear.isDisabled()).toBe(true);
  await page.getByLabel('Speech provider').selectOption('speech');
  await page.getByLabel('Voice', { exact: true }).fill('nova');
  await page.getByLabel('Speed').fill('9');
  await page.getByLabel('Sample sentence').fill('We open at nine.');
  await hear.click();
  await page.getByText('speed: must be at most 4').waitFor();
  await page.getByLabel('Speed').fill('1.5');
  await hear.click();
  await page.getByText('Played.').waitFor();
  expect((await played())[0]).toBeGreaterThan(0);
  await page.getByLabel('Transcription provider').selectOption('speech');
  await page.getByLabel('Words that are hard to recognize').fill('Tide 500\n\n Harbour ');
  await page.getByRole('button', { name: 'Add a fallback' }).first().click();
  await page.getByLabel('Fallback 1: voice').fill('echo');
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('version 2 is live').first().waitFor();
  const path = { id };
  expect(await ok(scene.parley.GET('/v1/agents/{id}', { params: { path } }))).toMatchObject({
    voice: { provider: 'speech', voice_id: 'nova', speed: 1.5, fallback: [{ voice_id: 'echo' }] },
    transcriber: { provider: 'speech', keywords: ['Tide 500', 'Harbour'] },
  });
});

/** Durations in seconds of what the page plays by Web Audio from now on. */
async function watchSound(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const durations: number[] = [];
    Object.assign(globalThis, { durations });
    const { prototype } = AudioBufferSourceNode;
    const start = Reflect.get(prototype, 'start');
    prototype.start = function started(this: AudioBufferSourceNode, ...args: [number?]) {
      durations.push(this.buffer?.duration ?? 0);
      start.apply(this, args);
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { durations: number[] }).durations);
}

test('an agent’s page says who may embed it, and has the script to copy', async () => {
  const id = await newAgent(scene.parley);
  const { page } = await openDashboard({ at: `/agents/${id}` });
  await page.getByText('No page may embed this agent yet').waitFor();
  // It leads to the field.
  await page.getByRole('link', { name: 'Allow web pages' }).click();
  await page
    .getByLabel('Web pages that may embed this agent')
    .fill('https://shop.example.com/path');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText(/^0: must be an origin/).waitFor();
  const origins = page.getByLabel('Web pages that may embed this agent');
  expect(await origins.getAttribute('aria-invalid')).toBe('true');
  await origins.fill('https://shop.example.com\nhttp://localhost:3000');
  await page.getByLabel('Maximum concurrent visitors').fill('7');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText(/https:\/\/shop.example.com, http:\/\/localhost:3000 may talk/).waitFor();
  const script = await page.getByLabel('Widget script').textContent();
  expect(script).toBe(
    `<script src="${scene.server.url}/widget.js" data-agent="${id}" async></script>`,
  );
  await expectAccessible(page);
  const read = () => ok(scene.parley.GET('/v1/agents/{id}', { params: { path: { id } } }));
  await scene.server.engine.settled('Agent', (await read()).name, scene.namespace);
  expect(await read()).toMatchObject({
    latest_version: 1,
    widget: {
      allowed_origins: ['https://shop.example.com', 'http://localhost:3000'],
      max_concurrent: 7,
    },
  });
});
