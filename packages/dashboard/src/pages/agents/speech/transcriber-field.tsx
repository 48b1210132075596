import { useId } from 'react';
import { fieldErrors } from '../../../data/parley.ts';
import { OrJson } from '../../../form/or-json.tsx';
import { ChoiceField, LineField, LinesField } from '../../../form/part-fields.tsx';
import { SHAPES, type Loose, type Transcriber } from '../agent-shapes.ts';
import { providerOptions, useProviders } from '../use-providers.ts';
import { FallbackRows } from './fallback-rows.tsx';
import { Problem } from './voice-field.tsx';

type Part = Loose<Transcriber>;

/** Edits the agent's transcriber, which turns the users' speech into text. */
export function TranscriberField({
  value,
  failure,
  onChange,
}: {
  value: Part | string;
  failure: unknown;
  onChange: (value: Part | string) => void;
}) {
  return (
    <OrJson
      legend="Transcriber"
      value={value}
      empty={{}}
      shape={SHAPES.transcriber}
      error={typeof value === 'string' ? fieldErrors(failure, '/transcriber') : undefined}
      onChange={onChange}
    >
      {(part) => <TranscriberFields part={part} failure={failure} onChange={onChange} />}
    </OrJson>
  );
}

function TranscriberFields({
  part,
  failure,
  onChange,
}: {
  part: Part;
  failure: unknown;
  onChange: (part: Part) => void;
}) {
  const listId = useId();
  const hearing = useProviders().filter(({ transcription }) => transcription);
  const names = hearing.map(({ name }) => name);
  const transcription = hearing.find(({ name }) => name === part.provider)?.transcription;
  const set = (change: Part): void => onChange({ ...part, ...change });
  const errorOf = (name: keyof Transcriber) => fieldErrors(failure, `/transcriber/${name}`);
  return (
    <>
      <div className="agent-pair">
        <ChoiceField
          label="Transcription provider"
          hint="Required with a speech provider. Otherwise, the carrier handles both speech and transcription."
          value={part.provider}
          options={providerOptions(names, part.provider, 'the telephone carrier')}
          error={errorOf('provider')}
          onChange={(provider) => set({ provider })}
        />
        <LineField
          label="Transcription model"
          list={listId}
          placeholder={transcription?.default_model}
          value={part.model}
          error={errorOf('model')}
          onChange={(model) => set({ model })}
        />
        <datalist id={listId}>
          {(transcription?.models ?? []).map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <LineField
          label="Users’ language"
          placeholder="en-GB"
          value={part.language}
          error={errorOf('language')}
          onChange={(language) => set({ language })}
        />
      </div>
      <LinesField
        label="Words that are hard to recognize, one per line"
        hint="Names, products, places."
        rows={3}
        value={part.keywords?.join('\n')}
        error={errorOf('keywords')}
        onChange={(text) => set({ keywords: text === '' ? [] : text.split('\n') })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={part.retranscribe_interrupted ?? false}
          onChange={({ target }) => set({ retranscribe_interrupted: target.checked || undefined })}
        />
        Transcribe the agent’s interrupted sentences to find the last word that the caller heard
      </label>
      <FallbackRows
        rows={part.fallback ?? []}
        fields={['provider', 'model']}
        providers={names}
        // The type assertion is safe, because empty members are omitted when the agent is saved.
        onChange={(fallback) => set({ fallback: fallback as NonNullable<Part['fallback']> })}
      />
      <Problem text={errorOf('fallback')} />
    </>
  );
}
