import { useId } from 'react';
import { fieldError } from '../../../data/parley.ts';
import { SelectField, TextField } from '../../../form/fields.tsx';
import type { Preset } from './presets.ts';
import type { ProviderFormProps } from './provider-values.ts';
import './providers.css';

const POINTERS = [
  '/name',
  '/base_url',
  '/api_key',
  '/api_key_header',
  '/organization',
  '/project',
  '/query',
  '/chat/default_model',
  '/speech/default_model',
  '/speech/default_voice',
  '/transcription/default_model',
  '/embeddings/default_model',
];

/** Returns true if the form already shows the error at a field. */
export function isShownAtField(error: unknown): boolean {
  return POINTERS.some((pointer) => fieldError(error, pointer) !== undefined);
}

/** The fields of a provider. `models` are the models that the last test listed. */
export function ProviderFields({
  form,
  preset,
  models,
  hasKey = false,
}: ProviderFormProps & {
  preset?: Preset | undefined;
  models: readonly string[];
  /** Whether the provider already has a key, which is kept if the field is left empty. */
  hasKey?: boolean;
}) {
  const listId = useId();
  const { keyHint = 'Leave empty if the API needs no key.', urlHint, modelHint } = preset ?? {};
  return (
    <>
      <TextField form={form} name="base_url" label="Base URL" hint={urlHint} type="url" required />
      <TextField
        form={form}
        name="api_key"
        label={hasKey ? 'New API key' : 'API key'}
        hint={
          hasKey
            ? 'Leave empty to keep the current key. If you change the host, enter the key again.'
            : `${keyHint} Keys are stored encrypted and never shown again.`
        }
        type="password"
        autoComplete="new-password"
      />
      <TextField
        form={form}
        name="chat.default_model"
        label="Default model"
        hint={modelHint ?? 'The model for agents that do not name one.'}
        list={listId}
      />
      <datalist id={listId}>
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <details className="provider-more">
        <summary>Voice and knowledge search</summary>
        <div className="stack">
          <p className="muted small">
            Needed only for agents that speak and listen, and for search by meaning.
          </p>
          <div className="provider-pair">
            <TextField
              form={form}
              name="speech.default_model"
              label="Speech model"
              placeholder="gpt-4o-mini-tts"
            />
            <TextField
              form={form}
              name="speech.default_voice"
              label="Default voice"
              placeholder="alloy"
            />
            <TextField
              form={form}
              name="transcription.default_model"
              label="Transcription model"
              placeholder="gpt-4o-mini-transcribe"
            />
            <TextField
              form={form}
              name="embeddings.default_model"
              label="Embedding model"
              placeholder="text-embedding-3-small"
            />
          </div>
        </div>
      </details>
      <details className="provider-more">
        <summary>Advanced</summary>
        <div className="provider-pair">
          <SelectField form={form} name="api_key_header" label="Header for the key">
            <option value="authorization">Authorization: Bearer</option>
            <option value="api-key">api-key</option>
            <option value="x-api-key">x-api-key</option>
          </SelectField>
          <TextField
            form={form}
            name="query"
            label="Query parameters"
            placeholder="api-version=2024-10-21"
          />
          <TextField form={form} name="organization" label="Organization" placeholder="org-…" />
          <TextField form={form} name="project" label="Project" placeholder="proj_…" />
        </div>
      </details>
    </>
  );
}
