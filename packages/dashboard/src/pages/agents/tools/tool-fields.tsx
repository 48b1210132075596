import { useId } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ChoiceField, LineField, LinesField, NumberField } from '../../../form/part-fields.tsx';
import { ok, parley } from '../../../data/parley.ts';
import { Button } from '../../../ui/button.tsx';
import { METHODS, TOOL_TYPES, type Tool } from '../agent-shapes.ts';
import { ParametersField } from './parameters-field.tsx';
import { newSigningSecret, SecretField } from './secret-field.tsx';
import type { ToolDraft } from './tool-draft.ts';
import type { ToolProblems } from './tool-problems.ts';
import { TYPES } from './tool-types.ts';

type Props = {
  draft: ToolDraft;
  problems: ToolProblems;
  onChange: (draft: ToolDraft) => void;
};

export function ToolFields({ draft, problems, onChange }: Props) {
  const set = (change: Partial<ToolDraft>): void => onChange({ ...draft, ...change });
  return (
    <>
      <div className="agent-pair">
        <ChoiceField
          label="What it does"
          value={draft.type}
          options={Object.fromEntries(TOOL_TYPES.map((type) => [type, TYPES[type]]))}
          onChange={(type: Tool['type']) => set({ type })}
        />
        <LineField
          label="Name"
          hint="The model calls it by this name, for example order_status."
          value={draft.name}
          error={problems.name}
          onChange={(name) => set({ name })}
        />
      </div>
      <LinesField
        label="Description"
        hint="Tells the model when to use the tool, and what to ask the user for."
        rows={2}
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      {draft.type === 'webhook' ? <RequestFields {...{ draft, problems, onChange }} /> : null}
      {draft.type === 'handoff' ? <HandoffFields {...{ draft, problems, onChange }} /> : null}
      <ParametersField
        value={draft.parameters}
        error={problems.parameters}
        note={draft.type === 'webhook' ? undefined : 'Leave empty to use the default parameters.'}
        onChange={(parameters) => set({ parameters })}
      />
    </>
  );
}

function RequestFields({ draft, problems, onChange }: Props) {
  const set = (change: Partial<ToolDraft>): void => onChange({ ...draft, ...change });
  return (
    <>
      <div className="agent-pair agent-request">
        <ChoiceField
          label="Method"
          value={draft.method ?? 'POST'}
          options={Object.fromEntries(METHODS.map((method) => [method, method]))}
          onChange={(method) => set({ method })}
        />
        <LineField
          label="URL"
          placeholder="https://shop.example.com/tools/order_status"
          value={draft.url}
          error={problems.url}
          onChange={(url) => set({ url })}
        />
        <NumberField
          label="Timeout in ms"
          placeholder="8000"
          value={draft.timeout_ms}
          onChange={(timeout_ms) => set({ timeout_ms })}
        />
      </div>
      <HeaderRows headers={draft.headers} onChange={(headers) => set({ headers })} />
      <SecretField
        label="Bearer token"
        secret={draft.secret}
        value={draft.secret_ref}
        error={problems.secret_ref}
        onSecret={(secret) => set({ secret })}
        onChange={(secret_ref) => set({ secret_ref })}
      />
      <SecretField
        label="Signing secret"
        secret={draft.signing_secret}
        value={draft.signing_secret_ref}
        error={problems.signing_secret_ref}
        onSecret={(signing_secret) => set({ signing_secret })}
        onChange={(signing_secret_ref) => set({ signing_secret_ref })}
        create={newSigningSecret}
      />
    </>
  );
}

function HeaderRows({
  headers,
  onChange,
}: {
  headers: ToolDraft['headers'];
  onChange: (headers: ToolDraft['headers']) => void;
}) {
  const set = (at: number, change: Partial<ToolDraft['headers'][number]>): void =>
    onChange(headers.map((header, other) => (other === at ? { ...header, ...change } : header)));
  return (
    <fieldset className="choices">
      <legend>Headers</legend>
      {headers.map((header, at) => (
        <div key={at} className="agent-row">
          <input
            aria-label={`Header ${at + 1}: name`}
            placeholder="Name"
            value={header.name}
            onChange={({ target }) => set(at, { name: target.value })}
          />
          <input
            aria-label={`Header ${at + 1}: value`}
            placeholder="Value, shown in plain text"
            value={header.value}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          <Button
            size="small"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(headers.filter((_, other) => other !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <p>
        <Button size="small" onClick={() => onChange([...headers, { name: '', value: '' }])}>
          Add a header
        </Button>
      </p>
    </fieldset>
  );
}

/** Number of agents that the list offers for a handoff: one page of the API. Other names can be typed. */
const AGENTS_MAX = 100;

function HandoffFields({ draft, problems, onChange }: Props) {
  const listId = useId();
  const { data: agents = [] } = useQuery({
    queryKey: ['agents', 'choices'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: AGENTS_MAX } };
      return (await ok(parley.GET('/v1/agents', { params, signal }))).data;
    },
  });
  return (
    <div className="agent-pair">
      <LineField
        label="Agent that takes over"
        list={listId}
        value={draft.agent}
        error={problems.agent}
        onChange={(agent) => onChange({ ...draft, agent })}
      />
      <datalist id={listId}>
        {agents.map(({ id, name, display_name: shown }) => (
          <option key={id} value={name}>
            {shown ?? name}
          </option>
        ))}
      </datalist>
      <NumberField
        label="Version"
        hint="Leave empty for the version that is live when you publish."
        value={draft.version}
        onChange={(version) => onChange({ ...draft, version })}
      />
    </div>
  );
}
