import { Line } from '../sound/line.ts';
import { keep, readKept } from '../talk/kept.ts';
import { askForToken, askOwnServer, isFresh, type TalkToken } from '../talk/token.ts';
import { troubleOf, type TalkError } from '../talk/trouble.ts';
import { element, icon } from './made.ts';
import { Panel } from './panel.ts';
import { STYLES } from './styles.ts';
import { wordsOf, type Words } from './words.ts';

const BUBBLE = 'M4 5h16v11H9l-5 4V5Z';

/** Where the program came from: that is the server it talks with. */
export type Home = { server: string; workletUrl: string };

/**
 * `<parley-widget agent="agt_…">`: a button, and a panel in which visitors write and speak with the agent.
 * Attributes are read when it is put in the page: `agent`, `token-url`, `greeting`, `lang`.
 */
export function defineWidget(home: Home): void {
  if (customElements.get('parley-widget')) return;
  class ParleyWidget extends Widget {
    override readonly home = home;
  }
  customElements.define('parley-widget', ParleyWidget);
}

abstract class Widget extends HTMLElement {
  protected abstract readonly home: Home;
  #shown: Shown | undefined;

  connectedCallback(): void {
    this.#shown = new Shown(this, this.home);
  }

  disconnectedCallback(): void {
    this.#shown?.leave();
    this.#shown = undefined;
  }
}

/** All of one widget, from when it is put in a page to when it is taken out. */
class Shown {
  readonly #host: HTMLElement;
  readonly #home: Home;
  readonly #agent: string;
  readonly #words: Words;
  readonly #line: Line;
  readonly #panel: Panel;
  readonly #launcher: HTMLButtonElement;
  readonly #sign: HTMLElement;
  #isOpen = false;
  #token: TalkToken | undefined;
  /** Asked for when the panel was opened, and not used yet. */
  #spare: TalkToken | undefined;
  #error: TalkError | null = null;
  /** What the browser kept did not go on: that is no trouble of who opens the panel. */
  #isResuming = false;

  constructor(host: HTMLElement, home: Home) {
    this.#host = host;
    this.#home = home;
    this.#agent = host.getAttribute('agent') ?? '';
    this.#words = wordsOf(languageOf(host));
    this.#line = new Line({
      getToken: () => this.#getToken(),
      workletUrl: home.workletUrl,
      onReady: (resume, mode) => {
        this.#isResuming = false;
        // A call ends with its page.
        if (mode === 'chat') keep(this.#agent, { resume, isOpen: this.#isOpen });
      },
      onOver: () => this.#onOver(),
      onLevel: (side, level) => this.#panel.level(side, level),
    });
    this.#panel = new Panel(this.#words, {
      onSay: (text) => this.#say(text),
      onSayAgain: (id) => this.#line.talk.sayAgain(id),
      onSpeak: () => this.#speak(),
      onMute: (isMuted) => this.#line.mute(isMuted),
      onHangUp: () => this.#line.end(),
      onAnew: () => this.#anew(),
      onClose: () => this.#close(),
    });
    this.#sign = element('span', { class: 'unseen' });
    this.#launcher = element('button', {
      type: 'button',
      class: 'launcher',
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
    });
    this.#launcher.append(icon(BUBBLE), this.#sign);
    this.#launcher.addEventListener('click', () => this.#open());
    this.#show();
    this.#line.talk.subscribe(this.#render);
    this.#line.sound.subscribe(this.#render);
    addEventListener('pagehide', this.#onPageHide);
    this.#render();
    this.#resume();
  }

  leave(): void {
    removeEventListener('pagehide', this.#onPageHide);
    this.#line.leave();
  }

  #show(): void {
    const root = this.#host.shadowRoot ?? this.#host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(this.#launcher, this.#panel.root);
  }

  /** What was begun on the page before, or before a reload. */
  #resume(): void {
    const kept = readKept(this.#agent);
    if (!kept) return;
    this.#isResuming = true;
    this.#line.write(kept.resume);
    if (kept.isOpen) this.#open();
  }

  #open(): void {
    this.#isOpen = true;
    this.#panel.open(matchMedia('(max-width: 480px)').matches);
    this.#keepOpen();
    this.#render();
    if (!this.#token && this.#line.talk.get().phase === 'idle') void this.#look();
  }

  /** Whoever closes it wants to be heard no longer; what is written can go on. */
  #close(): void {
    this.#isOpen = false;
    if (this.#line.sound.get().microphone !== 'off') this.#line.end();
    this.#panel.root.close();
    this.#keepOpen();
    this.#render();
    this.#launcher.focus();
  }

  #keepOpen(): void {
    const kept = readKept(this.#agent);
    if (kept) keep(this.#agent, { ...kept, isOpen: this.#isOpen });
  }

  /** Who it is and whether one may speak; no conversation begins by it. */
  async #look(): Promise<void> {
    this.#error = null;
    try {
      this.#spare = await this.#getToken();
    } catch (error) {
      this.#error = troubleOf(error);
    }
    this.#render();
  }

  async #getToken(): Promise<TalkToken> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare && isFresh(spare, Date.now())) return spare;
    const url = this.#host.getAttribute('token-url');
    this.#token = await (url ? askOwnServer(url) : askForToken(this.#home.server, this.#agent));
    return this.#token;
  }

  #say(text: string): void {
    const { phase } = this.#line.talk.get();
    if (phase === 'idle' || phase === 'failed') this.#write([text]);
    else this.#line.talk.say(text);
  }

  /** With what was said to one that never came to be. */
  #write(texts: readonly string[]): void {
    const { phase, said } = this.#line.talk.get();
    const before = phase === 'failed' ? said.map(({ text }) => text) : [];
    this.#error = null;
    this.#line.write();
    for (const text of [...before, ...texts]) this.#line.talk.say(text);
  }

  #speak(): void {
    this.#error = null;
    const { phase } = this.#line.talk.get();
    // One talk at a time: what was written ends where somebody begins to speak.
    if (phase === 'open' || phase === 'waiting') this.#line.end();
    keep(this.#agent, undefined);
    void this.#line.speak();
  }

  /** After an end, or once more what did not come to be. */
  #anew(): void {
    const { phase, said } = this.#line.talk.get();
    if (phase === 'failed' && said.length > 0) this.#write([]);
    else {
      this.#line.leave();
      void this.#look();
    }
    this.#panel.focus();
  }

  #onOver(): void {
    keep(this.#agent, undefined);
    if (!this.#isResuming) return;
    this.#isResuming = false;
    // It ended meanwhile, or is too old: the next message begins anew.
    if (this.#line.talk.get().phase === 'failed') this.#line.leave();
  }

  readonly #onPageHide = (): void => {
    if (this.#line.sound.get().microphone !== 'off') this.#line.end();
  };

  readonly #render = (): void => {
    const talk = this.#line.talk.get();
    const sound = this.#line.sound.get();
    const name = this.#token?.agent.display_name || this.#words.agent;
    const isWaiting = talk.phase === 'waiting';
    const error = this.#error ?? sound.error ?? (isWaiting ? null : talk.error);
    this.#panel.render({
      talk,
      sound,
      name,
      canSpeak: this.#token?.modes.includes('voice') ?? false,
      greeting: this.#host.getAttribute('greeting') ?? this.#words.welcome(name),
      trouble: error?.code ?? null,
    });
    this.#launcher.hidden = this.#isOpen;
    this.#launcher.setAttribute('aria-expanded', String(this.#isOpen));
    this.#sign.textContent = this.#words.open(name);
  };
}

/** Its own, else that of what it stands in. */
const languageOf = (host: HTMLElement): string =>
  host.closest('[lang]')?.getAttribute('lang') ?? navigator.language;
