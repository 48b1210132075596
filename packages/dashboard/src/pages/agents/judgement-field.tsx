import type { Draft } from '../../data/agent-draft.ts';
import { Field } from '../../ui/field.tsx';
import { AreaField, TextField, type Form } from './agent-fields.tsx';

const JUDGES: Record<Draft['judged_by'], string> = {
  '': 'by rule (default)',
  rule: 'by rule',
  model: 'by a model as well',
};

/** Selects how ended conversations are judged. The model's settings appear only when a model judges. */
export function JudgementField({ form }: { form: Form }) {
  const { judged_by: by } = form.draft;
  return (
    <>
      <Field
        label="Judge ended conversations"
        hint="A model writes the summary and rates the outcome and the user’s satisfaction. This takes one more model request per conversation."
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
              label="Provider of the judging model"
              hint="Leave both empty for the model that replies."
            />
            <TextField
              form={form}
              name="judge_model"
              pointer="/judgement/model/name"
              label="Judging model"
            />
          </div>
          <AreaField
            form={form}
            name="judge_topics"
            pointer="/judgement/topics"
            label="Topics to choose from, one per line"
            hint="Leave empty to let the model name the topics."
            rows={3}
          />
        </>
      ) : null}
    </>
  );
}
