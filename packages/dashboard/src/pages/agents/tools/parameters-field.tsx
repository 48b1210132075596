import { OrJson } from '../../../form/or-json.tsx';
import { Button } from '../../../ui/button.tsx';
import {
  hasRows,
  NEW_PARAMETER,
  PARAMETER_TYPES,
  parametersOf,
  schemaOf,
  type ParameterRow,
  type Parameters,
  type ParameterType,
} from './tool-draft.ts';

/** Edits the parameters that the model fills in, with one row per parameter or as a JSON Schema. */
export function ParametersField({
  value,
  error,
  note = 'A parameter is a value that the model fills in from the conversation.',
  onChange,
}: {
  value: Parameters;
  error: string | undefined;
  note?: string | undefined;
  onChange: (value: Parameters) => void;
}) {
  const rows = typeof value === 'string' ? [] : value.rows;
  const rest = typeof value === 'string' ? {} : value.rest;
  const setRows = (next: readonly ParameterRow[]): void => onChange({ rows: next, rest });
  return (
    <OrJson
      legend="Parameters"
      value={typeof value === 'string' ? value : (schemaOf(value) ?? {})}
      empty={{}}
      shape="object"
      isExact
      whyJson={
        typeof value === 'string' && !hasRows(value)
          ? 'A JSON Schema that the row editor cannot show, for example because a parameter has several types.'
          : undefined
      }
      error={error}
      onChange={(next) => onChange(typeof next === 'string' ? next : parametersOf(next))}
    >
      {() => (
        <>
          {rows.length === 0 ? <p className="muted small">{note}</p> : null}
          {rows.map((row, at) => (
            <ParameterFields
              key={at}
              row={row}
              name={`Parameter ${at + 1}`}
              onChange={(next) => setRows(rows.map((one, other) => (other === at ? next : one)))}
              onRemove={() => setRows(rows.filter((_, other) => other !== at))}
            />
          ))}
          <p>
            <Button size="small" onClick={() => setRows([...rows, NEW_PARAMETER])}>
              Add a parameter
            </Button>
          </p>
        </>
      )}
    </OrJson>
  );
}

function ParameterFields({
  row,
  name,
  onChange,
  onRemove,
}: {
  row: ParameterRow;
  name: string;
  onChange: (row: ParameterRow) => void;
  onRemove: () => void;
}) {
  const set = (change: Partial<ParameterRow>): void => onChange({ ...row, ...change });
  return (
    <div className="agent-parameter">
      <div className="agent-row">
        <input
          aria-label={`${name}: name`}
          placeholder="Name"
          className="mono"
          value={row.name}
          onChange={({ target }) => set({ name: target.value })}
        />
        <select
          aria-label={`${name}: type`}
          value={row.type}
          // The cast is safe, because every option is a `ParameterType`.
          onChange={({ target }) => set({ type: target.value as ParameterType })}
        >
          {Object.entries(PARAMETER_TYPES).map(([type, text]) => (
            <option key={type} value={type}>
              {text}
            </option>
          ))}
        </select>
        <label className="check">
          <input
            type="checkbox"
            aria-label={`${name}: required`}
            checked={row.isRequired}
            onChange={({ target }) => set({ isRequired: target.checked })}
          />
          required
        </label>
        <Button size="small" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <input
        aria-label={`${name}: description`}
        placeholder="What the model fills in, for example the number on the receipt"
        value={row.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      {row.type === 'string' ? (
        <textarea
          aria-label={`${name}: allowed values, one per line`}
          placeholder="Allowed values, one per line. Leave empty for any text."
          rows={1 + row.choices.split('\n').length}
          value={row.choices}
          onChange={({ target }) => set({ choices: target.value })}
        />
      ) : null}
    </div>
  );
}
