import type { ReactNode } from 'react';
import './status.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'muted';

/** Shows a state in a word. The color repeats the word and is never the only signal. */
export function Status({
  tone,
  children,
  title,
}: {
  tone: Tone;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className={`status status-${tone}`} title={title}>
      {children}
    </span>
  );
}
