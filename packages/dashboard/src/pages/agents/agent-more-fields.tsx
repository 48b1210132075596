import { useId } from 'react';
import { useQuery } from '@tanstack/react-query';
import { AreaField, errorAt, SelectField, TextField } from '../../form/fields.tsx';
import { OrJson } from '../../form/or-json.tsx';
import { useCan } from '../../data/me.ts';
import { fieldErrors, ok, parley } from '../../data/parley.ts';
import { REDACTION_KINDS, REDACTION_LIST } from '../../transcript/redaction-words.ts';
import { Choice } from './agent-fields.tsx';
import { SHAPES } from './agent-shapes.ts';
import { jsonError, pairsOf, type AgentFormProps } from './agent-values.ts';
import { FallbackRows } from './speech/fallback-rows.tsx';
import { CHOICES_MAX, providerOptions, useProviders } from './use-providers.ts';

export function SourcesField({ form }: AgentFormProps) {
  const { data } = useQuery({
    queryKey: ['sources', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/knowledge/sources', { params, signal }))).data;
    },
  });
  const { all: isAll, selector, sources: chosen } = form.watch('knowledge');
  const isById = chosen.some((one) => one.startsWith('ks_'));
  const known = (data ?? []).map(({ id, name }) => ({ value: isById ? id : name, name }));
  const missing = chosen.filter((one) => !known.some(({ value }) => value === one));
  const choices = [...known, ...missing.map((value) => ({ value, name: value }))];
  const toggle = (value: string): void =>
    form.setValue(
      'knowledge.sources',
      chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value],
    );
  return (
    <Choice
      legend="Knowledge"
      error={fieldErrors(form.failure, `/knowledge/${isById ? 'source_ids' : 'source_names'}`)}
    >
      <label className="check">
        <input type="checkbox" {...form.register('knowledge.all')} />
        All sources, including future ones
      </label>
      {selector && !isAll ? (
        <label className="check">
          <input
            type="checkbox"
            checked
            onChange={() => form.setValue('knowledge.selector', null)}
          />
          Sources with {pairsOf(selector.match_metadata)}
        </label>
      ) : null}
      {data && choices.length === 0 ? (
        <p className="muted small">There are no sources yet. Create one under Knowledge.</p>
      ) : null}
      <div className="agent-choices">
        {choices.map(({ value, name }) => (
          <label key={value} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              disabled={isAll || selector !== null}
              onChange={() => toggle(value)}
            />
            {name}
            {data && missing.includes(value) ? (
              <span className="problem small">not found</span>
            ) : null}
          </label>
        ))}
      </div>
    </Choice>
  );
}

export function ModelFields({ form }: AgentFormProps) {
  const listId = useId();
  const providers = useProviders();
  const chosen = form.watch('model.provider') ?? '';
  const names = providers.map(({ name }) => name);
  const options = providerOptions(names, chosen, 'default');
  const models = providers.find(({ name }) => name === chosen)?.chat?.models ?? [];
  return (
    <div className="agent-pair">
      <SelectField form={form} name="model.provider" label="Model provider">
        {Object.entries(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </SelectField>
      <TextField
        form={form}
        name="model.name"
        label="Model"
        hint="Leave empty for the provider’s default."
        list={listId}
      />
      <datalist id={listId}>
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

function RedactionField({ form }: AgentFormProps) {
  return (
    <Choice legend="Redact from user messages" error={errorAt(form, 'redaction')}>
      <div className="agent-choices">
        {REDACTION_LIST.map((kind) => (
          <label key={kind} className="check">
            <input type="checkbox" {...form.register('redaction')} value={kind} />
            {REDACTION_KINDS[kind][1]}
          </label>
        ))}
      </div>
    </Choice>
  );
}

/** Models to use if the first one fails. */
function FallbackModels({ form }: AgentFormProps) {
  const names = useProviders().map(({ name }) => name);
  const value = form.watch('model.fallback');
  return (
    <OrJson
      legend="Fallback models"
      value={value}
      empty={[]}
      shape={SHAPES.fallback}
      error={fieldErrors(form.failure, '/model/fallback')}
      onChange={(next) => form.setValue('model.fallback', next)}
    >
      {(rows) => (
        <FallbackRows
          rows={rows}
          fields={['provider', 'name']}
          providers={names}
          onChange={(next) => form.setValue('model.fallback', next)}
        />
      )}
    </OrJson>
  );
}

export function SeldomFields({ form }: AgentFormProps) {
  const number = { form, type: 'number' };
  return (
    <>
      <div className="agent-pair">
        <TextField form={form} name="language" label="Language" hint="For example, en-GB." />
        <TextField {...number} name="model.temperature" label="Temperature" />
        <TextField {...number} name="model.max_tokens" label="Maximum tokens per reply" />
        <TextField {...number} name="knowledge.top_k" label="Passages per reply" />
        <TextField {...number} name="knowledge.min_score" label="Minimum passage score" />
        <TextField {...number} name="limits.max_duration_sec" label="Maximum duration in seconds" />
        <TextField
          {...number}
          name="limits.silence_timeout_sec"
          label="Silence timeout in seconds"
        />
      </div>
      <RedactionField form={form} />
      <FallbackModels form={form} />
      <AreaField
        form={form}
        name="metadata"
        label="Metadata"
        hint="A JSON object. Leave empty for no metadata."
        validate={jsonError}
        rows={3}
        isCode
      />
    </>
  );
}

/** The web pages that may embed the agent. */
export function WidgetFields({ form }: AgentFormProps) {
  const mayOpen = useCan('publish');
  return (
    <>
      <AreaField
        form={form}
        name="widget.allowed_origins"
        label="Web pages that may embed this agent"
        hint={`Origins such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com, one per line, at most 50.${mayOpen ? '' : ' Adding one requires the publish scope.'}`}
        rows={3}
        isCode
      />
      <TextField
        form={form}
        type="number"
        name="widget.max_concurrent"
        label="Maximum concurrent visitors"
      />
    </>
  );
}
