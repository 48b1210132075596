import type { ReactNode } from 'react';
import { useCan, type Scope } from '../data/me.ts';

/** Shows the children if the session has the scope. Otherwise, says which scope is missing. */
export function Needing({ scope, children }: { scope: Scope; children: ReactNode }) {
  if (useCan(scope)) return children;
  return (
    <div className="card empty">
      <p>
        This requires an API key with the <code>{scope}</code> scope, which yours lacks. Sign in
        with another key, or ask the person who manages the keys.
      </p>
    </div>
  );
}
