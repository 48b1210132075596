import type { ReactNode } from 'react';
import { AreaField, errorAt, SelectField, TextField } from '../../form/fields.tsx';
import { useCan } from '../../data/me.ts';
import type { AgentFormProps } from './agent-values.ts';

export function BasicFields({ form }: AgentFormProps) {
  return (
    <>
      <TextField
        form={form}
        name="display_name"
        label="Name"
        hint="The name that people see. The name in manifests and the API never changes."
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
        hint="The agent says this first. {{name}} is replaced with the conversation’s variable of that name."
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
    hint: 'Saved changes get a growing share of conversations, step by step.',
  },
] as const;

export function PolicyField({ form, isNew }: AgentFormProps & { isNew?: boolean }) {
  const can = useCan('publish');
  return (
    <Choice
      legend="Publishing"
      title={can ? undefined : 'Requires the publish scope'}
      error={errorAt(form, 'publish_policy')}
    >
      {POLICIES.map(({ value, label, hint }) => (
        <label key={value} className="check">
          <input
            type="radio"
            {...form.register('publish_policy')}
            value={value}
            // Creating an agent with the policy `manual` requires only the `write` scope.
            disabled={!can && !(isNew && value === 'manual')}
          />
          <span>
            {label} <span className="muted small">{hint}</span>
          </span>
        </label>
      ))}
      {form.watch('publish_policy') === 'progressive' ? <RolloutFields form={form} /> : null}
    </Choice>
  );
}

const CHECKS = {
  escalation_rate: 'escalated conversations, 0 to 1',
  resolution_rate: 'resolved conversations, 0 to 1',
  gap_rate: 'questions without an answer, 0 to 1',
  unanswered_rate: 'conversations with an unanswered question, 0 to 1',
  tool_failure_rate: 'conversations with a failed tool call, 0 to 1',
  csat_average: 'average rating, 0 to 4',
  turn_latency_p95_ms: '95th percentile of reply times, in ms',
};

function RolloutFields({ form }: AgentFormProps) {
  const error = errorAt(form, 'rollout');
  return (
    <div className="stack">
      {error ? <p className="problem small">{error}</p> : null}
      <TextField
        form={form}
        name="rollout.weights"
        label="Share of conversations at each step, in percent"
        hint="After the last step, the version is live for everybody."
      />
      <TextField
        form={form}
        name="rollout.conversations"
        label="Conversations required for each step"
      />
      <details>
        <summary>What counts as worse</summary>
        <div className="stack details-body">
          {Object.entries(CHECKS).map(([metric, label]) => (
            <TextField
              key={metric}
              form={form}
              name={`rollout.checks.${metric}`}
              label={`Difference in ${label}`}
              type="number"
            />
          ))}
        </div>
      </details>
      <SelectField form={form} name="rollout.on_fail" label="If the version is worse">
        <option value="">abort (default)</option>
        <option value="abort">abort</option>
        <option value="hold">hold</option>
      </SelectField>
      <SelectField
        form={form}
        name="rollout.on_abort"
        label="Conversations in progress after an abort"
      >
        <option value="">keep the version (default)</option>
        <option value="keep">keep the version</option>
        <option value="escalate">request a human agent</option>
      </SelectField>
    </div>
  );
}

/** A group of controls with its legend above and its error below. */
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
