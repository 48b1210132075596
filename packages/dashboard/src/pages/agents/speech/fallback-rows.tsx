import { providerOptions } from '../use-providers.ts';
import { Button } from '../../../ui/button.tsx';

const WORDS = {
  provider: 'provider',
  model: 'model',
  name: 'model',
  voice_id: 'voice',
} as const;

type Name = keyof typeof WORDS;
type Row = Partial<Record<Name, string | null | undefined>>;

/** Edits fallbacks in order of preference, one per row. `fields` are the inputs of each row. */
export function FallbackRows({
  rows,
  fields,
  providers,
  onChange,
}: {
  rows: readonly Row[];
  fields: readonly Name[];
  /** Names of the providers to choose from. */
  providers: readonly string[];
  onChange: (rows: Row[]) => void;
}) {
  const set = (at: number, name: Name, value: string): void =>
    onChange(rows.map((row, other) => (other === at ? { ...row, [name]: value } : row)));
  return (
    <>
      {rows.map((row, at) => (
        <div key={at} className="agent-row">
          {fields.map((name) => {
            const label = `Fallback ${at + 1}: ${WORDS[name]}`;
            return name === 'provider' ? (
              <select
                key={name}
                aria-label={label}
                value={row.provider ?? ''}
                onChange={({ target }) => set(at, name, target.value)}
              >
                {Object.entries(providerOptions(providers, row.provider, 'same provider')).map(
                  ([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ),
                )}
              </select>
            ) : (
              <input
                key={name}
                aria-label={label}
                placeholder={WORDS[name]}
                value={row[name] ?? ''}
                onChange={({ target }) => set(at, name, target.value)}
              />
            );
          })}
          <Button
            size="small"
            aria-label={`Remove fallback ${at + 1}`}
            onClick={() => onChange(rows.filter((_, other) => other !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <p>
        <Button size="small" onClick={() => onChange([...rows, {}])}>
          Add a fallback
        </Button>
      </p>
    </>
  );
}
