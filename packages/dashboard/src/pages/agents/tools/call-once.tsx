import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ok, parley, problemsIn, type Schemas } from '../../../data/parley.ts';
import { LineField, LinesField } from '../../../form/part-fields.tsx';
import { ActButton } from '../../../ui/button.tsx';
import { Code, Json } from '../../../ui/code.tsx';
import { Status } from '../../../ui/status.tsx';
import { msText } from '../../../ui/time.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { argumentsOf, NO_SAMPLES, type Samples } from './sample-arguments.ts';
import { isStored } from './secret-field.tsx';
import { PARAMETER_TYPES, toolOf, type ToolDraft } from './tool-draft.ts';

type Result = Schemas['ToolCallResult'];

/** Calls the tool in the form once with sample arguments, and shows the result. */
export function CallOnce({ agentId, draft }: { agentId: string; draft: ToolDraft }) {
  const [samples, setSamples] = useState(NO_SAMPLES);
  const call = useMutation({
    mutationFn: async (): Promise<Result> => {
      const read = argumentsOf(draft.parameters, samples);
      if ('problem' in read) throw new Error(read.problem);
      // A tool can be tried before it has a name.
      const tool = { ...toolOf(draft), name: draft.name.trim() || 'tool' };
      const body = { tool, arguments: read.value };
      const params = { path: { id: agentId } };
      return ok(parley.POST('/v1/agents/{id}/tool_calls', { params, body }));
    },
  });
  return (
    <section className="agent-try stack-small" aria-label="Call it once">
      <h3>Call it once</h3>
      <p className="muted small">
        Sends a real request to your service, with the header <code>parley-test: true</code>.
        Nothing is saved.
        {needsSave(draft)
          ? ' A Secret can be used only after the agent has been saved with it.'
          : null}
      </p>
      <SampleFields draft={draft} samples={samples} onChange={setSamples} />
      <p>
        <ActButton
          needs="write"
          size="small"
          isBusy={call.isPending}
          disabled={!draft.url?.trim()}
          onClick={() => call.mutate()}
        >
          Call it once
        </ActButton>
      </p>
      <div role="status">
        {call.data && !call.isPending ? <Outcome result={call.data} /> : null}
      </div>
      {call.error ? <Refusal error={call.error} /> : null}
    </section>
  );
}

/**
 * Returns true if the tool refers to a Secret in the cluster. A call can use this Secret only after the agent has been
 * saved with the reference.
 */
const needsSave = ({ secret_ref: bearer, signing_secret_ref: signing }: ToolDraft): boolean =>
  [bearer, signing].some((ref) => Boolean(ref?.name) && !isStored(ref));

function SampleFields({
  draft: { parameters },
  samples,
  onChange,
}: {
  draft: ToolDraft;
  samples: Samples;
  onChange: (samples: Samples) => void;
}) {
  if (typeof parameters === 'string') {
    return (
      <LinesField
        label="Sample arguments as JSON"
        rows={3}
        isCode
        value={samples.json}
        onChange={(json) => onChange({ ...samples, json })}
      />
    );
  }
  const { byName } = samples;
  const named = parameters.rows.filter(({ name }) => name.trim() !== '');
  return (
    <div className="agent-pair">
      {named.map(({ name, type }, at) => (
        <LineField
          key={at}
          label={<code>{name}</code>}
          placeholder={PARAMETER_TYPES[type]}
          value={byName[name]}
          onChange={(text) => onChange({ ...samples, byName: { ...byName, [name]: text } })}
        />
      ))}
    </div>
  );
}

function Outcome({ result }: { result: Result }) {
  const { ok: isOk, status, error, escalate, request } = result;
  return (
    <div className="stack-small">
      <p>
        <Status tone={isOk ? 'ok' : 'bad'}>{isOk ? 'succeeded' : 'failed'}</Status>{' '}
        {status === null ? null : `Status ${status}, `}
        {msText(result.duration_ms)}
        {error === null ? null : `: ${error}`}
      </p>
      {escalate === null ? null : <p>The tool requests a human agent: “{escalate}”.</p>}
      <h4 className="small">What the model reads</h4>
      <Json value={result.result} label="What the model reads" />
      {request === null ? null : (
        <details>
          <summary className="small">Request sent</summary>
          <Code text={requestText(request)} label="Request sent" wrap />
        </details>
      )}
    </div>
  );
}

function requestText({ method, url, headers, body }: NonNullable<Result['request']>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, ...(body === null ? [] : ['', body])].join('\n');
}

/** Shows why the API rejected the call. Per-field errors name their field. */
function Refusal({ error }: { error: unknown }) {
  const problems = problemsIn(error);
  if (problems.length === 0) return <TroubleNote error={error} />;
  return (
    <ul className="problem small" role="alert">
      {problems.map(({ pointer, detail }) => (
        <li key={pointer}>
          {pointer.replace(/^\/(tool\/)?/, '').replaceAll('/', ' ')}: {detail}
        </li>
      ))}
    </ul>
  );
}
