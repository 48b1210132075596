import { useId } from 'react';
import { fieldErrors } from '../../../data/parley.ts';
import { OrJson } from '../../../form/or-json.tsx';
import { ChoiceField, LineField, NumberField } from '../../../form/part-fields.tsx';
import { SHAPES, type Loose, type Voice } from '../agent-shapes.ts';
import { providerOptions, useProviders } from '../use-providers.ts';
import { FallbackRows } from './fallback-rows.tsx';
import { HearVoice } from './hear-voice.tsx';

type Props = {
  agentId: string;
  value: Loose<Voice> | string;
  failure: unknown;
  onChange: (value: Loose<Voice> | string) => void;
};

/** Edits the agent's voice. */
export function VoiceField({ agentId, value, failure, onChange }: Props) {
  return (
    <OrJson
      legend="Voice"
      value={value}
      empty={{}}
      shape={SHAPES.voice}
      error={typeof value === 'string' ? fieldErrors(failure, '/voice') : undefined}
      onChange={onChange}
    >
      {(voice) => (
        <>
          <VoiceFields voice={voice} failure={failure} onChange={onChange} />
          <HearVoice agentId={agentId} voice={voice} />
        </>
      )}
    </OrJson>
  );
}

function VoiceFields({
  voice,
  failure,
  onChange,
}: {
  voice: Loose<Voice>;
  failure: unknown;
  onChange: (voice: Loose<Voice>) => void;
}) {
  const listId = useId();
  const speaking = useProviders().filter(({ speech }) => speech);
  const names = speaking.map(({ name }) => name);
  const speech = speaking.find(({ name }) => name === voice.provider)?.speech;
  const set = (change: Loose<Voice>): void => onChange({ ...voice, ...change });
  const errorOf = (name: keyof Voice) => fieldErrors(failure, `/voice/${name}`);
  return (
    <>
      <div className="agent-pair">
        <ChoiceField
          label="Speech provider"
          hint={names.length === 0 ? 'No model provider offers speech yet.' : undefined}
          value={voice.provider}
          options={providerOptions(names, voice.provider, 'the telephone carrier')}
          error={errorOf('provider')}
          onChange={(provider) => set({ provider })}
        />
        <LineField
          label="Voice"
          hint="The provider’s name for the voice."
          placeholder={speech?.default_voice}
          value={voice.voice_id}
          error={errorOf('voice_id')}
          onChange={(voice_id) => set({ voice_id })}
        />
        <LineField
          label="Speech model"
          list={listId}
          placeholder={speech?.default_model}
          value={voice.model}
          error={errorOf('model')}
          onChange={(model) => set({ model })}
        />
        <datalist id={listId}>
          {(speech?.models ?? []).map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <NumberField
          label="Speed"
          hint="From 0.25 to 4; 1 is normal."
          min={0.25}
          max={4}
          value={voice.speed}
          error={errorOf('speed')}
          onChange={(speed) => set({ speed })}
        />
        <LineField
          label="Spoken language"
          placeholder="en-GB"
          value={voice.language}
          error={errorOf('language')}
          onChange={(language) => set({ language })}
        />
      </div>
      <FallbackRows
        rows={voice.fallback ?? []}
        fields={['provider', 'model', 'voice_id']}
        providers={names}
        // The type assertion is safe, because empty members are omitted when the agent is saved.
        onChange={(fallback) => set({ fallback: fallback as NonNullable<Voice['fallback']> })}
      />
      <Problem text={errorOf('fallback')} />
    </>
  );
}

export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className="problem small">{text}</p>;
}
