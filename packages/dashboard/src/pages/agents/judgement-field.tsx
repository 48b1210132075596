import { AreaField, SelectField, TextField } from '../../form/fields.tsx';
import type { AgentFormProps } from './agent-values.ts';
import { providerOptions, useProviders } from './use-providers.ts';

/** Selects how ended conversations are judged. The model's settings appear only when a model judges. */
export function JudgementField({ form }: AgentFormProps) {
  const names = useProviders().map(({ name }) => name);
  const options = providerOptions(names, form.watch('judgement.model.provider'), 'default');
  return (
    <>
      <SelectField
        form={form}
        name="judgement.by"
        label="Judge ended conversations"
        hint="A model writes the summary and rates the outcome and the user’s satisfaction. This takes one more model request per conversation."
      >
        <option value="">by rule (default)</option>
        <option value="rule">by rule</option>
        <option value="model">by a model as well</option>
      </SelectField>
      {form.watch('judgement.by') === 'model' ? (
        <>
          <div className="agent-pair">
            <SelectField
              form={form}
              name="judgement.model.provider"
              label="Provider of the judging model"
              hint="Leave both fields empty to use the model that replies."
            >
              {Object.entries(options).map(([name, text]) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </SelectField>
            <TextField form={form} name="judgement.model.name" label="Judging model" />
          </div>
          <AreaField
            form={form}
            name="judgement.topics"
            label="Topics to choose from, one per line"
            hint="Leave empty to let the model name the topics."
            rows={3}
          />
        </>
      ) : null}
    </>
  );
}
