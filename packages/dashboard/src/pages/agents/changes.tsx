import type { Change } from '../../form/merge.ts';
import { Diff } from '../../ui/diff.tsx';
import { Json } from '../../ui/code.tsx';

/** Shows each difference. Strings are compared word by word, and other values are shown before and after the change. */
export function Changes({
  changes,
  heading: Heading = 'h3',
}: {
  changes: readonly Change[];
  /** Heading element, one level below the heading above this list. */
  heading?: 'h2' | 'h3';
}) {
  if (changes.length === 0) return <p className="muted">No differences.</p>;
  return (
    <div>
      {[...changes].sort(promptFirst).map(({ path, before, after }) => (
        <section key={path} className="agent-change">
          <Heading>{placeOf(path)}</Heading>
          {typeof before === 'string' && typeof after === 'string' ? (
            <Diff before={before} after={after} />
          ) : (
            <div className="agent-change-sides">
              <Side name="Before" value={before} />
              <Side name="After" value={after} />
            </div>
          )}
        </section>
      ))}
    </div>
  );
}

function Side({ name, value }: { name: string; value: unknown }) {
  const isNothing = value === null || value === undefined;
  return (
    <div className="stack-small">
      <span className="small muted">{name}</span>
      {isNothing ? (
        <p className="agent-change-side muted">–</p>
      ) : typeof value === 'object' ? (
        <Json value={value} label={name} />
      ) : (
        <p className="agent-change-side preserved">
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </p>
      )}
    </div>
  );
}

function promptFirst(a: Change, b: Change): number {
  return Number(b.path === '/prompt') - Number(a.path === '/prompt');
}

/** Formats a JSON Pointer for display: `/tools/refund/timeout_ms` → `Tools › refund › timeout ms`. */
export function placeOf(pointer: string): string {
  const parts = pointer.split('/').slice(1).map(unescaped);
  const words = parts.map((part, at) => (at === 1 ? part : part.replaceAll('_', ' ')));
  const text = words.join(' › ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
