import { useId } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useFieldArray } from 'react-hook-form';
import { AreaField, errorAt, numberOf, SelectField, TextField } from '../../form/fields.tsx';
import { useCan } from '../../data/me.ts';
import { fieldErrors, ok, parley } from '../../data/parley.ts';
import { REDACTION_KINDS, REDACTION_LIST } from '../../transcript/redaction-words.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from './agent-fields.tsx';
import {
  isCounted,
  jsonError,
  pairsOf,
  type AgentFormProps,
  type AgentValues,
} from './agent-values.ts';
import { JudgementField } from './judgement-field.tsx';

/**
 * Maximum number of sources or providers that the form lists: one page of the API. All others can be selected only
 * through the API.
 */
const CHOICES_MAX = 100;

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
  const { data } = useQuery({
    queryKey: ['providers', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/model_providers', { params, signal }))).data;
    },
  });
  const chosen = form.watch('model.provider') ?? '';
  const names = (data ?? []).map(({ name }) => name);
  const all = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
  const models = data?.find(({ name }) => name === chosen)?.chat?.models ?? [];
  return (
    <div className="agent-pair">
      <SelectField form={form} name="model.provider" label="Model provider">
        <option value="">default</option>
        {all.map((name) => (
          <option key={name}>{name}</option>
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

const WHENS: Record<AgentValues['escalation']['rules'][number]['when'], string> = {
  user_request: 'the user requests a person',
  keyword: 'the user says one of these words',
  tool_failure: 'a tool fails a number of times in a row',
  low_confidence: 'no answer is found a number of times in a row',
  mood: 'the user is in a bad mood a number of times in a row',
  turn_limit: 'the user has written a number of messages',
};

export function RulesField({ form }: AgentFormProps) {
  const rules = useFieldArray({ control: form.control, name: 'escalation.rules' });
  return (
    <Choice legend="Request a person when">
      <ul className="agent-list">
        {rules.fields.map(({ id }, at) => (
          <li key={id}>
            <RuleFields form={form} at={at} onRemove={() => rules.remove(at)} />
          </li>
        ))}
      </ul>
      <p>
        <Button size="small" onClick={() => rules.append({ when: 'user_request', keywords: '' })}>
          Add a rule
        </Button>
      </p>
    </Choice>
  );
}

function RuleFields({ form, at, onRemove }: AgentFormProps & { at: number; onRemove: () => void }) {
  const place = `escalation.rules.${at}` as const;
  const name = `Rule ${at + 1}`;
  const when = form.watch(`${place}.when`);
  const error = errorAt(form, place);
  return (
    <div className="agent-rule">
      <select aria-label={name} {...form.register(`${place}.when`)}>
        {Object.entries(WHENS).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {when === 'keyword' ? (
        <textarea
          aria-label={`${name}: words, one per line`}
          placeholder="One per line"
          rows={3}
          {...form.register(`${place}.keywords`)}
        />
      ) : null}
      {isCounted(when) ? (
        <input
          aria-label={`${name}: how many times`}
          type="number"
          min={1}
          placeholder="How many times"
          {...form.register(`${place}.count`, { setValueAs: numberOf })}
        />
      ) : null}
      <input
        aria-label={`${name}: reason shown`}
        placeholder="Reason shown to people"
        {...form.register(`${place}.reason`)}
      />
      <input aria-label={`${name}: team`} placeholder="Team" {...form.register(`${place}.team`)} />
      <Button size="small" onClick={onRemove} aria-label={`Remove ${name.toLowerCase()}`}>
        Remove
      </Button>
      {error ? <p className="problem small">{error}</p> : null}
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

export function SeldomFields({ form }: AgentFormProps) {
  const mayOpen = useCan('publish');
  const number = { form, type: 'number' };
  const json = {
    form,
    validate: jsonError,
    hint: 'JSON in the API’s format. Leave empty for none.',
    isCode: true,
  };
  return (
    <>
      <div className="agent-pair">
        <TextField form={form} name="language" label="Language" hint="For example, en-GB." />
        <TextField {...number} name="model.temperature" label="Temperature" />
        <TextField {...number} name="model.max_tokens" label="Maximum tokens per reply" />
        <TextField {...number} name="knowledge.top_k" label="Passages per reply" />
        <TextField {...number} name="knowledge.min_score" label="Minimum score of a passage" />
        <TextField {...number} name="escalation.timeout_sec" label="Seconds to wait for a person" />
        <TextField form={form} name="escalation.team" label="Team" />
        <TextField
          form={form}
          name="escalation.fallback_team"
          label="Fallback team"
          hint="Requested if nobody accepts in time."
        />
        <TextField {...number} name="limits.max_duration_sec" label="Maximum duration in seconds" />
        <TextField
          {...number}
          name="limits.silence_timeout_sec"
          label="Silence timeout in seconds"
        />
      </div>
      <RedactionField form={form} />
      <JudgementField form={form} />
      <AreaField {...json} name="tools" label="Tools" rows={10} />
      <AreaField {...json} name="model.fallback" label="Fallback models" rows={4} />
      <AreaField
        {...json}
        name="escalation.hours"
        label="Hours when people are available"
        rows={6}
      />
      <AreaField {...json} name="voice" label="Voice" rows={4} />
      <AreaField
        form={form}
        name="widget.allowed_origins"
        label="Web pages that may embed it"
        hint={`Origins such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com, one per line, at most 50.${mayOpen ? '' : ' Adding one needs the scope publish.'}`}
        rows={3}
        isCode
      />
      <TextField {...number} name="widget.max_concurrent" label="Maximum concurrent visitors" />
      <AreaField {...json} name="metadata" label="Metadata" rows={3} />
    </>
  );
}
