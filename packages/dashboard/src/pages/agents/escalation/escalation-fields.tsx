import { useFieldArray } from 'react-hook-form';
import { errorAt, numberOf, TextField } from '../../../form/fields.tsx';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../agent-fields.tsx';
import { isCounted, type AgentFormProps, type AgentValues } from '../agent-values.ts';
import { HoursField } from './hours-field.tsx';

/** Fields that set when and how a human agent takes over. */
export function EscalationFields({ form }: AgentFormProps) {
  return (
    <>
      <RulesField form={form} />
      <div className="agent-pair">
        <TextField
          form={form}
          type="number"
          name="escalation.timeout_sec"
          label="Seconds to wait for a human agent"
        />
        <TextField form={form} name="escalation.team" label="Team" />
        <TextField
          form={form}
          name="escalation.fallback_team"
          label="Fallback team"
          hint="Requested if nobody accepts in time."
        />
        <TextField
          form={form}
          name="escalation.telephone.to"
          label="Telephone number to ring"
          placeholder="+442071838750"
          hint="Rings when a caller needs a human agent."
        />
      </div>
      <HoursField
        value={form.watch('escalation.hours')}
        failure={form.failure}
        onChange={(hours) => form.setValue('escalation.hours', hours)}
      />
    </>
  );
}

const WHENS: Record<AgentValues['escalation']['rules'][number]['when'], string> = {
  user_request: 'the user requests a human agent',
  keyword: 'the user says one of these words',
  tool_failure: 'a tool fails a number of times in a row',
  low_confidence: 'no answer is found a number of times in a row',
  mood: 'the user’s messages show a bad mood a number of times in a row',
  turn_limit: 'the user has written a number of messages',
};

function RulesField({ form }: AgentFormProps) {
  const rules = useFieldArray({ control: form.control, name: 'escalation.rules' });
  return (
    <Choice legend="Request a human agent when">
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
      <div className="agent-row agent-rule-row">
        <input
          aria-label={`${name}: reason shown`}
          placeholder="Reason shown to human agents"
          {...form.register(`${place}.reason`)}
        />
        <input
          aria-label={`${name}: team`}
          placeholder="Team"
          {...form.register(`${place}.team`)}
        />
        <Button size="small" onClick={onRemove} aria-label={`Remove ${name.toLowerCase()}`}>
          Remove
        </Button>
      </div>
      {error ? <p className="problem small">{error}</p> : null}
    </div>
  );
}
