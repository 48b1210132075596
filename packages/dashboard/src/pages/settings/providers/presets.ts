import { valuesOf, type ProviderValues } from './provider-values.ts';

/** Initial form settings for a well-known provider (docs/models.md#each-providers-settings). */
export type Preset = {
  /** Suggested name of the provider. */
  name: string;
  label: string;
  base_url: string;
  /** Says where to get the key, or that no key is needed. */
  keyHint: string;
  urlHint?: string;
  api_key_header?: ProviderValues['api_key_header'];
  /** Suggested default model. The provider test lists the models that the key may use. */
  model?: string;
  modelHint?: string;
};

const PRIVATE =
  'Private addresses and plain HTTP must be allowed in Parley’s setting PARLEY_EGRESS_ALLOW.';

export const PRESETS: readonly Preset[] = [
  {
    name: 'openai',
    label: 'OpenAI',
    base_url: 'https://api.openai.com/v1',
    keyHint: 'Create it under API keys at platform.openai.com. It begins with sk-.',
    model: 'gpt-4.1-mini',
  },
  {
    name: 'azure',
    label: 'Azure OpenAI',
    base_url: 'https://RESOURCE.openai.azure.com/openai/v1',
    urlHint: 'Replace RESOURCE with the name of your Azure resource.',
    keyHint: 'Key 1 or key 2, under Keys and endpoint in the resource.',
    api_key_header: 'api-key',
    modelHint: 'The name of the deployment.',
  },
  {
    name: 'anthropic',
    label: 'Anthropic',
    base_url: 'https://api.anthropic.com/v1',
    keyHint: 'Create it under API keys at console.anthropic.com. It begins with sk-ant-.',
    modelHint: 'Test without a model to list the models that your key may use.',
  },
  {
    name: 'gemini',
    label: 'Google Gemini',
    base_url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyHint: 'Create it at aistudio.google.com under Get API key.',
    modelHint: 'Test without a model to list the models that your key may use.',
  },
  {
    name: 'ollama',
    label: 'Ollama',
    base_url: 'http://127.0.0.1:11434/v1',
    urlHint: PRIVATE,
    keyHint: 'Ollama needs no key.',
    model: 'llama3.1',
    modelHint: 'A model that you have already pulled.',
  },
  {
    name: 'vllm',
    label: 'vLLM',
    base_url: 'http://vllm.models.svc:8000/v1',
    urlHint: PRIVATE,
    keyHint: 'The key that vLLM was started with (--api-key), or none.',
    modelHint: 'The model that vLLM was started with.',
  },
  {
    name: 'mine',
    label: 'Other compatible API',
    base_url: '',
    urlHint: 'The part before /chat/completions. It usually ends in /v1.',
    keyHint: 'Leave empty if the API needs no key.',
  },
];

/** Returns the initial values of the form. */
export function valuesOfPreset({ name, base_url, api_key_header, model }: Preset): ProviderValues {
  const values = valuesOf({ name, base_url });
  return {
    ...values,
    api_key_header: api_key_header ?? values.api_key_header,
    chat: { default_model: model ?? '' },
  };
}
