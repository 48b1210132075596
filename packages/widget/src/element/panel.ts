import type { SoundState } from '../sound/line.ts';
import type { TalkState } from '../talk/talk-state.ts';
import { isOfInputMethod } from '../text/input-method.ts';
import type { ReadText } from '../text/read-text.ts';
import type { Words } from '../words/words.ts';
import { element, icon } from './made.ts';
import { followSeenArea } from './seen-area.ts';
import { TurnList, type Speaker } from './turn-list.ts';

export type PanelActs = {
  onSay: (text: string) => void;
  onSayAgain: (id: number) => void;
  onSpeak: () => void;
  onMute: (isMuted: boolean) => void;
  /** Called on a click, which browsers may require before they resume audio. */
  onResumeSound: () => void;
  onHangUp: () => void;
  /** Called when the user starts over after the conversation has ended or failed. */
  onAnew: () => void;
  onClose: () => void;
};

export type PanelState = {
  talk: TalkState;
  sound: SoundState;
  speaker: Speaker;
  canSpeak: boolean;
  /** Greeting that is shown before the first message. */
  greeting: { text: string; language: string | null };
  /** Code of a `TalkError`, or null if there is no error. */
  trouble: string | null;
};

const SEND = 'M4 12h15M13 5l7 7-7 7';
const MICROPHONE =
  'M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3ZM5 11a7 7 0 0 0 14 0M12 18v3';
const CROSS = 'M6 6l12 12M18 6L6 18';

/**
 * Panel of one talk, which is a conversation with an agent by chat or voice. It renders a state and reports the user's
 * actions.
 */
export class Panel {
  readonly root: HTMLDialogElement;
  readonly #words: Words;
  readonly #acts: PanelActs;
  readonly #turns: TurnList;
  #speaker: Speaker = { name: '', language: null, pageLanguage: null };
  readonly #title = element('h2', { id: 'title' });
  readonly #welcome = element('p', { class: 'welcome', dir: 'auto' });
  readonly #status = element('span', { role: 'status' });
  readonly #trouble = element('p', { class: 'trouble', role: 'alert' });
  readonly #form: HTMLFormElement;
  readonly #field: HTMLTextAreaElement;
  readonly #speak: HTMLButtonElement;
  readonly #line: HTMLElement;
  readonly #mute: HTMLButtonElement;
  readonly #resumeSound: HTMLButtonElement;
  readonly #hangUp: HTMLButtonElement;
  readonly #anew: HTMLButtonElement;
  #stopSeen: (() => void) | undefined;
  readonly #meters = { microphone: element('i'), agent: element('i') };

  constructor(words: Words, acts: PanelActs) {
    this.#words = words;
    this.#acts = acts;
    this.#turns = new TurnList(words, () => this.#speaker, acts.onSayAgain);
    this.#turns.scroll.prepend(this.#welcome);
    this.#field = element('textarea', {
      rows: '1',
      maxlength: '32000',
      placeholder: words.message,
      'aria-label': words.message,
      enterkeyhint: 'send',
    });
    this.#speak = this.#button({ icon: MICROPHONE, label: words.speak }, acts.onSpeak);
    this.#form = this.#makeForm();
    this.#mute = element('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false' });
    this.#mute.textContent = words.mute;
    this.#mute.addEventListener('click', () =>
      acts.onMute(this.#mute.getAttribute('aria-pressed') === 'false'),
    );
    this.#hangUp = element('button', { type: 'button', class: 'bad' }, [words.hangUp]);
    this.#hangUp.addEventListener('click', acts.onHangUp);
    this.#resumeSound = element('button', { type: 'button', class: 'primary' }, [
      words.resumeSound,
    ]);
    this.#resumeSound.addEventListener('click', acts.onResumeSound);
    this.#line = this.#makeLine();
    this.#anew = element('button', { type: 'button', class: 'anew primary' }, [words.anew]);
    this.#anew.addEventListener('click', acts.onAnew);
    this.root = element(
      'dialog',
      { class: 'panel', 'aria-labelledby': 'title', id: 'panel', lang: words.lang, dir: words.dir },
      [
        element('header', {}, [
          this.#title,
          this.#button({ icon: CROSS, label: words.close }, acts.onClose),
        ]),
        this.#turns.scroll,
        element('div', { class: 'state' }, [this.#status]),
        this.#trouble,
        this.#line,
        this.#form,
        this.#anew,
      ],
    );
    this.#listen();
  }

  /** Opens the panel. If `isModal` is true, as on small screens, the user cannot reach the page behind the panel. */
  open(isModal: boolean): void {
    if (this.root.open) return;
    if (isModal) this.root.showModal();
    else this.root.show();
    this.#stopSeen ??= followSeenArea(this.root);
    this.focus();
  }

  close(): void {
    this.#stopSeen?.();
    this.#stopSeen = undefined;
    this.root.close();
  }

  /** Renders all messages again, with the links and the Markdown structure that `read` finds. */
  readBy(read: ReadText): void {
    this.#turns.readBy(read);
  }

  focus(): void {
    (this.#form.hidden ? this.#anew : this.#field).focus();
  }

  render(state: PanelState): void {
    const { talk, sound, speaker, greeting, canSpeak } = state;
    const isOver = talk.phase === 'ended';
    const isLive = sound.microphone !== 'off';
    const hadFocus = this.root.contains(activeIn(this.root));
    this.#speaker = speaker;
    this.#title.textContent = speaker.name;
    this.#turns.render(talk);
    this.#welcome.textContent = greeting.text;
    if (greeting.language !== null) this.#welcome.lang = greeting.language;
    this.#welcome.hidden = talk.turns.length > 0 || talk.said.length > 0;
    setText(this.#status, this.#statusText(state));
    this.#renderTrouble(state.trouble);
    this.#line.hidden = !isLive;
    this.#line.classList.toggle('muted', sound.isMuted);
    this.#mute.setAttribute('aria-pressed', String(sound.isMuted));
    this.#resumeSound.hidden = !sound.isHalted;
    this.#form.hidden = isOver;
    this.#anew.hidden = !isOver;
    this.#speak.hidden = !canSpeak || isLive;
    const label = talk.phase === 'idle' ? this.#words.speak : this.#words.speakAnew;
    this.#speak.setAttribute('aria-label', label);
    this.#speak.title = label;
    // The focused element may have been removed or hidden. Keyboard users would then have to start again from the
    // beginning of the page, so the panel takes the focus.
    if (hadFocus && this.root.open && !isShown(activeIn(this.root))) this.focus();
  }

  /**
   * Shows an audio level from 0 to 1. This method is separate from `render`, because levels change many times a second.
   */
  level(side: 'microphone' | 'agent', level: number): void {
    this.#meters[side].style.transform = `scaleX(${level.toFixed(2)})`;
  }

  #statusText({ talk, sound }: PanelState): string {
    const words = this.#words;
    if (sound.microphone === 'asking') return words.asking;
    if (talk.phase === 'connecting') return words.connecting;
    if (talk.phase === 'waiting') return words.waiting;
    if (talk.phase === 'ended') return words.ended;
    if (talk.phase !== 'open') return '';
    if (sound.isHalted) return words.halted;
    if (talk.status === 'escalated') return talk.isAccepted ? words.answering : words.escalated;
    if (sound.microphone === 'off') return '';
    if (sound.isPlaying) return words.speaking;
    return sound.isMuted ? words.muted : words.listening;
  }

  #renderTrouble(code: string | null): void {
    const text = code === null ? '' : (this.#words.errors[code] ?? this.#words.otherError);
    if (this.#trouble.dataset['code'] === (code ?? '')) return;
    this.#trouble.dataset['code'] = code ?? '';
    this.#trouble.hidden = code === null;
    this.#trouble.replaceChildren(text);
    if (code === null || code === 'origin_not_allowed') return;
    const again = element('button', { type: 'button', class: 'link' }, [this.#words.again]);
    again.addEventListener('click', this.#acts.onAnew);
    if (!/^(microphone|voice)_/.test(code)) this.#trouble.append(' ', again);
  }

  #makeForm(): HTMLFormElement {
    const send = element('button', {
      type: 'submit',
      class: 'icon primary',
      'aria-label': this.#words.send,
    });
    send.append(icon(SEND));
    const form = element('form', {}, [this.#field, this.#speak, send]);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#say();
    });
    return form;
  }

  #makeLine(): HTMLElement {
    const meters = Object.values(this.#meters).map((bar) =>
      element('div', { class: 'meter' }, [bar]),
    );
    const live = element('span', { class: 'live' }, [
      element('span', { class: 'dot' }),
      this.#words.microphoneOn,
      element('span', { class: 'meters', 'aria-hidden': 'true' }, meters),
    ]);
    return element('div', { class: 'line' }, [live, this.#resumeSound, this.#mute, this.#hangUp]);
  }

  #button(shown: { icon: string; label: string }, onClick: () => void): HTMLButtonElement {
    const made = element('button', { type: 'button', class: 'icon', 'aria-label': shown.label });
    made.append(icon(shown.icon));
    made.title = shown.label;
    made.addEventListener('click', onClick);
    return made;
  }

  #listen(): void {
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || isOfInputMethod(event)) return;
      event.preventDefault();
      this.#say();
    });
    this.root.addEventListener('keydown', (event) => {
      // Keys typed here must not trigger the page's shortcuts.
      event.stopPropagation();
      if (event.key !== 'Escape' || isOfInputMethod(event)) return;
      // Escape must not close a dialog of the page that contains the widget.
      event.preventDefault();
      this.#acts.onClose();
    });
    // Browsers send this event on Escape while the panel is modal, and on the back gesture of a phone.
    this.root.addEventListener('cancel', (event) => {
      event.preventDefault();
      this.#acts.onClose();
    });
  }

  #say(): void {
    const text = this.#field.value.trim();
    if (text === '') return;
    this.#field.value = '';
    this.#acts.onSay(text);
  }
}

/** Sets a text only if it has changed, because screen readers announce the text each time it is set. */
function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function activeIn(node: Node): Element | null {
  return (node.getRootNode() as Document | ShadowRoot).activeElement;
}

const isShown = (node: Element | null): boolean => node?.checkVisibility() ?? false;
