import { Suspense, use } from 'react';
import './diff.css';

type Part = { value: string; added: boolean; removed: boolean };

/** Compares two texts word by word. Removed words are struck through, and added words are underlined. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <Suspense fallback={<p className="muted">Comparing…</p>}>
      <Words parts={compare(before, after)} />
    </Suspense>
  );
}

function Words({ parts }: { parts: Promise<readonly Part[]> }) {
  const words = use(parts);
  if (words.every(({ added, removed }) => !added && !removed)) {
    return <p className="muted">No differences.</p>;
  }
  return (
    <div className="diff preserved">
      {words.map(({ value, added, removed }, at) =>
        added ? (
          <ins key={at}>{value}</ins>
        ) : removed ? (
          <del key={at}>{value}</del>
        ) : (
          <span key={at}>{value}</span>
        ),
      )}
    </div>
  );
}

/** Cache of recent comparisons, because `use` needs the same promise on every render. */
const compared = new Map<string, Promise<readonly Part[]>>();
const COMPARED_MAX = 20;

function compare(before: string, after: string): Promise<readonly Part[]> {
  const key = JSON.stringify([before, after]);
  const known = compared.get(key);
  if (known) return known;
  const made = import('diff').then(({ diffWordsWithSpace }) => diffWordsWithSpace(before, after));
  if (compared.size >= COMPARED_MAX) compared.clear();
  compared.set(key, made);
  return made;
}
