import type { ReactNode } from 'react';
import './status.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'muted';

/** A state in a word; the colour says it again, never alone. */
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
