import { defineWidget } from './element/parley-widget.ts';
import { complain } from './talk/trouble.ts';

/**
 * Entry point of the widget, `/widget.js`. This element adds a widget at the end of the page:
 *
 *     <script src="https://parley.example.com/widget.js" data-agent="agt_…" async></script>
 *
 * The script's URL accepts the same settings as query parameters, for tag managers that drop `data-` attributes:
 * `/widget.js?agent=agt_…`. Without an agent, the script only defines the custom element, and the page itself adds the
 * element.
 */

/**
 * Paths of files, which the build inserts: `widget/sound-HASH.js`, `widget/text-HASH.js`, and `widget/LANGUAGE-HASH.js`
 * by language.
 */
declare const SOUND_FILE: string;
declare const TEXT_FILE: string;
declare const WORD_FILES: Record<string, string>;

const SETTINGS = ['agent', 'token-url', 'greeting', 'lang'];

const scripts = findScripts();
const [first] = scripts;
if (first) {
  const urlOf = (file: string): string => new URL(file, first.src).href;
  defineWidget({
    server: new URL(first.src).origin,
    workletUrl: urlOf(SOUND_FILE),
    textUrl: urlOf(TEXT_FILE),
    wordFiles: Object.fromEntries(
      Object.entries(WORD_FILES).map(([language, file]) => [language, urlOf(file)]),
    ),
  });
  const named = scripts.map(settingsOf).filter(({ agent }) => agent);
  whenIs('interactive', () => named.forEach(addElement));
  if (named.length === 0) whenIs('complete', requireElement);
} else {
  complain(
    'the widget cannot find its script element, so it does not know the address of its server. Load the widget with <script src="https://YOUR-PARLEY/widget.js?agent=agt_…">.',
  );
}

/**
 * Returns the script elements that load this file. A module has no `currentScript`, and it runs only once even if
 * several elements load it.
 */
function findScripts(): HTMLScriptElement[] {
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement && currentScript.src) return [currentScript];
  return [...document.scripts].filter(
    ({ src }) => URL.canParse(src) && new URL(src).pathname.endsWith('/widget.js'),
  );
}

type Settings = Record<string, string | null>;

/** Returns the settings of a script element, keyed by the names of the widget's attributes. */
function settingsOf(script: HTMLScriptElement): Settings {
  const query = new URL(script.src).searchParams;
  return Object.fromEntries(
    SETTINGS.map((name) => [name, script.getAttribute(`data-${name}`) ?? query.get(name)]),
  );
}

function whenIs(state: 'interactive' | 'complete', run: () => void): void {
  const isSo = (): boolean =>
    state === 'complete' ? document.readyState === 'complete' : document.body !== null;
  if (isSo()) return run();
  const look = (): void => {
    if (!isSo()) return;
    document.removeEventListener('readystatechange', look);
    run();
  };
  document.addEventListener('readystatechange', look);
}

/**
 * Adds a widget, unless the page already has one for this agent, for example because both a theme and a tag manager
 * have added the script.
 */
function addElement(settings: Settings): void {
  const isThere = [...document.querySelectorAll('parley-widget')].some(
    (widget) => widget.getAttribute('agent') === settings['agent'],
  );
  if (isThere) return;
  const made = document.createElement('parley-widget');
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null) made.setAttribute(name, value);
  }
  document.body.append(made);
}

function requireElement(): void {
  if (document.querySelector('parley-widget')) return;
  complain(
    'no agent is set. Add data-agent="agt_…" to the script element. If a tag manager drops data- attributes, add ?agent=agt_… to the script URL instead. You can also add <parley-widget agent="agt_…"></parley-widget> to the page.',
  );
}
