import { useCan } from '../../data/me.ts';
import { useId } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isCounted, pairsOf, type RedactionKind, type RuleDraft } from '../../data/agent-draft.ts';
import { ok, parley } from '../../data/parley.ts';
import { REDACTION_KINDS, REDACTION_LIST } from '../../transcript/redaction-words.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { AreaField, TextField, type Form } from './agent-fields.tsx';
import { JudgementField } from './judgement-field.tsx';

/** Maximum size of one page of the API. With more sources or providers, use the API to select them. */
const CHOICES_MAX = 100;

export function SourcesField({ form }: { form: Form }) {
  const { data } = useQuery({
    queryKey: ['sources', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/knowledge/sources', { params, signal }))).data;
    },
  });
  const chosen = form.draft.sources;
  const isById = chosen.some((one) => one.startsWith('ks_'));
  const known = (data ?? []).map(({ id, name }) => ({ value: isById ? id : name, name }));
  const missing = chosen.filter((one) => !known.some(({ value }) => value === one));
  const choices = [...known, ...missing.map((value) => ({ value, name: value }))];
  const { all_sources: isAll, selector } = form.draft;
  const error = form.errorAt(isById ? '/knowledge/source_ids' : '/knowledge/source_names');
  const toggle = (value: string): void =>
    form.set({
      sources: chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value],
    });
  return (
    <fieldset className="agent-choice">
      <legend>Knowledge</legend>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={() => form.set({ all_sources: !isAll })} />
        All sources, including future ones
      </label>
      {selector && !isAll ? (
        <label className="check">
          <input type="checkbox" checked onChange={() => form.set({ selector: null })} />
          Sources with {pairsOf(selector)}
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
      {error ? <p className="problem small">{error}</p> : null}
    </fieldset>
  );
}

export function ModelFields({ form }: { form: Form }) {
  const listId = useId();
  const { data } = useQuery({
    queryKey: ['providers', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: CHOICES_MAX } };
      return (await ok(parley.GET('/v1/model_providers', { params, signal }))).data;
    },
  });
  const { model_provider: chosen } = form.draft;
  const names = (data ?? []).map(({ name }) => name);
  const all = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
  const models = data?.find(({ name }) => name === chosen)?.chat?.models ?? [];
  return (
    <div className="agent-pair">
      <Field label="Model provider" error={form.errorAt('/model/provider')}>
        {(control) => (
          <select
            {...control}
            value={chosen}
            onChange={({ target }) => form.set({ model_provider: target.value })}
          >
            <option value="">default</option>
            {all.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        form={form}
        name="model_name"
        pointer="/model/name"
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

const WHENS: Record<RuleDraft['when'], string> = {
  user_request: 'the user requests a person',
  keyword: 'the user says one of these words',
  tool_failure: 'a tool fails a number of times in a row',
  low_confidence: 'no answer is found a number of times in a row',
  mood: 'the user is in a bad mood a number of times in a row',
  turn_limit: 'the user has written a number of messages',
};

export function RulesField({ form }: { form: Form }) {
  const { rules } = form.draft;
  const change = (at: number, changed: Partial<RuleDraft>): void =>
    form.set({
      rules: rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule)),
    });
  return (
    <fieldset className="agent-choice">
      <legend>Request a person when</legend>
      <ul className="agent-list">
        {rules.map((rule, at) => (
          <li key={at}>
            <RuleFields
              rule={rule}
              name={`Rule ${at + 1}`}
              error={form.errorAt(`/escalation/rules/${at}`)}
              onChange={(changed) => change(at, changed)}
              onRemove={() => form.set({ rules: rules.filter((_, index) => index !== at) })}
            />
          </li>
        ))}
      </ul>
      <p>
        <Button
          size="small"
          onClick={() =>
            form.set({
              rules: [
                ...rules,
                { when: 'user_request', keywords: '', count: '', reason: '', team: '' },
              ],
            })
          }
        >
          Add a rule
        </Button>
      </p>
    </fieldset>
  );
}

function RuleFields({
  rule,
  name,
  error,
  onChange,
  onRemove,
}: {
  rule: RuleDraft;
  name: string;
  error: string | undefined;
  onChange: (changed: Partial<RuleDraft>) => void;
  onRemove: () => void;
}) {
  return (
    <div className="agent-rule">
      <select
        aria-label={name}
        value={rule.when}
        onChange={({ target }) => onChange({ when: target.value as RuleDraft['when'] })}
      >
        {Object.entries(WHENS).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {rule.when === 'keyword' ? (
        <textarea
          aria-label={`${name}: words, one per line`}
          placeholder="One per line"
          rows={3}
          value={rule.keywords}
          onChange={({ target }) => onChange({ keywords: target.value })}
        />
      ) : null}
      {isCounted(rule.when) ? (
        <input
          aria-label={`${name}: how many times`}
          type="number"
          min={1}
          placeholder="How many times"
          value={rule.count}
          onChange={({ target }) => onChange({ count: target.value })}
        />
      ) : null}
      <input
        aria-label={`${name}: reason shown`}
        placeholder="Reason shown to people"
        value={rule.reason}
        onChange={({ target }) => onChange({ reason: target.value })}
      />
      <input
        aria-label={`${name}: team`}
        placeholder="Team"
        value={rule.team}
        onChange={({ target }) => onChange({ team: target.value })}
      />
      <Button size="small" onClick={onRemove} aria-label={`Remove ${name.toLowerCase()}`}>
        Remove
      </Button>
      {error ? <p className="problem small">{error}</p> : null}
    </div>
  );
}

function RedactionField({ form }: { form: Form }) {
  const chosen = form.draft.redaction;
  const error = form.errorAt('/redaction');
  const toggle = (kind: RedactionKind): void =>
    form.set({
      redaction: chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind],
    });
  return (
    <fieldset className="agent-choice">
      <legend>Redact from user messages</legend>
      <div className="agent-choices">
        {REDACTION_LIST.map((kind) => (
          <label key={kind} className="check">
            <input type="checkbox" checked={chosen.includes(kind)} onChange={() => toggle(kind)} />
            {REDACTION_KINDS[kind][1]}
          </label>
        ))}
      </div>
      {error ? <p className="problem small">{error}</p> : null}
    </fieldset>
  );
}

export function SeldomFields({ form }: { form: Form }) {
  const mayOpen = useCan('publish');
  return (
    <>
      <div className="agent-pair">
        <TextField
          form={form}
          name="language"
          pointer="/language"
          label="Language"
          hint="For example, en-GB."
        />
        <TextField
          form={form}
          name="temperature"
          pointer="/model/temperature"
          label="Temperature"
          kind="number"
        />
        <TextField
          form={form}
          name="max_tokens"
          pointer="/model/max_tokens"
          label="Maximum tokens per reply"
          kind="number"
        />
        <TextField
          form={form}
          name="top_k"
          pointer="/knowledge/top_k"
          label="Passages per reply"
          kind="number"
        />
        <TextField
          form={form}
          name="min_score"
          pointer="/knowledge/min_score"
          label="Minimum score of a passage"
          kind="number"
        />
        <TextField
          form={form}
          name="timeout_sec"
          pointer="/escalation/timeout_sec"
          label="Seconds to wait for a person"
          kind="number"
        />
        <TextField form={form} name="team" pointer="/escalation/team" label="Team" />
        <TextField
          form={form}
          name="fallback_team"
          pointer="/escalation/fallback_team"
          label="Fallback team"
          hint="Requested if nobody accepts in time."
        />
        <TextField
          form={form}
          name="max_duration_sec"
          pointer="/limits/max_duration_sec"
          label="Maximum duration in seconds"
          kind="number"
        />
        <TextField
          form={form}
          name="silence_timeout_sec"
          pointer="/limits/silence_timeout_sec"
          label="Silence timeout in seconds"
          kind="number"
        />
      </div>
      <RedactionField form={form} />
      <JudgementField form={form} />
      <JsonField form={form} name="tools" pointer="/tools" label="Tools" rows={10} />
      <JsonField
        form={form}
        name="fallback"
        pointer="/model/fallback"
        label="Fallback models"
        rows={4}
      />
      <JsonField
        form={form}
        name="hours"
        pointer="/escalation/hours"
        label="Hours when people are available"
        rows={6}
      />
      <JsonField form={form} name="voice" pointer="/voice" label="Voice" rows={4} />
      <AreaField
        form={form}
        name="origins"
        pointer="/widget"
        label="Web pages that may embed it"
        hint={`Origins such as https://shop.example.com, capacitor://localhost or https://*.preview.example.com, one per line, at most 50.${mayOpen ? '' : ' Adding one needs the scope publish.'}`}
        rows={3}
        isCode
      />
      <TextField
        form={form}
        name="widget_max"
        pointer="/widget/max_concurrent"
        label="Maximum concurrent visitors"
        kind="number"
      />
      <JsonField form={form} name="metadata" pointer="/metadata" label="Metadata" rows={3} />
    </>
  );
}

function JsonField(props: {
  form: Form;
  name: 'tools' | 'fallback' | 'hours' | 'voice' | 'metadata';
  pointer: string;
  label: string;
  rows: number;
}) {
  return <AreaField {...props} hint="JSON in the API’s format. Leave empty for none." isCode />;
}
