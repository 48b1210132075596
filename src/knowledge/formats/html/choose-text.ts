import { BESIDE, IN_ARTICLE, IN_CONTENT, IN_MAIN, type Block } from './html-blocks.ts';

/** A part with less of the page's text is not its text: an empty `<main>`, one article of many. */
const SHARE_MIN = 0.15;
/** With less of a part's text left, what was taken for its surroundings was the text. */
const KEPT_MIN = 0.2;

/** The blocks that are the text of a page, in their order. */
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

/** Items of a list and rows of a table stand close; all else has an empty line between. */
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
