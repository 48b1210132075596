import type { Turn } from '../talk/frames.ts';
import type { Said, TalkState } from '../talk/talk-state.ts';
import type { ReadText, TextKind } from '../text/read-text.ts';
import type { Words } from '../words/words.ts';
import { element } from './made.ts';
import { nodesOf } from './rich-text.ts';

/** Name of the agent, and the languages of the messages. Screen readers choose their pronunciation by the language. */
export type Speaker = { name: string; language: string | null; pageLanguage: string | null };

/** List of the turns, with one bubble for each. The reply that is being generated is shown below them. */
export class TurnList {
  /**
   * Log of the turns. Screen readers announce each addition to it. It contains only finished turns; otherwise screen
   * readers would announce each word of a growing reply.
   */
  readonly #log: HTMLElement;
  readonly scroll: HTMLElement;
  readonly #reply: HTMLElement;
  #replyShown = '';
  readonly #said: HTMLElement;
  readonly #shown = new Map<number, { turn: Turn; bubble: HTMLElement }>();
  readonly #words: Words;
  readonly #speaker: () => Speaker;
  readonly #onSayAgain: (id: number) => void;
  #saidShown: readonly Said[] = [];
  #read: ReadText | undefined;
  #isAtEnd = true;

  constructor(words: Words, speaker: () => Speaker, onSayAgain: (id: number) => void) {
    this.#words = words;
    this.#speaker = speaker;
    this.#onSayAgain = onSayAgain;
    this.#log = element('ol', { class: 'log' });
    this.#said = element('ul', { class: 'log said' });
    this.#reply = element('div', {
      class: 'turn agent coming',
      'aria-hidden': 'true',
      dir: 'auto',
    });
    this.#reply.hidden = true;
    // The list is focusable, so that keyboard users can scroll it even if it contains no focusable element.
    this.scroll = element('div', { class: 'scroll', tabindex: '0', role: 'group' }, [
      element('div', { role: 'log', 'aria-label': words.said }, [this.#log]),
      this.#said,
      this.#reply,
    ]);
    this.scroll.setAttribute('aria-label', words.said);
    this.scroll.addEventListener('scroll', () => {
      const { scrollHeight, scrollTop, clientHeight } = this.scroll;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
    });
    // An on-screen keyboard reduces the height of the list. Scrolling keeps the last message visible.
    new ResizeObserver(() => this.#scrollToEnd()).observe(this.scroll);
  }

  /** Renders all messages again, with the links and the Markdown structure that `read` finds. */
  readBy(read: ReadText): void {
    this.#read = read;
    for (const shown of this.#shown.values()) this.#fill(shown.bubble, shown.turn);
    this.#showReply(this.#replyShown);
    this.#scrollToEnd();
  }

  render({ turns, reply, said }: TalkState): void {
    if (turns.length === 0) this.#forget();
    turns.forEach((turn, at) => this.#show(turn, at));
    this.#showSaid(said);
    this.#reply.hidden = reply === '';
    if (this.#replyShown !== reply) this.#showReply(reply);
    this.#scrollToEnd();
  }

  #scrollToEnd(): void {
    if (this.#isAtEnd) this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  #showReply(reply: string): void {
    this.#replyShown = reply;
    setLanguage(this.#reply, this.#languageOf('agent'));
    this.#reply.replaceChildren(...this.#nodes(reply, { isMarkdown: true, isPartial: true }));
  }

  #nodes(text: string, kind: TextKind): Node[] {
    return nodesOf(this.#read?.(text, kind) ?? [text], this.#words.newTab);
  }

  #languageOf(role: Turn['role']): string | null {
    const { language, pageLanguage } = this.#speaker();
    return role === 'agent' ? (language ?? pageLanguage) : pageLanguage;
  }

  #forget(): void {
    this.#shown.clear();
    this.#log.replaceChildren();
  }

  #show(turn: Turn, at: number): void {
    const shown = this.#shown.get(turn.index);
    if (shown?.turn === turn) return;
    const bubble = shown?.bubble ?? element('li', { dir: 'auto' });
    this.#fill(bubble, turn);
    if (!shown) this.#log.insertBefore(bubble, this.#log.children[at] ?? null);
    this.#shown.set(turn.index, { turn, bubble });
  }

  #fill(bubble: HTMLElement, turn: Turn): void {
    bubble.className = `turn ${turn.role}`;
    setLanguage(bubble, this.#languageOf(turn.role));
    const who = {
      user: this.#words.you,
      agent: this.#speaker().name,
      human: this.#words.colleague,
    };
    bubble.replaceChildren(
      // The name has its own `dir`, so that only the text decides the direction of the bubble.
      element(
        'span',
        {
          class: turn.role === 'human' ? 'who' : 'who unseen',
          dir: this.#words.dir,
          lang: this.#words.lang,
        },
        [`${who[turn.role]}: `],
      ),
      ...this.#nodes(turn.text, { isMarkdown: turn.role !== 'user' }),
    );
    if (turn.interrupted) bubble.append(this.#note([` (${this.#words.interrupted})`]));
  }

  #showSaid(said: readonly Said[]): void {
    if (said === this.#saidShown) return;
    this.#saidShown = said;
    this.#said.hidden = said.length === 0;
    this.#said.replaceChildren(
      ...said.map((one) => {
        const bubble = element('li', { class: 'turn user', dir: 'auto' }, [one.text]);
        setLanguage(bubble, this.#languageOf('user'));
        if (one.state === 'unsure') bubble.append(this.#unsure(one.id));
        else bubble.classList.add('pending');
        return bubble;
      }),
    );
  }

  #unsure(id: number): HTMLElement {
    const again = element('button', { type: 'button', class: 'link' }, [this.#words.sayAgain]);
    again.addEventListener('click', () => this.#onSayAgain(id));
    return this.#note([` ${this.#words.unsure} `, again]);
  }

  #note(children: readonly (Node | string)[]): HTMLElement {
    const { lang, dir } = this.#words;
    return element('span', { class: 'note', lang, dir }, children);
  }
}

function setLanguage(node: HTMLElement, language: string | null): void {
  if (language === null) node.removeAttribute('lang');
  else node.lang = language;
}
