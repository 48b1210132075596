import type { AgentContent } from '../../data/agents.ts';
import { Field } from '../../ui/field.tsx';

const PLACEHOLDER = /\{\{\s*([^{}\s][^{}]{0,127}?)\s*\}\}/g;

/** Returns the placeholders (`{{name}}`) of the prompt and the first message, without duplicates. */
export function placeholdersOf(content: AgentContent | undefined): readonly string[] {
  const text = `${content?.prompt ?? ''}\n${content?.first_message ?? ''}`;
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/**
 * Fields for the variables of a conversation. They are set before the conversation starts and stay the same until it
 * ends.
 */
export function VariableFields({
  names,
  values,
  onChange,
}: {
  names: readonly string[];
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
}) {
  if (names.length === 0) return null;
  return (
    <fieldset className="playground-variables">
      <legend className="small muted">Variables</legend>
      {names.map((name) => (
        <Field key={name} label={<code>{name}</code>}>
          {(control) => (
            <input
              {...control}
              value={values[name] ?? ''}
              onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            />
          )}
        </Field>
      ))}
    </fieldset>
  );
}
