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

/** Server from which the widget was loaded and to which it sends its requests, and URLs of files on that server. */
export type Home = {
  server: string;
  workletUrl: string;
  /** URL of the built file of `read-text.ts`. */
  textUrl: string;
  wordFiles: WordFiles;
};

/**
 * Defines `<parley-widget agent="agt_…">`: a button, and a panel in which visitors chat or speak with the agent. Pages
 * must set the attributes `agent`, `token-url`, `greeting` and `lang` before they add the element, because later
 * changes may have no effect.
 */
export function defineWidget(home: Home): void {
  if (customElements.get('parley-widget')) return;
  class ParleyWidget extends Widget {
    override readonly home = home;
  }
  customElements.define('parley-widget', ParleyWidget);
}

/** All widget elements in the page. If several are for the same agent, only the first shows a button. */
const placed = new Set<Widget>();

abstract class Widget extends HTMLElement {
  protected abstract readonly home: Home;
  #agent = '';
  #shown: Shown | 'loading' | undefined;

  connectedCallback(): void {
    const agent = this.getAttribute('agent') ?? '';
    // If the element was only moved within the page, the widget stays as it is.
    if (this.#shown && this.#agent === agent) return;
    this.#leave();
    this.#agent = agent;
    placed.add(this);
    if (agent === '') complain('<parley-widget> needs an attribute agent="agt_…".');
    else this.#showIfFirst();
  }

  disconnectedCallback(): void {
    // Waits, because a page that moves the element removes it and adds it again in the same task.
    queueMicrotask(() => {
      if (this.isConnected) return;
      if (this.#shown instanceof Shown && this.#shown.comeHome()) return;
      this.#leave();
    });
  }

  /**
   * Does nothing. Because this method exists, browsers that support `moveBefore` do not call the two callbacks above
   * when the element is moved.
   */
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
    // In the meantime the element may have been removed, or another call may have shown the widget.
    if (this.#shown === 'loading' && this.isConnected)
      this.#shown = new Shown(this, this.home, words);
  }
}

/** State of one widget while its element is in the page. */
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
  /** Token that was requested when the panel was opened and has not been used yet. */
  #spare: TalkToken | undefined;
  #error: TalkError | null = null;
  /** Whether a stored chat is being resumed. If that fails, no error is shown. */
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
        // Only a chat is stored, because a call ends when its page is closed.
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

  /**
   * Call this after the host element was removed from the page. If the element was inside a dialog of the page, moves
   * it back to its original position and returns true. Otherwise returns false.
   */
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

  /** Resumes a chat that began before a reload, or on the previous page. */
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

  /**
   * Closes the panel. A call ends, because users assume that a closed panel does not listen. A chat can be continued.
   */
  #close(): void {
    this.#isOpen = false;
    if (this.#line.sound.get().microphone !== 'off') this.#line.end();
    this.#panel.close();
    this.#keepOpen();
    this.#render();
    this.#launcher.focus();
  }

  /**
   * Loads the code that finds links and Markdown in messages. Until it is loaded, messages are shown as plain text.
   */
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

  /**
   * Requests a token in order to learn the agent's name and whether the agent supports voice calls. This does not start
   * a conversation.
   */
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

  /** Starts a chat with these messages. Messages that a failed start left unsent are sent first. */
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
    // Only one talk is possible at a time, so a chat ends when the user starts a call.
    if (phase === 'open' || phase === 'waiting') this.#line.end();
    keep(this.#agent, undefined);
    void this.#line.speak();
  }

  /** Starts over after a talk has ended, or tries again after a talk failed to start. */
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
    // If the stored chat has ended or expired, the next message begins a new chat.
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

/** Returns the `lang` attribute of the element or of its nearest ancestor that has one, or null if there is none. */
const languageOf = (host: HTMLElement): string | null =>
  host.closest('[lang]')?.getAttribute('lang') || null;
