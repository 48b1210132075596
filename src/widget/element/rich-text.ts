import { linked } from '../text/addresses.ts';
import { readMarkdown } from '../text/markdown.ts';
import type { Piece, Structure } from '../text/piece.ts';
import { element } from './made.ts';

/** Returns nodes of a text in Markdown. `isPartial`: more of it follows. */
export function markdownNodes(text: string, newTab: string, isPartial = false): Node[] {
  return nodesOf(readMarkdown(text, { isPartial }), newTab);
}

/** Returns nodes of a text that is no Markdown, with its web addresses as links. */
export const literalNodes = (text: string, newTab: string): Node[] => nodesOf(linked(text), newTab);

function nodesOf(pieces: readonly Piece[], newTab: string): Node[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? document.createTextNode(piece) : nodeOf(piece, newTab),
  );
}

function nodeOf({ tag, children, href, start }: Structure, newTab: string): Node {
  const nodes = nodesOf(children, newTab);
  // A wide table scrolls by itself.
  if (tag === 'table') return element('div', { class: 'wide' }, [element(tag, {}, nodes)]);
  if (tag === 'ol' && start !== 1) return element(tag, { start: String(start) }, nodes);
  if (href === undefined) return element(tag, {}, nodes);
  const isWeb = href.startsWith('http');
  return element(
    'a',
    {
      href,
      rel: 'noopener noreferrer nofollow',
      ...(isWeb && { target: '_blank', title: newTab }),
    },
    nodes,
  );
}
