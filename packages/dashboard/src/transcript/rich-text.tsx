import { Fragment, useMemo, type ReactNode } from 'react';
import type { Piece, Structure } from '../../../widget/src/text/piece.ts';
import { readText } from '../../../widget/src/text/read-text.ts';

/**
 * Shows a message with the formatting of the widget: web addresses become links, and Markdown is formatted. Everything
 * else, including HTML, stays plain text, and nothing is loaded from other hosts.
 */
export function RichText({
  text,
  isMarkdown,
  isPartial = false,
}: {
  text: string;
  /** Whether Markdown is formatted. Models write Markdown; in messages from users, it stays plain text. */
  isMarkdown: boolean;
  /** Whether more of the text will arrive. */
  isPartial?: boolean;
}) {
  const pieces = useMemo(
    () => readText(text, { isMarkdown, isPartial }),
    [text, isMarkdown, isPartial],
  );
  return <div className="turn-text preserved">{shown(pieces)}</div>;
}

function shown(pieces: readonly Piece[]): ReactNode {
  return pieces.map((piece, at) => (
    // Pieces have no ID, so the key is their index. When a text grows, only its last piece changes.
    <Fragment key={at}>{typeof piece === 'string' ? piece : elementOf(piece)}</Fragment>
  ));
}

function elementOf({ tag: Tag, children, href, start }: Structure): ReactNode {
  if (Tag === 'hr') return <hr />;
  if (Tag === 'a') {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {shown(children)}
      </a>
    );
  }
  if (Tag === 'ol') return <ol start={start}>{shown(children)}</ol>;
  if (Tag === 'table') {
    return (
      <table>
        <tbody>{shown(children)}</tbody>
      </table>
    );
  }
  return <Tag>{shown(children)}</Tag>;
}
