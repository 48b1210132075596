import type { Piece, Structure } from '../text/piece.ts';
import type { ReadText } from '../text/read-text.ts';
import { element } from './made.ts';

/**
 * Loads the function that finds links and Markdown in a text.
 *
 * @param url the file of `read-text.ts`
 */
export async function loadReader(url: string): Promise<ReadText> {
  const loaded = (await import(/* @vite-ignore */ url)) as { readText: ReadText };
  return loaded.readText;
}

/** Returns nodes of a parsed text. Strings never become markup. */
export function nodesOf(pieces: readonly Piece[], newTab: string): Node[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? document.createTextNode(piece) : nodeOf(piece, newTab),
  );
}

function nodeOf({ tag, children, href, start }: Structure, newTab: string): Node {
  const nodes = nodesOf(children, newTab);
  // A wide table scrolls in its box.
  if (tag === 'table') return element('div', { class: 'wide' }, [element(tag, {}, nodes)]);
  if (tag === 'ol' && start !== 1) return element(tag, { start: String(start) }, nodes);
  if (href === undefined) return element(tag, {}, nodes);
  const place = href.startsWith('http') ? { target: '_blank', title: newTab } : {};
  return element('a', { href, rel: 'noopener noreferrer nofollow', ...place }, nodes);
}
