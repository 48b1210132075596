import type { Mutant } from './mutant.ts';

const TALK = 'src/widget/talk/talk.ts';
const VOICE = 'src/widget/sound/voice.ts';
const LINE = 'src/widget/sound/line.ts';
const WORKLETS = 'src/widget/sound/worklets.ts';
const ELEMENT = 'src/widget/element/parley-widget.ts';
const LINKED = 'src/widget/element/linked-text.ts';
const USE_LINE = 'src/dashboard/pages/playground/use-line.ts';

const SPOKEN = 'test/widget/voice.browser.test.ts';
const WRITTEN = 'test/widget/chat.browser.test.ts';
const CLIENT = 'test/widget/talk.test.ts';
const THREAD = 'test/widget/worklets.test.ts';
const PLAYGROUND = 'test/dashboard/playground-voice.browser.test.ts';
const TOKENS = 'test/talks/tokens.pg.test.ts';
const REFUSED = 'test/talks/refused.pg.test.ts';

/** What pages load, and what their server lets them do; the browser's suites build what they load. */
export const WIDGET_MUTANTS: readonly Mutant[] = [
  {
    name: 'reply-is-markup',
    why: 'what somebody talks an agent into saying runs as a script on the page of our customer',
    file: LINKED,
    find: 'nodes.push(document.createTextNode(text.slice(from)));',
    replace: 'nodes.push(document.createRange().createContextualFragment(text.slice(from)));',
    suite: WRITTEN,
    test: 'stays text; web addresses alone are links, which tell nobody where one came from',
  },
  {
    name: 'link-shows-another-host',
    why: 'an agent is made to show a link that reads as the bank’s and leads to a thief',
    file: LINKED,
    find: `return username === '' && password === '' ? href : undefined;`,
    replace: `return username === password || password === '' ? href : undefined;`,
    suite: WRITTEN,
    test: 'stays text; web addresses alone are links, which tell nobody where one came from',
  },
  {
    name: 'focus-lost-on-close',
    why: 'who uses the keyboard alone is thrown to the top of the page when they close the panel',
    file: ELEMENT,
    find: 'this.#launcher.focus();',
    replace: 'this.#launcher.blur();',
    suite: WRITTEN,
    test: 'at the keyboard alone opens it, writes, closes it, and is where they were',
  },
  {
    name: 'asked-before-opened',
    why: 'everybody who looks at the page is known to the server before they touch the widget',
    file: ELEMENT,
    find: 'this.#render();\n    this.#resume();',
    replace: 'this.#render();\n    this.#resume();\n    void this.#look();',
    suite: WRITTEN,
    test: 'nobody is asked anything before the panel is opened',
  },
  {
    name: 'own-server-without-cookies',
    why: 'the customer’s server does not know its own visitor, and answers that nobody is signed in',
    file: 'src/widget/talk/token.ts',
    find: `return post(new URL(url, document.baseURI).href, {}, 'same-origin');`,
    replace: `return post(new URL(url, document.baseURI).href, {}, 'omit');`,
    suite: WRITTEN,
    test: 'may know its visitor: the token comes from its own server',
  },
  {
    name: 'resume-lost',
    why: 'a socket that breaks once begins another conversation, and the visitor says all again',
    file: TALK,
    find: 'this.#resume = frame.resume;',
    replace: 'this.#resume ??= undefined;',
    suite: CLIENT,
    test: 'a socket that broke is resumed with the same token',
  },
  {
    name: 'said-twice-after-a-break',
    why: 'an order that was written as the network broke is placed twice',
    file: TALK,
    find: `for (const { id, text, state } of said) if (state === 'waiting') this.#say(id, text);`,
    replace: `for (const { id, text, state } of said) if (state !== 'unsure') this.#say(id, text);`,
    suite: CLIENT,
    test: 'a socket that broke is resumed with the same token',
  },
  {
    name: 'heard-after-clear',
    why: 'an agent that was interrupted goes on speaking until all that had come is said',
    file: WORKLETS,
    find: 'else this.#buffer.clear();',
    replace: 'else void this.#buffer;',
    suite: THREAD,
    test: 'plays nothing of what came before a clear, and tells of none of its marks',
  },
  {
    name: 'clear-not-told',
    why: 'the server stops, and what waits in the browser of who interrupted is said all the same',
    file: TALK,
    find: `if (frame.type === 'clear') return this.#events.onClear?.();`,
    replace: `if (frame.type === 'clear') return undefined;`,
    suite: CLIENT,
    test: 'sound, its marks and its clear are told in the order in which they come',
  },
  {
    name: 'frames-of-a-fifth',
    why: 'whoever interrupts is heard a fifth of a second late, each time',
    file: WORKLETS,
    find: 'const FRAME = TALK_RATE / 50;',
    replace: 'const FRAME = TALK_RATE / 5;',
    suite: SPOKEN,
    test: 'a visitor hears the greeting, is heard, and hears the answer',
  },
  {
    name: 'microphone-left-open',
    why: 'a visitor who has hung up is still listened to by their browser, and its light stays on',
    file: VOICE,
    find: 'for (const one of stream.getTracks()) one.stop();',
    replace: 'void stream;',
    suite: SPOKEN,
    test: 'a visitor hears the greeting, is heard, and hears the answer',
  },
  {
    name: 'microphone-outlives-the-talk',
    why: 'a talk that the server ends leaves the microphone on, and nobody talks any more',
    file: LINE,
    find: 'onOver: () => {\n        this.#hush();',
    replace: 'onOver: () => {',
    suite: SPOKEN,
    test: 'the microphone is closed when the server ends the talk',
  },
  {
    name: 'microphone-open-without-sound',
    why: 'where a policy of the page refuses the sound the microphone stays open, for nothing',
    file: VOICE,
    find: 'for (const track of stream?.getTracks() ?? []) track.stop();',
    replace: 'void stream;',
    suite: SPOKEN,
    test: 'where a policy keeps the sound out one is told so, and the microphone is closed',
  },
  {
    name: 'allowed-after-closing',
    why: 'who closed the panel and then allows the microphone is called by an agent they left',
    file: LINE,
    find: 'if (this.#era !== era) return voice.close();',
    replace: '',
    suite: SPOKEN,
    test: 'who closes the panel while the browser asks is not listened to when they allow it',
  },
  {
    name: 'muted-and-heard',
    why: 'a visitor who mutes to talk with somebody in the room is heard by the agent',
    file: VOICE,
    find: 'if (track) track.enabled = !isMuted;',
    replace: 'if (track) track.enabled ||= isMuted;',
    suite: SPOKEN,
    test: 'who mutes is not heard until they unmute',
  },
  {
    name: 'refused-in-silence',
    why: 'who once refused the microphone presses Speak, and nothing happens',
    file: LINE,
    find: 'this.sound.set({ ...SILENT, error: troubleOf(error) });',
    replace: 'this.sound.set({ ...SILENT, error: troubleOf(error) && null });',
    suite: SPOKEN,
    test: 'who refuses the microphone is told what to do, nobody is called, and they can write',
  },
  {
    name: 'playground-counts',
    why: 'who tries an agent out in the playground is in its statistics, and its events are sent',
    file: USE_LINE,
    find: 'test: true, variables',
    replace: 'test: false, variables',
    suite: PLAYGROUND,
    test: 'an agent is talked with, interrupted, and each reply has how long it took',
  },
  {
    name: 'playground-never-hangs-up',
    why: 'who leaves the playground goes on being heard, and the call is paid for',
    file: USE_LINE,
    find: 'useEffect(() => () => line.leave(), [line]);',
    replace: 'useEffect(() => () => void line, [line]);',
    suite: PLAYGROUND,
    test: 'one may write as well, and a page that is left hangs up',
  },
  {
    name: 'agents-found-out',
    why: 'a stranger learns by trying ids which agents there are',
    file: 'src/talks/admit-talk.ts',
    find: `  throw notAllowed('no agent of this id`,
    replace: `  if (!agent) throw noSuchTalk();\n  throw notAllowed('no agent of this id`,
    suite: TOKENS,
    test: 'nobody finds out which agents there are',
  },
  {
    name: 'token-on-every-page',
    why: 'a token that was read off an allowed page opens talks from any other',
    file: 'src/talks/admit-talk.ts',
    find: 'if (token.origin !== null && token.origin !== headers.origin) {',
    replace: 'if (token.origin === undefined) {',
    suite: REFUSED,
    test: 'is for pages of its origin',
  },
  {
    name: 'talk-of-another-agent',
    why: 'a token for one agent goes on with a talk that was begun with another',
    file: 'src/talks/talk-token.ts',
    find: `const SAME = ['namespace', 'agentId', 'origin', 'userId', 'test'] as const;`,
    replace: `const SAME = ['namespace', 'origin', 'userId', 'test'] as const;`,
    suite: 'test/talks/talk-token.test.ts',
    test: 'a talk goes on',
  },
  {
    name: 'own-bound-ignored',
    why: 'an agent that is to talk with seven visitors at once talks with as many as Parley allows',
    file: 'src/talks/admit-talk.ts',
    find: 'spec.widget?.maxConcurrent ?? WIDGET_TALKS_MAX;',
    replace: 'Math.max(spec.widget?.maxConcurrent ?? 0, WIDGET_TALKS_MAX);',
    suite: TOKENS,
    test: 'that asks too often is told to wait, and others are not',
  },
];
