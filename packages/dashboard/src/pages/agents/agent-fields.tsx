import type { ReactNode } from 'react';
import { AreaField, errorAt, TextField } from '../../form/fields.tsx';
import { useCan } from '../../data/me.ts';
import type { AgentFormProps } from './agent-values.ts';

export function BasicFields({ form }: AgentFormProps) {
  return (
    <>
      <TextField
        form={form}
        name="display_name"
        label="Name"
        hint="Shown to people. The name in manifests and the API never changes."
      />
      <AreaField
        form={form}
        name="prompt"
        label="Prompt"
        hint="Instructions for the agent: who it is, what it does and what it never does."
        rows={14}
        required
      />
      <AreaField
        form={form}
        name="first_message"
        label="First message"
        hint="The agent says this first. {{name}} is replaced by that variable of the conversation."
        rows={2}
      />
    </>
  );
}

const POLICIES = [
  { value: 'automatic', label: 'Automatic', hint: 'Saved changes go live immediately.' },
  { value: 'manual', label: 'Manual', hint: 'Saved changes wait until somebody publishes them.' },
  {
    value: 'progressive',
    label: 'Progressive',
    hint: 'Saved changes get more conversations step by step. Needs a rollout, set by REST or a manifest.',
  },
] as const;

export function PolicyField({ form, isNew }: AgentFormProps & { isNew?: boolean }) {
  const can = useCan('publish');
  return (
    <Choice
      legend="Publishing"
      title={can ? undefined : 'Needs the scope publish'}
      error={errorAt(form, 'publish_policy')}
    >
      {POLICIES.map(({ value, label, hint }) => (
        <label key={value} className="check">
          <input
            type="radio"
            {...form.register('publish_policy')}
            value={value}
            // Creating an agent with the policy `manual` needs only the scope `write`.
            disabled={!can && !(isNew && value === 'manual')}
          />
          <span>
            {label} <span className="muted small">{hint}</span>
          </span>
        </label>
      ))}
    </Choice>
  );
}

/** A group of controls with its name above and its error below. */
export function Choice({
  legend,
  title,
  error,
  children,
}: {
  legend: string;
  title?: string | undefined;
  error?: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className="agent-choice" title={title}>
      <legend>{legend}</legend>
      {children}
      {error ? <p className="problem small">{error}</p> : null}
    </fieldset>
  );
}
