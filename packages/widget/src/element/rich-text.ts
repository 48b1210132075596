import type { Piece, Structure } from '../text/piece.ts';
import type { ReadText } from '../text/read-text.ts';
import { element } from './made.ts';

/**
 * Loads the function that finds links and Markdown in a text.
 *
 * @param url URL of the built file of `read-text.ts`
 */
export async function loadReader(url: string): Promise<ReadText> {
  const loaded = (await import(/* @vite-ignore */ url)) as { readText: ReadText };
  return loaded.readText;
}

/** Creates the DOM nodes of a parsed text. Strings become text nodes, never markup. */
export function nodesOf(pieces: readonly Piece[], newTab: string): Node[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? document.createTextNode(piece) : nodeOf(piece, newTab),
  );
}

function nodeOf({ tag, children, href, start }: Structure, newTab: string): Node {
  const nodes = nodesOf(children, newTab);
  // The `div` lets a wide table scroll horizontally.
  if (tag === 'table') return element('div', { class: 'wide' }, [element(tag, {}, nodes)]);
  if (tag === 'ol' && start !== 1) return element(tag, { start: String(start) }, nodes);
  if (href === undefined) return element(tag, {}, nodes);
  const place = href.startsWith('http') ? { target: '_blank', title: newTab } : {};
  return element('a', { href, rel: 'noopener noreferrer nofollow', ...place }, nodes);
}
