import { createGrowingText } from './growing-text.ts';

/**
 * Filter that removes the reasoning of a model from its text. Chunks may split a tag anywhere. Some chat templates put
 * the opening tag into the prompt, so that the answer has only the closing tag.
 */
export type ThinkingFilter = {
  take: (piece: string) => Filtered;
  /**
   * Stops waiting for a closing tag, because the server sends the reasoning separately. Returns the text held back so
   * far.
   */
  release: () => string;
  /** Ends the text and returns the remaining text that was held back. */
  end: () => string;
  /** Whether a closing tag came without its opening tag. */
  readonly beganInside: boolean;
};

/**
 * Filtered text. `takesBack` means that all earlier text was reasoning. `isHidden` means that the piece had text that
 * may not be shown yet.
 */
export type Filtered = { text: string; takesBack: boolean; isHidden: boolean };

/** Tags that models write around their reasoning. Matching ignores case. */
const TAGS: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<thoughts>', '</thoughts>'],
  ['<reasoning>', '</reasoning>'],
  ['<reflection>', '</reflection>'],
  ['<scratchpad>', '</scratchpad>'],
  ['<unused94>thought', '<unused95>'],
  ['<seed:think>', '</seed:think>'],
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|channel|>analysis<|message|>', '<|channel|>final<|message|>'],
];
const CLOSING = new Set(TAGS.map(([, close]) => close));
const ALL = TAGS.flat();
/** Maximum white space inside a tag, before its closing bracket. */
const SPACE_MAX = 4;
const TAG = new RegExp(
  ALL.map((tag) => tag.replaceAll(/[|[\]/]/g, String.raw`\$&`))
    .map((tag) => tag.replace(/([a-z])>$/, `$1\\s{0,${SPACE_MAX}}>`))
    .join('|'),
  'i',
);
/**
 * Maximum length of leading white space that is held back, because a tag may follow. Longer white space counts as text.
 */
const LEAD_CHARS_MAX = 1_000;
const FIRST_SIGN = /[<[◁]/;
const LONGEST = Math.max(...ALL.map(({ length }) => length));
/** Maximum length of text that is held back until a tag shows whether it is reasoning. */
const MAX_HELD_CHARS = 256 * 1024;

/**
 * Creates a filter.
 * @param isHeld whether all text is held back until a closing tag or the end of the answer
 */
export function createThinkingFilter({ isHeld }: { isHeld: boolean }): ThinkingFilter {
  let unread = '';
  const held = createGrowingText(MAX_HELD_CHARS);
  let holds = isHeld;
  let isInside = false;
  let hasSaid = false;
  let hasThought = false;
  let beganInside = false;

  /** Returns text, or holds it back. Drops white space before the first word after reasoning. */
  const say = (text: string): string => {
    if (holds) {
      held.add(text);
      return '';
    }
    const said = hasSaid || !hasThought ? text : text.trimStart();
    hasSaid ||= said !== '';
    return said;
  };
  const release = (): string => {
    holds = false;
    const text = say(held.text);
    held.clear();
    return text;
  };
  /** Handles a tag. Returns true if all text before it was reasoning. */
  const meet = (tag: string): boolean => {
    const isClosing = CLOSING.has(tag.toLowerCase().replaceAll(/\s/g, ''));
    const isAlone = isClosing && !isInside;
    isInside = !isClosing;
    hasThought = true;
    if (!isAlone) return false;
    beganInside = true;
    held.clear();
    holds = false;
    hasSaid = false;
    return true;
  };

  return {
    take: (piece) => {
      let text = '';
      let takesBack = false;
      unread += piece;
      for (let found = TAG.exec(unread); found; found = TAG.exec(unread)) {
        const before = unread.slice(0, found.index);
        if (!isInside) text += beforeTag(before, { hasSaid, say });
        unread = unread.slice(found.index + found[0].length);
        if (!meet(found[0])) {
          text += holds ? release() : '';
          continue;
        }
        takesBack = true;
        text = '';
      }
      const isStart = !hasSaid && !isInside && unread.length <= LEAD_CHARS_MAX;
      const end = unread.length - heldBack(unread, isStart);
      const rest = unread.slice(0, end);
      unread = unread.slice(end);
      if (!isInside) text += say(rest);
      return { text, takesBack, isHidden: piece !== '' && text === '' };
    },
    release,
    end: () => {
      const rest = isInside ? '' : say(unread);
      unread = '';
      return release() + rest;
    },
    get beganInside() {
      return beganInside;
    },
  };
}

/** Returns the text before a tag. Drops white space that stands alone before reasoning. */
function beforeTag(
  text: string,
  { hasSaid, say }: { hasSaid: boolean; say: (text: string) => string },
): string {
  return hasSaid || text.trim() !== '' ? say(text) : '';
}

/**
 * Returns how many characters at the end of the text to hold back: those that may begin a tag, or white space before
 * the first word.
 */
function heldBack(text: string, isStart: boolean): number {
  const tag = beginOfTag(text);
  return isStart && text.slice(0, text.length - tag).trim() === '' ? text.length : tag;
}

function beginOfTag(text: string): number {
  const tail = text.slice(-LONGEST - SPACE_MAX).toLowerCase();
  if (!FIRST_SIGN.test(tail)) return 0;
  for (let at = 0; at < tail.length; at += 1) {
    const part = tail.slice(at).trimEnd();
    if (part !== '' && ALL.some((tag) => tag.startsWith(part))) return tail.length - at;
  }
  return 0;
}
