import type { Draft } from '../../data/agent-draft.ts';
import { Field } from '../../ui/field.tsx';
import { AreaField, TextField, type Form } from './agent-fields.tsx';

const JUDGES: Record<Draft['judged_by'], string> = {
  '': 'by rule, as by default',
  rule: 'by rule',
  model: 'by a model as well',
};

/** Selects how ended conversations are judged. The model's settings appear only when a model judges. */
export function JudgementField({ form }: { form: Form }) {
  const { judged_by: by } = form.draft;
  return (
    <>
      <Field
        label="Ended conversations are judged"
        hint="A model writes the summary, and says what became of it and how content the user was: one more request for each."
        error={form.errorAt('/judgement/by')}
      >
        {(control) => (
          <select
            {...control}
            value={by}
            onChange={({ target }) => form.set({ judged_by: target.value as Draft['judged_by'] })}
          >
            {Object.entries(JUDGES).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {by === 'model' ? (
        <>
          <div className="agent-pair">
            <TextField
              form={form}
              name="judge_provider"
              pointer="/judgement/model/provider"
              label="Provider of the model that judges"
              hint="With the next field empty: the model that replies."
            />
            <TextField
              form={form}
              name="judge_model"
              pointer="/judgement/model/name"
              label="Model that judges"
            />
          </div>
          <AreaField
            form={form}
            name="judge_topics"
            pointer="/judgement/topics"
            label="Topics it chooses from, one a line"
            hint="Empty: the model finds the words."
            rows={3}
          />
        </>
      ) : null}
    </>
  );
}
