import { Line } from '../sound/line.ts';
import { keep, readKept } from '../talk/kept.ts';
import { askForToken, askOwnServer, isFresh, type TalkToken } from '../talk/token.ts';
import { complain, troubleOf, type TalkError } from '../talk/trouble.ts';
import { loadWords, type WordFiles, type Words } from '../words/words.ts';
import { element, icon } from './made.ts';
import { liveBesideDialogs, type BesideDialogs } from './page-dialogs.ts';
import { Panel } from './panel.ts';
import { loadReader } from './rich-text.ts';
import { STYLES } from './styles.ts';

const BUBBLE = 'M4 5h16v11H9l-5 4V5Z';

/** Where the program came from: that is the server it talks with. */
export type Home = {
  server: string;
  workletUrl: string;
  /** The file of `read-text.ts`. */
  textUrl: string;
  wordFiles: WordFiles;
};

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

/** All elements that stand in the page. Of those of one agent the first has a launcher. */
const placed = new Set<Widget>();

abstract class Widget extends HTMLElement {
  protected abstract readonly home: Home;
  #agent = '';
  #shown: Shown | 'loading' | undefined;

  connectedCallback(): void {
    const agent = this.getAttribute('agent') ?? '';
    // Moved within the page.
    if (this.#shown && this.#agent === agent) return;
    this.#leave();
    this.#agent = agent;
    placed.add(this);
    if (agent === '') complain('<parley-widget> has no agent="agt_…".');
    else this.#showIfFirst();
  }

  disconnectedCallback(): void {
    // A page that moves it takes it out and puts it in again.
    queueMicrotask(() => {
      if (this.isConnected) return;
      if (this.#shown instanceof Shown && this.#shown.comeHome()) return;
      this.#leave();
    });
  }

  /** Browsers that can move an element call this instead of the two above. */
  connectedMoveCallback(): void {}

  #leave(): void {
    if (this.#shown instanceof Shown) this.#shown.leave();
    this.#shown = undefined;
    placed.delete(this);
    for (const other of placed) other.#showIfFirst();
  }

  #showIfFirst(): void {
    const isFirst = ![...placed].some((one) => one.#shown && one.#agent === this.#agent);
    if (isFirst && this.#agent !== '') void this.#show();
  }

  async #show(): Promise<void> {
    this.#shown = 'loading';
    const words = await loadWords(languageOf(this) ?? navigator.language, this.home.wordFiles);
    // Taken out meanwhile, or shown by another call.
    if (this.#shown === 'loading' && this.isConnected)
      this.#shown = new Shown(this, this.home, words);
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
  readonly #layer: HTMLElement;
  readonly #beside: BesideDialogs;
  #isReading = false;
  #isOpen = false;
  #token: TalkToken | undefined;
  /** Asked for when the panel was opened, and not used yet. */
  #spare: TalkToken | undefined;
  #error: TalkError | null = null;
  /** What the browser kept did not go on: that is no trouble of who opens the panel. */
  #isResuming = false;

  constructor(host: HTMLElement, home: Home, words: Words) {
    this.#host = host;
    this.#home = home;
    this.#agent = host.getAttribute('agent') ?? '';
    this.#words = words;
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
      onResumeSound: () => this.#line.resumeSound(),
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
      lang: words.lang,
      dir: words.dir,
    });
    this.#launcher.append(icon(BUBBLE), this.#sign);
    this.#launcher.addEventListener('click', () => this.#open());
    this.#layer = element('div', { class: 'layer' }, [this.#launcher, this.#panel.root]);
    this.#show();
    this.#beside = liveBesideDialogs(host, this.#layer);
    this.#line.talk.subscribe(this.#render);
    this.#line.sound.subscribe(this.#render);
    addEventListener('pagehide', this.#onPageHide);
    this.#render();
    this.#resume();
  }

  leave(): void {
    removeEventListener('pagehide', this.#onPageHide);
    this.#beside.stop();
    this.#panel.close();
    this.#line.leave();
  }

  /** Returns whether it was taken out with a dialog of the page, and is back where it was. */
  comeHome(): boolean {
    return this.#beside.comeHome();
  }

  #show(): void {
    const root = this.#host.shadowRoot ?? this.#host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(this.#layer);
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
    void this.#readTexts();
    if (!this.#token && this.#line.talk.get().phase === 'idle') void this.#look();
  }

  /** Whoever closes it wants to be heard no longer; what is written can go on. */
  #close(): void {
    this.#isOpen = false;
    if (this.#line.sound.get().microphone !== 'off') this.#line.end();
    this.#panel.close();
    this.#keepOpen();
    this.#render();
    this.#launcher.focus();
  }

  /** Until it is loaded, and where it cannot be, texts stand as they are written. */
  async #readTexts(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.#panel.readBy(await loadReader(this.#home.textUrl));
    } catch {
      this.#isReading = false;
    }
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
    const greeting = this.#host.getAttribute('greeting');
    const pageLanguage = languageOf(this.#host);
    const isWaiting = talk.phase === 'waiting';
    const error = this.#error ?? sound.error ?? (isWaiting ? null : talk.error);
    this.#panel.render({
      talk,
      sound,
      speaker: { name, language: this.#token?.agent.language ?? null, pageLanguage },
      canSpeak: this.#token?.modes.includes('voice') ?? false,
      greeting:
        greeting === null
          ? { text: this.#words.welcome(name), language: null }
          : { text: greeting, language: pageLanguage },
      trouble: error?.code ?? null,
    });
    this.#launcher.hidden = this.#isOpen;
    this.#launcher.setAttribute('aria-expanded', String(this.#isOpen));
    this.#sign.textContent = this.#words.open(name);
  };
}

/** Its own, else that of what it stands in. */
const languageOf = (host: HTMLElement): string | null =>
  host.closest('[lang]')?.getAttribute('lang') || null;
