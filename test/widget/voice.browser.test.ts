import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeMuLaw } from '../../src/voice/audio/mu-law.ts';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { expectAccessible } from '../dashboard/accessible.ts';
import { GREETING } from '../talks/talk-setup.ts';
import { until } from '../until.ts';
import { holdMicrophone, saidAfter } from './microphone.ts';
import { openScene, type Scene, type Visit, type VisitOptions } from './visitor.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** Visitors of another site's page speak with an agent, by a microphone that hears a file. */

const QUESTION = 'How much is Tide 500?';
const INTERRUPTION = 'Stop, please.';
const LONG = 'It is a long story that nobody wants to hear to its end, but I tell it. '.repeat(15);

/** For what takes seconds of sound: asking costs the machine as much as the sound does. */
const SELDOM = { everyMs: 200 };

const responder = scriptedResponder();
let scene: Scene;
let visits: Visit[];

beforeAll(async () => {
  scene = await openScene({
    responder,
    microphone: ({ speech }) => saidAfter([4.5, speech.utter(QUESTION, 0.9)]),
  });
});
beforeEach(() => {
  responder.play(echo);
  visits = [];
});
afterEach(async () => {
  for (const { leave } of visits) await leave();
});
afterAll(() => scene?.stop());

async function speak(options: VisitOptions = {}): Promise<Visit> {
  const visitor = await scene.visit(options);
  visits.push(visitor);
  await begin(visitor);
  return visitor;
}

async function begin({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Talk with' }).click();
  await page.getByRole('button', { name: 'Speak', exact: true }).click();
}

/** Like `speak`, but the visitor says nothing until `say` is called. */
async function speakOnSignal(): Promise<{ visitor: Visit; say: (text: string) => Promise<void> }> {
  const visitor = await scene.visit();
  visits.push(visitor);
  const hear = await holdMicrophone(visitor.page);
  await begin(visitor);
  await log(visitor).getByText(GREETING).waitFor();
  return { visitor, say: (text) => hear(scene.talks.speech.utter(text, 0.9)) };
}

const log = ({ page }: Visit) => page.getByRole('log');

const panelText = ({ page }: Visit): Promise<string> =>
  page
    .locator('parley-widget')
    .evaluate(({ shadowRoot }) => shadowRoot!.querySelector('.layer')!.textContent);

/** The sentences that went to the loudspeaker so far: each is a level of its own. */
async function heard({ page }: Visit): Promise<string[]> {
  const means = await page.evaluate(() => (globalThis as unknown as { heard: number[] }).heard);
  const names = means
    .map((mean) => scene.talks.speech.sentenceOf(encodeMuLaw(Int16Array.of(mean * 32_768))[0]!))
    .filter((name) => name !== undefined);
  // An edge of one looks like another for a moment.
  return names.filter((name, at) => name === names[at - 1] && name !== names[at - 2]);
}

/** What the status said from now on, however short. */
async function watchStates({ page }: Visit): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const states: string[] = [];
    Object.assign(globalThis, { states });
    const root = document.querySelector('parley-widget')!.shadowRoot!;
    const status = root.querySelector('[role=status]')!;
    new MutationObserver(() => states.push(status.textContent)).observe(status, {
      childList: true,
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { states: string[] }).states);
}

/** What the worklets were told. */
const orders = ({ page }: Visit): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { orders: string[] }).orders);

/** `live` or `ended`, of each microphone that the page opened. */
const microphones = ({ page }: Visit): Promise<string[]> =>
  page.evaluate(() => {
    const opened = globalThis as unknown as { microphones: MediaStreamTrack[] };
    return opened.microphones.map(({ readyState }) => readyState);
  });

const playedMarks = ({ sent }: Visit) => sent.filter(({ type }) => type === 'played').length;

test('a visitor hears the greeting, is heard, and hears the answer', async () => {
  const visitor = await speak();
  const { page } = visitor;
  await page.getByText('Microphone on').waitFor();
  await log(visitor).getByText(`You: ${QUESTION}`).waitFor();
  await log(visitor).getByText(`You said: ${QUESTION}`).waitFor();
  await until(
    'the answer to be heard',
    async () => (await heard(visitor)).includes(`You said: ${QUESTION}`),
    SELDOM,
  );
  expect((await heard(visitor))[0]).toBe(GREETING);
  await page.getByText('Listening. Say something.').waitFor();
  await until('the marks of both', async () => playedMarks(visitor) >= 2);
  await expectAccessible(page);
  // 20 ms each: in larger ones whoever interrupts is heard late.
  expect(new Set(visitor.sounds)).toEqual(new Set([640]));

  expect(await microphones(visitor)).toEqual(['live']);
  await page.getByRole('button', { name: 'Hang up' }).click();
  await page.getByText('The conversation has ended.').waitFor();
  expect(await microphones(visitor)).toEqual(['ended']);
  expect(await page.getByText('Microphone on').isVisible()).toBe(false);
  const id = String(visitor.came.find(({ type }) => type === 'ready')?.['conversation_id']);
  await until('the end', async () => {
    const { ended_reason: reason } = await scene.talks.read(`/v1/conversations/${id}`);
    return reason === 'user_hangup';
  });
  expect(await scene.talks.transcript(id)).toEqual([
    `agent: ${GREETING}`,
    `user: ${QUESTION}`,
    `agent: You said: ${QUESTION}`,
  ]);
});

test('who speaks into an answer stops it at once, and sees what was heard of it', async () => {
  responder.play(async ({ text, emitToken }) => {
    const reply = text === QUESTION ? LONG : 'Yes.';
    emitToken(reply);
    return { text: reply };
  });
  const { visitor, say } = await speakOnSignal();
  const states = await watchStates(visitor);
  await say(QUESTION);
  await log(visitor).getByText(`You: ${QUESTION}`).waitFor();
  await visitor.page.getByText('Speaking. You can interrupt.').waitFor();
  await say(INTERRUPTION);
  await log(visitor).getByText('(interrupted)').waitFor();
  await log(visitor).getByText(`You: ${INTERRUPTION}`).waitFor();
  await log(visitor).getByText('Yes.').waitFor();
  expect(visitor.came.some(({ type }) => type === 'clear')).toBe(true);
  // What had been sent ahead is dropped.
  expect(await orders(visitor)).toContain('clear');
  const cut = await log(visitor).getByText('(interrupted)').textContent();
  expect(cut!.length).toBeLessThan(LONG.length);
  expect(await states()).toContain('Speaking. You can interrupt.');
});

test('the microphone is closed with the panel, and with the page', async () => {
  const visitor = await speak();
  const { page } = visitor;
  await page.getByText('Microphone on').waitFor();
  await log(visitor).getByText(GREETING).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await microphones(visitor)).toEqual(['ended']);
  await until('the call to end', async () => {
    const { data } = await scene.talks.read('/v1/calls?status=in_progress');
    return data.length === 0;
  });

  await page.getByRole('button', { name: 'Talk with' }).click();
  // Until the server confirms the end, the panel has another button whose name contains these words.
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await page.getByRole('button', { name: 'Speak', exact: true }).click();
  // The panel may show `Listening` only briefly, because the microphone plays its file in a loop.
  await until(
    async () => `Microphone on; the panel shows: ${await panelText(visitor)}`,
    () => page.getByText('Microphone on').isVisible(),
    { ...SELDOM, timeoutMs: 30_000 },
  );
  await until('the second call', async () => {
    const { data } = await scene.talks.read('/v1/calls?status=in_progress');
    return data.length === 1;
  });
  await page.goto('about:blank');
  await until('the call to end', async () => {
    const { data } = await scene.talks.read('/v1/calls?status=in_progress');
    return data.length === 0;
  });
});

test('the microphone is closed when the server ends the talk', async () => {
  const visitor = await speak();
  await log(visitor).getByText(GREETING).waitFor();
  const id = String(visitor.came.find(({ type }) => type === 'ready')?.['conversation_id']);
  await scene.talks.api.call('POST', `/v1/conversations/${id}/end`, { json: {} });
  await visitor.page.getByText('The conversation has ended.').waitFor();
  expect(await microphones(visitor)).toEqual(['ended']);
});

test('who closes the panel while the browser asks is not listened to when they allow it', async () => {
  const visitor = await scene.visit();
  visits.push(visitor);
  const { page } = visitor;
  await page.evaluate(() => {
    const { mediaDevices } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    const allowed = new Promise((resolve) => Object.assign(globalThis, { allow: resolve }));
    mediaDevices.getUserMedia = async (wanted) => {
      await allowed;
      return ask(wanted);
    };
  });
  await page.getByRole('button', { name: 'Talk with' }).click();
  await page.getByRole('button', { name: 'Speak', exact: true }).click();
  await page.getByText('Your browser is asking for permission').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.evaluate(() => (globalThis as unknown as { allow: () => void }).allow());
  await until('the microphone to be let go of', async () => {
    const [state] = await microphones(visitor);
    return state === 'ended';
  });
  expect(visitor.sent).toEqual([]);
});

test('where a policy keeps the sound out one is told so, and the microphone is closed', async () => {
  const { url } = scene;
  const policy = [
    `script-src ${url}/widget.js`,
    `connect-src ${url} ${url.replace('http', 'ws')}`,
  ].join(';');
  const headers = { 'content-security-policy': policy };
  const visitor = await speak({ headers, expected: [/Content Security Policy/] });
  await visitor.page.getByText('Speaking does not work on this page.').waitFor();
  expect(await microphones(visitor)).toEqual(['ended']);
  expect(visitor.sent).toEqual([]);
});

test.runIf(IS_NIGHTLY)('who mutes is not heard until they unmute', async () => {
  const { visitor, say } = await speakOnSignal();
  const { page } = visitor;
  const mute = page.getByRole('button', { name: 'Mute' });
  await mute.click();
  await page.getByText('The microphone is muted.').waitFor();
  await say(QUESTION);
  await mute.click();
  await say(INTERRUPTION);
  await log(visitor).getByText(`You: ${INTERRUPTION}`).waitFor();
  expect(await log(visitor).getByText(`You: ${QUESTION}`).count()).toBe(0);
});

test('a call whose network goes for a moment goes on', async () => {
  const visitor = await speak({ expected: [/ERR_|WebSocket/] });
  await log(visitor).getByText(GREETING).waitFor();
  scene.cut();
  await visitor.page.getByText('The connection was lost.').waitFor();
  scene.heal();
  await until('it to go on', () => visitor.came.filter(({ type }) => type === 'ready').length > 1);
  await visitor.page.getByText('Microphone on').waitFor();
  const ids = visitor.came.flatMap(({ type, conversation_id: id }) =>
    type === 'ready' ? [id] : [],
  );
  expect(new Set(ids).size).toBe(1);
  // One may write as well.
  await visitor.page.getByLabel('Message').fill('Written');
  await visitor.page.getByLabel('Message').press('Enter');
  await log(visitor).getByText('You said: Written').waitFor();
});

test('who refuses the microphone is told what to do, nobody is called, and they can write', async () => {
  const before = (await scene.talks.read('/v1/calls')).data.length;
  const visitor = await speak({ isMicrophoneRefused: true });
  await visitor.page.getByText('Your browser is blocking the microphone.').waitFor();
  expect(visitor.sent).toEqual([]);
  await visitor.page.getByLabel('Message').fill('Hello');
  await visitor.page.getByLabel('Message').press('Enter');
  await log(visitor).getByText('You said: Hello').waitFor();
  expect((await scene.talks.read('/v1/calls')).data).toHaveLength(before);
});

test('who has no loudspeaker is told so, nobody is called, and the microphone is closed', async () => {
  const visitor = await scene.visit({ hasNoLoudspeaker: true });
  visits.push(visitor);
  const { page } = visitor;
  await page.clock.install();
  await begin(visitor);
  const missing = page.getByText('No loudspeaker was found. You can write instead.');
  await until('the widget to give up', async () => {
    await page.clock.runFor(1_000);
    return missing.isVisible();
  });
  expect(await microphones(visitor)).toEqual(['ended']);
  expect(visitor.sent).toEqual([]);
});

test('a device that takes the sound away is told of, and the sound continues', async () => {
  const visitor = await scene.visit();
  visits.push(visitor);
  const { page } = visitor;
  type Held = { contexts: AudioContext[]; microphones: MediaStreamTrack[]; isBusy: boolean };
  await page.evaluate(() => {
    const Native = AudioContext;
    const held = Object.assign(globalThis, { contexts: [] as AudioContext[], isBusy: false });
    held.AudioContext = class extends Native {
      constructor(given?: AudioContextOptions) {
        super(given);
        held.contexts.push(this);
      }
      override async resume(): Promise<void> {
        if (held.isBusy) throw new DOMException('a telephone call', 'InvalidStateError');
        await super.resume();
      }
    };
  });
  await page.getByRole('button', { name: 'Talk with' }).click();
  await page.getByRole('button', { name: 'Speak', exact: true }).click();
  await page.getByText('Microphone on').waitFor();
  await log(visitor).getByText(GREETING).waitFor();
  const halted = page.getByText('Your device has paused the sound.');

  // After a short interruption the sound continues by itself.
  await page.evaluate(() => (globalThis as unknown as Held).contexts.at(-1)!.suspend());
  await page.waitForFunction(
    () => (globalThis as unknown as Held).contexts.at(-1)!.state === 'running',
  );
  await halted.waitFor({ state: 'hidden' });

  // After a telephone call the browser requires a click.
  await page.evaluate(async () => {
    const held = globalThis as unknown as Held;
    held.isBusy = true;
    await held.contexts.at(-1)!.suspend();
  });
  await halted.waitFor();
  await expectAccessible(page);
  await page.evaluate(() => Object.assign(globalThis, { isBusy: false }));
  await page.getByRole('button', { name: 'Continue' }).click();
  await halted.waitFor({ state: 'hidden' });

  // The system mutes the microphone alone.
  const mute = (muted: boolean): Promise<void> =>
    page.evaluate((isMuted) => {
      const track = (globalThis as unknown as Held).microphones[0]!;
      Object.defineProperty(track, 'muted', { value: isMuted, configurable: true });
      track.dispatchEvent(new Event(isMuted ? 'mute' : 'unmute'));
    }, muted);
  await mute(true);
  await halted.waitFor();
  await mute(false);
  await halted.waitFor({ state: 'hidden' });
  expect(await page.getByRole('button', { name: 'Continue' }).isVisible()).toBe(false);
});

test('a page with the strictest policy lets one speak', async () => {
  const { url } = scene;
  const policy = [
    "default-src 'none'",
    `script-src ${url}`,
    `connect-src ${url} ${url.replace('http', 'ws')}`,
    "require-trusted-types-for 'script'",
  ];
  const visitor = await speak({ headers: { 'content-security-policy': policy.join(';') } });
  await until('the greeting', async () => (await heard(visitor)).includes(GREETING), SELDOM);
});
