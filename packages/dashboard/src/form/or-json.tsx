import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { jsonProblem, type Shape } from './json-shape.ts';
import { cleaned } from './merge.ts';

/**
 * Part of a form that people edit either with fields or as JSON in the API's format. If `value` is a string, it is
 * JSON. The JSON is checked while it is typed. People can switch back to the fields once the fields can show the value.
 */
export function OrJson<Value extends object>({
  legend,
  value,
  empty,
  shape,
  error,
  isExact,
  whyJson,
  onChange,
  children,
}: {
  legend: string;
  value: Value | string;
  /** Value to use when the JSON text is blank. */
  empty: Value;
  shape: Shape;
  /** Error that the API returned for the value, or for a value inside it. */
  error?: string | undefined;
  /** Whether the JSON keeps empty members. Set it if they are significant. */
  isExact?: boolean;
  /** The reason why the fields cannot show the JSON; undefined if they can. */
  whyJson?: string | undefined;
  onChange: (value: Value | string) => void;
  children: (value: Value) => ReactNode;
}) {
  const problem = typeof value === 'string' ? jsonProblem(value, shape) : undefined;
  const turnText = typeof value === 'string' ? 'Edit with fields' : 'Edit as JSON';
  const turn = (): void => {
    if (typeof value !== 'string') onChange(textOf(isExact ? value : cleaned(value)));
    // The cast is safe, because the button is enabled only if the JSON has the right shape.
    else onChange(value.trim() === '' ? empty : (JSON.parse(value) as Value));
  };
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {typeof value === 'string' ? (
        <Field
          label={`${legend} as JSON`}
          hint={whyJson ?? 'JSON in the API’s format. Leave empty for no value.'}
          error={problem ?? error}
        >
          {(control) => (
            <textarea
              {...control}
              className="mono"
              spellCheck={false}
              rows={Math.min(20, Math.max(4, value.split('\n').length + 1))}
              value={value}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      ) : (
        <div className="stack-small">
          {children(value)}
          {error ? <p className="problem small">{error}</p> : null}
        </div>
      )}
      <p>
        <Button
          size="small"
          kind="quiet"
          onClick={turn}
          disabled={problem !== undefined || whyJson !== undefined}
          aria-label={`${turnText}: ${legend}`}
        >
          {turnText}
        </Button>
      </p>
    </fieldset>
  );
}

function textOf(value: unknown): string {
  const isNothing = value === undefined || Object.keys(Object(value) as object).length === 0;
  return isNothing ? '' : JSON.stringify(value, null, 2);
}
