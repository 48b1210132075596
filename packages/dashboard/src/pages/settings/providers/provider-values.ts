import type { BodyOf, ItemOf } from '../../../data/parley.ts';
import { mergePatch, setMembers } from '../../../form/merge.ts';
import type { Form } from '../../../form/use-edit-form.ts';

export type Provider = ItemOf<'/v1/model_providers'>;
export type ProviderBody = BodyOf<'/v1/model_providers', 'post'>;
export type ProviderPatch = BodyOf<'/v1/model_providers/{id}', 'patch'>;

/** Form values of a provider. The key is always empty at first, because the API never returns it. */
export type ProviderValues = ReturnType<typeof valuesOf>;
export type ProviderFormProps = { form: Form<ProviderValues> };

export function valuesOf(provider: Partial<Provider>) {
  const { chat, speech, transcription, embeddings } = provider;
  return {
    name: provider.name ?? '',
    base_url: provider.base_url ?? '',
    api_key: '',
    api_key_header: provider.api_key_header ?? 'authorization',
    organization: provider.organization ?? '',
    project: provider.project ?? '',
    query: new URLSearchParams(provider.query ?? {}).toString(),
    chat: { default_model: chat?.default_model ?? '' },
    speech: {
      default_model: speech?.default_model ?? '',
      default_voice: speech?.default_voice ?? '',
    },
    transcription: { default_model: transcription?.default_model ?? '' },
    embeddings: { default_model: embeddings?.default_model ?? '' },
  };
}

const NOTHING = valuesOf({});

/** Returns the body of the request that creates the provider. */
export function bodyOf(values: ProviderValues): ProviderBody {
  const { name } = values;
  // A patch contains null only for a removed value. `NOTHING` has no values to remove, so this patch contains no null
  // and is a valid body.
  const patch = patchOf(NOTHING, values) as Omit<ProviderBody, 'base_url'> | undefined;
  return { base_url: '', ...patch, ...(name !== '' && { name }) };
}

/** Returns the changes as a merge patch for the API, or undefined if nothing changed. */
export function patchOf(before: ProviderValues, after: ProviderValues): ProviderPatch | undefined {
  const patch = mergePatch(fieldsOf(before), fieldsOf(after)) as ProviderPatch | undefined;
  const key = after.api_key.trim();
  return key === '' ? patch : { ...patch, api_key: key };
}

/** Returns the fields of a request, with null for a value that is not set. */
function fieldsOf(values: ProviderValues) {
  const { chat, api_key_header: header } = values;
  return {
    base_url: values.base_url.trim(),
    api_key_header: header === 'authorization' ? null : header,
    organization: values.organization.trim() || null,
    project: values.project.trim() || null,
    query: Object.fromEntries(new URLSearchParams(values.query)),
    // The form edits only the default model. Other chat settings that were set through the API, such as timeouts and
    // prices, are not sent and stay unchanged.
    chat: { default_model: chat.default_model.trim() || null },
    speech: setMembers(values.speech) ?? null,
    transcription: setMembers(values.transcription) ?? null,
    embeddings: setMembers(values.embeddings) ?? null,
  };
}
