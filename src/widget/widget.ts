import { defineWidget } from './element/parley-widget.ts';

/**
 * The entry, `/widget.js`:
 *
 *     <script src="https://parley.example.com/widget.js" data-agent="agt_…" async></script>
 *
 * puts a widget at the end of the page. Without `data-agent` it defines the element, which the page puts
 * where it wants to. What `data-` attributes say is what the element's attributes of these names say.
 */

/** Of the build: `widget/sound-HASH.js`. */
declare const SOUND_FILE: string;

const script = findScript();
if (script) {
  const workletUrl = new URL(SOUND_FILE, script.src).href;
  defineWidget({ server: new URL(script.src).origin, workletUrl });
  const { agent } = script.dataset;
  if (agent) whenThereIsABody(() => addElement(script, agent));
}

/** A module has no `currentScript`. */
function findScript(): HTMLScriptElement | undefined {
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement) return currentScript;
  return document.querySelector<HTMLScriptElement>('script[src$="/widget.js"]') ?? undefined;
}

function whenThereIsABody(run: () => void): void {
  if (document.body) run();
  else document.addEventListener('DOMContentLoaded', run, { once: true });
}

function addElement({ dataset }: HTMLScriptElement, agent: string): void {
  const made = document.createElement('parley-widget');
  const given = {
    agent,
    'token-url': dataset['tokenUrl'],
    greeting: dataset['greeting'],
    lang: dataset['lang'],
  };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  document.body.append(made);
}
