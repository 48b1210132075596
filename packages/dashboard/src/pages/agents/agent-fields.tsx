import type { ReactNode } from 'react';
import type { Draft } from '../../data/agent-draft.ts';
import { useCan } from '../../data/me.ts';
import { Field } from '../../ui/field.tsx';

/** Props that every part of the form takes. */
export type Form = {
  draft: Draft;
  set: (changed: Partial<Draft>) => void;
  /** Returns the error at a JSON Pointer of the API. */
  errorAt: (pointer: string) => string | undefined;
};

type TextName = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never;
}[keyof Draft];

/** A field for one line of text or a number. */
export function TextField({
  form,
  name,
  pointer,
  label,
  hint,
  kind = 'text',
  list,
}: {
  form: Form;
  name: TextName;
  pointer: string;
  label: string;
  hint?: string;
  kind?: 'text' | 'number';
  /** Id of a datalist. */
  list?: string;
}) {
  return (
    <Field label={label} hint={hint} error={form.errorAt(pointer)}>
      {(control) => (
        <input
          {...control}
          type={kind}
          step="any"
          list={list}
          autoComplete="off"
          value={form.draft[name]}
          onChange={({ target }) => form.set({ [name]: target.value })}
        />
      )}
    </Field>
  );
}

export function AreaField({
  form,
  name,
  pointer,
  label,
  hint,
  rows,
  isCode,
  isRequired,
}: {
  form: Form;
  name: TextName;
  pointer: string;
  label: string;
  hint?: ReactNode;
  rows: number;
  isCode?: boolean;
  isRequired?: boolean;
}) {
  return (
    <Field label={label} hint={hint} error={form.errorAt(pointer)}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          required={isRequired}
          spellCheck={!isCode}
          className={isCode ? 'mono' : undefined}
          value={form.draft[name]}
          onChange={({ target }) => form.set({ [name]: target.value })}
        />
      )}
    </Field>
  );
}

export function BasicFields({ form }: { form: Form }) {
  return (
    <>
      <TextField
        form={form}
        name="display_name"
        pointer="/display_name"
        label="Name"
        hint="Shown to people. The name in manifests and the API never changes."
      />
      <AreaField
        form={form}
        name="prompt"
        pointer="/prompt"
        label="Prompt"
        hint="Instructions for the agent: who it is, what it does and what it never does."
        rows={14}
        isRequired
      />
      <AreaField
        form={form}
        name="first_message"
        pointer="/first_message"
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
] as const;

export function PolicyField({ form, isNew }: { form: Form; isNew?: boolean }) {
  const can = useCan('publish');
  const error = form.errorAt('/publish_policy');
  return (
    <fieldset className="agent-choice" title={can ? undefined : 'Needs the scope publish'}>
      <legend>Publishing</legend>
      {POLICIES.map(({ value, label, hint }) => (
        <label key={value} className="check">
          <input
            type="radio"
            name="publish_policy"
            // Creating a manual agent needs only the scope `write`.
            disabled={!can && !(isNew && value === 'manual')}
            checked={form.draft.publish_policy === value}
            onChange={() => form.set({ publish_policy: value })}
          />
          <span>
            {label} <span className="muted small">{hint}</span>
          </span>
        </label>
      ))}
      {error ? <p className="problem small">{error}</p> : null}
    </fieldset>
  );
}
