import type { Turn } from '../talk/frames.ts';
import type { Said, TalkState } from '../talk/talk-state.ts';
import { element } from './made.ts';
import { literalNodes, markdownNodes } from './rich-text.ts';
import type { Words } from './words.ts';

/** What was said, one bubble each, and below it what is being said. */
export class TurnList {
  /** Read out as it grows: whole turns alone, not each word of a reply that is being made. */
  readonly #log: HTMLElement;
  readonly scroll: HTMLElement;
  readonly #reply: HTMLElement;
  #replyShown = '';
  readonly #said: HTMLElement;
  readonly #shown = new Map<number, { turn: Turn; bubble: HTMLElement }>();
  readonly #words: Words;
  readonly #name: () => string;
  readonly #onSayAgain: (id: number) => void;
  #saidShown: readonly Said[] = [];

  constructor(words: Words, name: () => string, onSayAgain: (id: number) => void) {
    this.#words = words;
    this.#name = name;
    this.#onSayAgain = onSayAgain;
    this.#log = element('ol', { class: 'log' });
    this.#said = element('ul', { class: 'log said' });
    this.#reply = element('div', {
      class: 'turn agent coming',
      'aria-hidden': 'true',
      dir: 'auto',
    });
    this.#reply.hidden = true;
    // Scrolled by keys too, where nothing in it takes the focus.
    this.scroll = element('div', { class: 'scroll', tabindex: '0', role: 'group' }, [
      element('div', { role: 'log', 'aria-label': words.said }, [this.#log]),
      this.#said,
      this.#reply,
    ]);
    this.scroll.setAttribute('aria-label', words.said);
  }

  render({ turns, reply, said }: TalkState): void {
    const { scrollHeight, scrollTop, clientHeight } = this.scroll;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
    if (turns.length === 0) this.#forget();
    turns.forEach((turn, at) => this.#show(turn, at));
    this.#showSaid(said);
    this.#reply.hidden = reply === '';
    if (this.#replyShown !== reply) {
      this.#replyShown = reply;
      this.#reply.replaceChildren(...markdownNodes(reply, this.#words.newTab, true));
    }
    if (isAtEnd) this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  #forget(): void {
    this.#shown.clear();
    this.#log.replaceChildren();
  }

  #show(turn: Turn, at: number): void {
    const shown = this.#shown.get(turn.index);
    if (shown?.turn === turn) return;
    const bubble = shown?.bubble ?? element('li', { dir: 'auto' });
    bubble.className = `turn ${turn.role}`;
    const who = { user: this.#words.you, agent: this.#name(), human: this.#words.colleague };
    bubble.replaceChildren(
      element('span', { class: turn.role === 'human' ? 'who' : 'who unseen' }, [
        `${who[turn.role]}: `,
      ]),
      // Models write Markdown; people write what they mean to be read.
      ...(turn.role === 'agent' ? markdownNodes : literalNodes)(turn.text, this.#words.newTab),
    );
    if (turn.interrupted)
      bubble.append(element('span', { class: 'note' }, [` (${this.#words.interrupted})`]));
    if (!shown) this.#log.insertBefore(bubble, this.#log.children[at] ?? null);
    this.#shown.set(turn.index, { turn, bubble });
  }

  #showSaid(said: readonly Said[]): void {
    if (said === this.#saidShown) return;
    this.#saidShown = said;
    this.#said.hidden = said.length === 0;
    this.#said.replaceChildren(
      ...said.map((one) => {
        const bubble = element('li', { class: 'turn user', dir: 'auto' }, [one.text]);
        if (one.state === 'unsure') bubble.append(this.#unsure(one.id));
        else bubble.classList.add('pending');
        return bubble;
      }),
    );
  }

  #unsure(id: number): HTMLElement {
    const again = element('button', { type: 'button', class: 'link' }, [this.#words.sayAgain]);
    again.addEventListener('click', () => this.#onSayAgain(id));
    return element('span', { class: 'note' }, [` ${this.#words.unsure} `, again]);
  }
}
