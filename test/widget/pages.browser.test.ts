import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../conversations/turns/scripted-responder.ts';
import { expectAccessible } from '../dashboard/accessible.ts';
import { pressOfInputMethod } from '../dashboard/input-method.ts';
import { openScene, type Scene, type Visit, type VisitOptions } from './visitor.ts';

/** The widget on pages as people make them: tag managers, themes, dialogs, input methods, telephones, languages. */

const responder = scriptedResponder();
let scene: Scene;
let visits: Visit[];

beforeAll(async () => {
  scene = await openScene({ responder, agent: { language: 'en' } });
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

const launchers = ({ page }: Visit) => page.getByRole('button', { name: 'Talk with' });
const field = ({ page }: Visit) => page.getByLabel('Message');
const log = ({ page }: Visit) => page.getByRole('log');

async function write(visitor: Visit, text: string): Promise<void> {
  await field(visitor).fill(text);
  await field(visitor).press('Enter');
  await log(visitor).getByText(`You said: ${text}`).waitFor();
}

/** Resolves when the page has as many launchers. */
async function untilLaunchers({ page }: Visit, count: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const widgets = [...document.querySelectorAll('parley-widget')];
    const shown = widgets.filter((one) => one.shadowRoot?.querySelector('.launcher'));
    return shown.length === wanted;
  }, count);
}

/** Puts the script into the page, as a theme or a tag manager does, and waits until it ran. */
function addScript({ page }: Visit, src: string, attributes: Record<string, string> = {}) {
  return page.evaluate(
    async ([address, given]) => {
      const made = document.createElement('script');
      for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
      made.src = address;
      const loaded = new Promise((resolve) => made.addEventListener('load', resolve));
      document.body.append(made);
      await loaded;
    },
    [src, attributes] as const,
  );
}

describe('the script', () => {
  test('twice in a page makes one launcher, another agent has its own', async () => {
    const visitor = await visit();
    const { agentId } = scene.talks;
    await launchers(visitor).waitFor();
    await addScript(visitor, `${scene.url}/widget.js`, { 'data-agent': agentId });
    await addScript(visitor, `${scene.url}/widget.js?agent=${agentId}`);
    expect(await visitor.page.locator('parley-widget').count()).toBe(1);
    await addScript(visitor, `${scene.url}/widget.js?agent=agt_other`);
    await untilLaunchers(visitor, 2);
  });

  test('and elements that the page places: the next one takes the place of one that goes', async () => {
    const element = `<parley-widget agent="${scene.talks.agentId}"></parley-widget>`;
    const visitor = await visit({
      embed: `${element}${element}<script src="${scene.url}/widget.js" data-agent="${scene.talks.agentId}" async></script>`,
    });
    await untilLaunchers(visitor, 1);
    expect(await visitor.page.locator('parley-widget').count()).toBe(2);
    await visitor.page.evaluate(() => document.querySelector('parley-widget')!.remove());
    await untilLaunchers(visitor, 1);
    expect(await visitor.page.locator('parley-widget').count()).toBe(1);
  });

  test('of a tag manager is told by its address, a module too', async () => {
    const visitor = await visit({ embed: '' });
    const query = new URLSearchParams({ agent: scene.talks.agentId, greeting: 'Hello & welcome' });
    await addScript(visitor, `${scene.url}/widget.js?${query}`, { type: 'module' });
    await launchers(visitor).click();
    await visitor.page.getByText('Hello & welcome').waitFor();
    await write(visitor, 'Hello');
  });

  test('that names no agent says so in the console', async () => {
    const visitor = await visit({ embed: '', expected: [/Parley/] });
    const said = visitor.page.waitForEvent('console', (message) => message.type() === 'error');
    await addScript(visitor, `${scene.url}/widget.js`);
    expect((await said).text()).toContain('?agent=agt_…');
    const again = visitor.page.waitForEvent('console', (message) => message.type() === 'error');
    await visitor.page.evaluate(() =>
      document.body.append(document.createElement('parley-widget')),
    );
    expect((await again).text()).toContain('agent="agt_…"');
  });

  test('that finds no script element says so in the console', async () => {
    const visitor = await visit({ embed: '', expected: [/Parley/] });
    const said = visitor.page.waitForEvent('console', (message) => message.type() === 'error');
    await visitor.page.evaluate(async (src) => {
      const made = document.createElement('script');
      made.textContent = await (await fetch(src)).text();
      document.body.append(made);
    }, `${scene.url}/widget.js`);
    expect((await said).text()).toContain('cannot find its script element');
  });
});

test('Enter that confirms a word of an input method sends nothing', async () => {
  const visitor = await visit();
  await launchers(visitor).click();
  await field(visitor).fill('返品');
  // Safari ends the composition first; other browsers report the key while they compose.
  expect(await pressOfInputMethod(field(visitor), 'Enter')).toBe('返品');
  expect(await pressOfInputMethod(field(visitor), 'Enter', { isComposing: true })).toBe('返品');
  expect(await pressOfInputMethod(field(visitor), 'Escape')).toBe('返品');
  expect(visitor.sent).toEqual([]);
  await field(visitor).press('Enter');
  await log(visitor).getByText('You said: 返品').waitFor();
});

describe('a dialog of the page', () => {
  const CART = `<div id="cart" role="dialog" aria-modal="true" aria-label="Your cart" tabindex="-1"><button>Pay</button></div>`;

  test.each([
    ['on its way up', `document.addEventListener('focusin', back)`],
    ['on its way down', `document.addEventListener('focusin', back, true)`],
    ['by the focus itself', `document.addEventListener('focus', back, true)`],
    [
      'as it leaves',
      `document.addEventListener('focusout', (e) => back({ target: e.relatedTarget ?? cart }))`,
    ],
  ])('that keeps the focus (%s) lets visitors write', async (_, trap) => {
    const body = `${CART}<script>
      const cart = document.querySelector('#cart');
      const back = ({ target }) => { if (target !== document && !cart.contains(target)) cart.querySelector('button').focus(); };
      ${trap};
      cart.querySelector('button').focus();
    </script>`;
    const visitor = await visit({ body });
    await launchers(visitor).click();
    await field(visitor).click();
    await visitor.page.keyboard.type('From beside it');
    expect(await field(visitor).inputValue()).toBe('From beside it');
  });

  test('that locks the scrolling of all beside it lets visitors scroll', async () => {
    const lock = `document.addEventListener('wheel', (event) => event.preventDefault(), { passive: false })`;
    const visitor = await visit({ body: `${CART}<script>${lock}</script>` });
    const { page } = visitor;
    await launchers(visitor).click();
    responder.play(async () => ({ text: 'A long answer.\n\n'.repeat(60) }));
    await field(visitor).fill('Tell me');
    await field(visitor).press('Enter');
    const answer = log(visitor).getByRole('listitem').last();
    await answer.getByText('A long answer.').last().waitFor();
    await answer.hover();
    await page.mouse.wheel(0, -300);
    const scroll = page.locator('.scroll');
    await page.waitForFunction(
      (box) => box.scrollTop + box.clientHeight < box.scrollHeight - 200,
      await scroll.elementHandle(),
    );
  });

  test('that hides all beside it hides the widget from nobody', async () => {
    const visitor = await visit({ body: CART });
    await launchers(visitor).waitFor();
    await visitor.page.evaluate(() => {
      const widget = document.querySelector('parley-widget')!;
      widget.setAttribute('inert', '');
      widget.setAttribute('aria-hidden', 'true');
    });
    await launchers(visitor).click();
    await write(visitor, 'Still here');
  });

  test('that is modal has the widget in it, above it, and gives it back', async () => {
    const body = `<style>#own { transform: translate(40px); overflow: hidden; width: 200px; height: 100px }</style>
      <dialog id="own"><button>Pay</button><dialog id="inner"><button>Yes</button></dialog></dialog>`;
    const visitor = await visit({ body });
    const { page } = visitor;
    await launchers(visitor).click();
    await write(visitor, 'Before');
    const panel = page.getByRole('dialog', { name: 'The shop' });
    const before = await panel.boundingBox();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#own')!.showModal());
    await write(visitor, 'While it is open');
    expect(await panel.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#inner')!.showModal());
    await write(visitor, 'While another one is open');
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#inner')!.close());
    await write(visitor, 'While the first one is open');
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#own')!.close());
    await write(visitor, 'Behind it');
    expect(
      await page.evaluate(() => document.querySelector('parley-widget')!.parentElement!.tagName),
    ).toBe('BODY');
    // A page may also take its dialog out as it is.
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#own')!.showModal());
    await page.waitForFunction(() => document.querySelector('#own parley-widget') !== null);
    await page.evaluate(() => document.querySelector('#own')!.remove());
    await write(visitor, 'It is gone');
    // It is one conversation all the time.
    expect(visitor.came.filter(({ type }) => type === 'ready')).toHaveLength(1);
  });
});

test('above the keyboard of a telephone are the head, the last message and the field', async () => {
  const visitor = await visit({ viewport: { width: 360, height: 640 } });
  const { page } = visitor;
  await page.evaluate(() => {
    const seen = Object.assign(new EventTarget(), { height: 640, offsetTop: 0, scale: 1 });
    Object.defineProperty(globalThis, 'visualViewport', { value: seen });
  });
  await launchers(visitor).click();
  for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) await write(visitor, text);
  const see = (height: number, offsetTop: number, scale = 1): Promise<void> =>
    page.evaluate(
      (area) => {
        Object.assign(visualViewport!, area);
        visualViewport!.dispatchEvent(new Event('resize'));
      },
      { height, offsetTop, scale },
    );
  const panel = page.getByRole('dialog');
  await see(300, 40);
  expect(await panel.boundingBox()).toEqual({ x: 0, y: 40, width: 360, height: 300 });
  const last = log(visitor).getByRole('listitem').last();
  for (const part of [panel.getByRole('heading'), last, field(visitor)]) {
    await page.waitForFunction(
      (node) => {
        const { top, bottom } = node.getBoundingClientRect();
        return top >= 40 && bottom <= 340;
      },
      await part.elementHandle(),
    );
  }
  // The panel keeps its size while a visitor zooms in.
  await see(150, 10, 2);
  expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
});

describe('the languages', () => {
  test('of the widget, the page and the agent are told apart', async () => {
    const visitor = await visit({ lang: 'de', data: { lang: 'fr', greeting: 'Bonjour !' } });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Parler avec' }).click();
    await page.getByRole('button', { name: 'Fermer' }).waitFor();
    await page.getByLabel('Message').fill('Allô');
    await page.getByRole('button', { name: 'Envoyer' }).click();
    await log(visitor).getByText('You said: Allô').waitFor();
    const languages = await page.getByRole('dialog').evaluate((panel: HTMLElement) => {
      const lang = (selector: string) =>
        panel.querySelector(`${selector}[lang]`)?.getAttribute('lang');
      return [panel.lang, lang('.turn.agent'), lang('.turn.user'), lang('.who')];
    });
    expect(languages).toEqual(['fr', 'en', 'fr', 'fr']);
    await expectAccessible(page);
  });

  test('without texts are English, and say so', async () => {
    const visitor = await visit({ lang: 'cy' });
    await launchers(visitor).click();
    expect(await visitor.page.getByRole('dialog').getAttribute('lang')).toBe('en');
    expect(
      await launchers(visitor).or(visitor.page.locator('.launcher')).getAttribute('lang'),
    ).toBe('en');
  });

  test('from right to left turn the panel, and not the words of others', async () => {
    const visitor = await visit({ lang: 'ar' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'تحدث مع' }).click();
    expect(await page.getByRole('dialog').getAttribute('dir')).toBe('rtl');
    responder.play(async () => ({ text: 'التوصيل خلال أربعة أيام.' }));
    await page.getByLabel('الرسالة').fill('متى؟');
    await page.getByLabel('الرسالة').press('Enter');
    const answer = log(visitor).getByRole('listitem').last();
    await answer.getByText('التوصيل').waitFor();
    // The name before it is Latin, and unseen.
    expect(await answer.evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
  });
});
