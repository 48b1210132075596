import { emphasis } from './emphasis.ts';
import { closingOf, isOfSpaceless, isSpace, isWordy, mayCome, WAIT, type Rule } from './reading.ts';
import { DELIMITERS, isDelimitersStart } from './table.ts';

const SPAN_CHARS_MAX = 300;
const CODE_CHARS_MAX = 1_000;
const LINK_CHARS_MAX = 2_000;

/** Omits text that is struck out: `~~old~~`. */
const strike: Rule = (_, source, at) => {
  const { text, isWhole } = source;
  if (text[at + 1] === undefined) return isWhole ? undefined : WAIT;
  if (text[at + 1] !== '~') return undefined;
  const end = text.indexOf('~~', at + 2);
  const isLine = end > 0 && !text.slice(at, end).includes('\n');
  if (isLine) return { length: end + 2 - at, closes: true, isLeftOut: true };
  return !text.includes('\n', at) && mayCome(source, at, SPAN_CHARS_MAX) ? WAIT : undefined;
};

/** Keeps inline code, without its backticks. */
const code: Rule = (_, source, at) => {
  const { text, isWhole } = source;
  const marks = /^`+/.exec(text.slice(at))![0];
  const from = at + marks.length;
  if (from === text.length && !isWhole) return WAIT;
  const literal = { length: marks.length, copy: [at, from] as [number, number] };
  const rest = text.slice(from, from + CODE_CHARS_MAX);
  const found = new RegExp(`(?<!\`)${marks}(?!\`)`).exec(rest);
  const isCut = found !== null && from + found.index + marks.length === text.length && !isWhole;
  const inside = found && rest.slice(0, found.index);
  if (inside !== null && !isCut && !inside.includes('\n\n')) {
    const end = from + inside.length;
    return { length: end + marks.length - at, copy: [from, end], closes: true };
  }
  return mayCome(source, at, CODE_CHARS_MAX) ? WAIT : literal;
};

/** Keeps the text of a link, and omits the number of a footnote: `[^1]`. */
const link: Rule = (_, source, at) => {
  const { text, isWhole } = source;
  const end = closingOf(text, at, '[]');
  if (end === undefined) return mayCome(source, at, LINK_CHARS_MAX) ? WAIT : undefined;
  const inside = text.slice(at + 1, end);
  if (/^\^\S+$/.test(inside)) return { length: end + 1 - at, closes: true };
  const after = text[end + 1];
  if (after === undefined && !isWhole) return WAIT;
  if (after !== '(' && after !== '[') return undefined;
  const last = closingOf(text, end + 1, after === '(' ? '()' : '[]');
  if (last === undefined) return mayCome(source, at, LINK_CHARS_MAX) ? WAIT : undefined;
  return { length: last + 1 - at, inner: [at + 1, end], closes: true };
};

/** Keeps the description of an image. */
const image: Rule = (reading, source, at) => {
  // After a word, the exclamation mark ends a sentence and does not begin an image.
  if (!isSpace(reading.before) && !/[([|>*_]/.test(reading.before)) return undefined;
  const next = source.text[at + 1];
  if (next === undefined) return source.isWhole ? undefined : WAIT;
  const found = next === '[' ? link(reading, source, at + 1) : undefined;
  if (found === undefined || found === WAIT) return found;
  const isSilent = found.inner !== undefined && found.inner[0] === found.inner[1];
  return { ...found, length: found.length + 1, ...(isSilent && { isLeftOut: true }) };
};

/**
 * HTML elements that models write. Other elements, such as those of SSML, are kept, because they may be instructions
 * for the synthesizer.
 */
const ELEMENTS = new Set(
  (
    'a abbr b big blockquote br center cite code dd del details div dl dt em figure font footer h1 h2 h3 h4 h5 h6 header hr i img ' +
    'ins kbd li mark ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr u ul'
  ).split(' '),
);
/** Elements that separate words and are therefore replaced by a space. */
const APART = /^(?:br|p|div|li|tr|td|th|h[1-6]|hr|ul|ol|table|dd|dt|section|blockquote)$/;

const tag: Rule = (_, source, at) => {
  const { text } = source;
  // A tag cannot extend beyond its paragraph, and neither can any other span. If tags could, text that arrives in
  // pieces would be spoken differently from text that arrives as a whole.
  const [rest = ''] = text.slice(at, at + SPAN_CHARS_MAX).split('\n\n', 1);
  const address = /^<(?:https?:\/\/[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/i.exec(rest)?.[0].length;
  if (address) return { length: address, inner: [at + 1, at + address - 1], closes: true };
  const comment = /^<!--.*?-->/s.exec(rest)?.[0].length;
  if (comment) return { length: comment, isLeftOut: true };
  const element = /^<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>/i.exec(rest);
  const name = element?.[2]?.toLowerCase() ?? '';
  if (element && ELEMENTS.has(name)) {
    const { length } = element[0];
    if (APART.test(name)) return { length, say: ' ' };
    return element[1] === '/' ? { length, closes: true } : { length };
  }
  const isOpen = /^<(?:[a-z/!][^<>]*)?$/i.test(rest);
  return isOpen && mayCome(source, at, SPAN_CHARS_MAX) ? WAIT : undefined;
};

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': ' ',
  '&ndash;': '–',
  '&mdash;': '—',
  '&hellip;': '…',
  '&euro;': '€',
};

const entity: Rule = (_, { text, isWhole }, at) => {
  const rest = text.slice(at, at + 8);
  const [named] = /^&#?\w+;/.exec(rest) ?? [];
  const say = named && ENTITIES[named.toLowerCase()];
  if (named && say) return { length: named.length, say };
  const isOpen = /^&#?\w*$/.test(rest) && rest.length < 8;
  return isOpen && !isWhole ? WAIT : undefined;
};

/** Keeps a mark that is escaped with a backslash, and removes the backslash. */
const escape: Rule = (_, { text, isWhole }, at) => {
  const next = text[at + 1];
  if (next === undefined) return isWhole ? undefined : WAIT;
  if (next === '\n') return { length: 1, closes: true };
  return /[!-/:-@[-`{-~]/.test(next) ? { length: 2, copy: [at + 1, at + 2] } : undefined;
};

/** Replaces a bar between the columns of a table header with a comma. */
const bar: Rule = (reading, source, at) => {
  const { text, isWhole } = source;
  if (!reading.isHead) {
    const end = text.indexOf('\n', at);
    if (end < 0) return isWhole ? undefined : WAIT;
    const [below = '', more] = text.slice(end + 1).split('\n', 2);
    if (more === undefined && !isWhole && isDelimitersStart(below)) return WAIT;
    if (!DELIMITERS.test(below)) return undefined;
    reading.isHead = reading.isTable = true;
  }
  const { length } = /^\|[ \t]*/.exec(text.slice(at))![0];
  return { length, say: text[at + length] === '\n' ? ' ' : ', ' };
};

const STARTS = ['https://', 'http://', 'www.'];
/** Matches the longest possible web address. `withoutMarks` then removes punctuation from its end. */
const ADDRESS = /^(?:https?:\/\/|www\.)[^\s<>|"'“”«»，。、！？；：（）「」『』【】《》]+/iu;
const ADDRESS_CHARS_MAX = 2_000;

/** Replaces a web address in the text with its host. */
const address: Rule = (reading, { text, isWhole }, at) => {
  if (isWordy(reading.before) && !isOfSpaceless(reading.before)) return undefined;
  const rest = text.slice(at, at + ADDRESS_CHARS_MAX);
  const lower = rest.toLowerCase();
  if (!isWhole && STARTS.some((start) => start.startsWith(lower))) return WAIT;
  const found = ADDRESS.exec(rest)?.[0];
  if (found === undefined) return undefined;
  if (!isWhole && found.length === rest.length) return WAIT;
  const whole = withoutMarks(found);
  const host = /^(?:https?:\/\/)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]*)/i.exec(whole)?.[1] ?? '';
  return host === '' ? undefined : { length: whole.length, say: host };
};

/**
 * Removes from the end of a web address any punctuation that ends the sentence, and a bracket that was opened before
 * the address.
 */
function withoutMarks(found: string): string {
  let whole = found;
  for (;;) {
    const shorter = whole.replace(/(?<![.,;:!?*_~`\]])[.,;:!?*_~`\]]+$/, '');
    const isOpen = shorter.split('(').length >= shorter.split(')').length;
    const next = shorter.endsWith(')') && !isOpen ? shorter.slice(0, -1) : shorter;
    if (next === whole) return whole;
    whole = next;
  }
}

/** Rule for each character that may begin something to convert, such as a Markdown mark or a web address. */
export const INLINE_RULES: Readonly<Record<string, Rule>> = {
  '*': emphasis,
  _: emphasis,
  '~': strike,
  '`': code,
  '[': link,
  '!': image,
  '<': tag,
  '&': entity,
  '\\': escape,
  '|': bar,
  h: address,
  H: address,
  w: address,
  W: address,
};
