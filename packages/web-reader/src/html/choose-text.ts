import { BESIDE, IN_ARTICLE, IN_CONTENT, IN_MAIN, type Block, type Part } from './html-blocks.ts';

/**
 * Only a region (`<main>`, articles or content elements) with more than this share of the page's text is chosen as the
 * main text. A region with less is probably an almost empty `<main>`, or one of many articles.
 */
const SHARE_MIN = 0.15;
/**
 * Minimum share of the chosen text that must remain without its menus and similar blocks. If less would remain, these
 * blocks are kept, because they are probably the actual text.
 */
const KEPT_MIN = 0.2;

/**
 * An element with a menu-like class or id and fewer characters of text than this is treated as a menu. For an element
 * with more characters, `readsAsText` decides.
 */
const TEXT_CHARS_MIN = 30;
/**
 * Minimum share of an element's lines that are sentences or contain a price. An element that reaches this share counts
 * as text even if it consists mostly of links.
 */
const SENTENCES_MIN = 0.5;

type Held = { chars: number; linked: number; lines: number; sentences: number };

/**
 * Decides whether hidden elements, and elements with a menu-like class or id, belong to the text. Drops blocks that
 * visitors never see, and marks menu blocks as `BESIDE`. Takes time linear in the number of blocks and parts.
 */
export function judgeParts(
  blocks: readonly Block[],
  { parts, opened }: { parts: readonly Part[]; opened: ReadonlySet<string> },
): Block[] {
  if (parts.length === 0) return [...blocks];
  const held = new Map<Part, Held>();
  for (const part of parts) held.set(part, { chars: 0, linked: 0, lines: 0, sentences: 0 });
  for (const { part, text, linked } of blocks) {
    if (part === undefined) continue;
    const isSentence = /[.!?…。！？:]["')”»]?$|\d[.,]\d{2}(?!\d)|[€$£¥]/u.test(text.slice(-40));
    addTo(held.get(part)!, { chars: text.length, linked, lines: 1, sentences: isSentence ? 1 : 0 });
  }
  for (const part of parts.toReversed()) {
    if (part.outside !== undefined) addTo(held.get(part.outside)!, held.get(part)!);
  }
  const verdicts = new Map<Part, 'text' | 'beside' | 'unseen'>();
  for (const part of parts) {
    const outside = part.outside === undefined ? 'text' : verdicts.get(part.outside)!;
    const own =
      part.kind === 'hidden'
        ? judgeHidden(part, opened, held.get(part)!)
        : judgeNamed(part, held.get(part)!);
    verdicts.set(part, outside === 'unseen' || own === 'text' ? outside : own);
  }
  return blocks.flatMap((block) => {
    const verdict = block.part === undefined ? 'text' : verdicts.get(block.part)!;
    if (verdict === 'unseen') return [];
    return verdict === 'beside' ? [{ ...block, where: block.where | BESIDE }] : [block];
  });
}

function addTo(sum: Held, more: Held): void {
  sum.chars += more.chars;
  sum.linked += more.linked;
  sum.lines += more.lines;
  sum.sentences += more.sentences;
}

function judgeHidden(
  { isOut, opens, id }: Part,
  opened: ReadonlySet<string>,
  content: Held,
): 'text' | 'beside' | 'unseen' {
  if (isOut || !(opens || (id !== undefined && opened.has(id)))) return 'unseen';
  // If only a button or link shows that visitors can open the hidden element, the element may be a menu. Its content
  // then decides.
  return opens || readsAsText(content) ? 'text' : 'beside';
}

function judgeNamed({ isOut }: Part, content: Held): 'text' | 'beside' {
  if (isOut || content.chars < TEXT_CHARS_MIN) return 'beside';
  return readsAsText(content) ? 'text' : 'beside';
}

/**
 * Returns true if most characters are outside links or enough lines are sentences. Returns false for a list of links.
 */
function readsAsText({ chars, linked, lines, sentences }: Held): boolean {
  return linked * 2 < chars || sentences >= SENTENCES_MIN * lines;
}

/** Returns the blocks that make up the main text of a page, in page order. */
export function chooseText(blocks: readonly Block[], articles: number): Block[] {
  const part = bestPart(blocks, articles);
  const inside = blocks.filter(({ where }) => (where & part) === part);
  const kept = inside.filter(({ where }) => (where & BESIDE) === 0);
  return charsOf(kept) < KEPT_MIN * charsOf(inside) ? inside : kept;
}

function bestPart(blocks: readonly Block[], articles: number): number {
  const kept = blocks.filter(({ where }) => (where & BESIDE) === 0);
  const of = (part: number): number => charsOf(kept.filter(({ where }) => (where & part) === part));
  const least = SHARE_MIN * of(0);
  const inArticle = of(IN_MAIN | IN_ARTICLE);
  if (of(IN_MAIN) > least) {
    const isAll = articles === 1 && inArticle * 2 >= of(IN_MAIN);
    return isAll ? IN_MAIN | IN_ARTICLE : IN_MAIN;
  }
  return [IN_ARTICLE, IN_CONTENT].find((part) => of(part) > least) ?? 0;
}

function charsOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Joins blocks into one text. List items and table rows follow each other directly, and an empty line separates all
 * other blocks.
 */
export function joinBlocks(blocks: readonly Block[]): string {
  let before: Block | undefined;
  const parts: string[] = [];
  for (const block of blocks) {
    if (before !== undefined) parts.push(isClose(before, block) ? '\n' : '\n\n');
    parts.push(block.text);
    before = block;
  }
  return parts.join('');
}

function isClose(before: Block, { kind, isFirst }: Block): boolean {
  return (kind === 'item' || kind === 'row') && before.kind === kind && !isFirst;
}
