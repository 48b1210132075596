import { Fragment, type ReactNode } from 'react';
import { get } from 'react-hook-form';
import { Button } from '../ui/button.tsx';
import { isSame, mergeChanges } from './merge.ts';

/** Shows what somebody else changed since the form opened, and asks whose changes to keep. */
export function Meanwhile<Values extends object>({
  children,
  labels,
  textOf = plainText,
  before,
  mine,
  theirs,
  onTake,
}: {
  /**
   * Returns the sentence that says who made the other change. `isShown` is false if none of the labeled values changed.
   * In this case, no changes are listed below the sentence.
   */
  children: (isShown: boolean) => ReactNode;
  /** Labels of the values to compare, by path. */
  labels: Readonly<Record<string, string>>;
  textOf?: (value: unknown, path: string) => string;
  before: Values;
  mine: Values;
  theirs: Values;
  onTake: (next: Values) => void;
}) {
  const isChanged = (values: Values, path: string): boolean =>
    !isSame(get(before, path), get(values, path));
  const changed = Object.keys(labels).filter((path) => isChanged(theirs, path));
  const shown = (values: Values, path: string): string => textOf(get(values, path), path) || 'none';
  return (
    <div className="trouble" role="alert">
      <p>{children(changed.length > 0)}</p>
      <dl className="facts">
        {changed.map((path) => (
          <Fragment key={path}>
            <dt>{labels[path]}</dt>
            <dd>
              <del>{shown(before, path)}</del> → <ins>{shown(theirs, path)}</ins>
              {isChanged(mine, path) ? (
                <span className="muted"> · yours: {shown(mine, path)}</span>
              ) : null}
            </dd>
          </Fragment>
        ))}
      </dl>
      <div className="row">
        <Button onClick={() => onTake(theirs)}>Take theirs</Button>
        <Button
          onClick={() => onTake(mergeChanges(before, { mine, theirs, winner: 'mine' }).merged)}
        >
          Keep mine
        </Button>
      </div>
    </div>
  );
}

function plainText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
