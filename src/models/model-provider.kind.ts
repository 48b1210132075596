import { z } from 'zod';
import type { SecretField } from '../kinds/given-secret.ts';
import { defineKind } from '../kinds/kind.ts';
import { fault } from '../kinds/write-kind.ts';
import { saying } from '../platform/resources/schema/patterns.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { printerColumn } from '../platform/resources/schema/kind-definition.ts';
import {
  DEFAULT_PROVIDER,
  KEY_IN_HEADER,
  KEY_MAX,
  modelProviderSpec,
  modelProviderStatus,
  RESERVED_NAME,
} from './model-provider.ts';

/** Key that a request contains in clear text. */
export const API_KEY: SecretField = {
  field: 'api_key',
  ref: 'api_key_secret_ref',
  sentTo: ['base_url'],
  schema: z
    .string()
    .min(1)
    .max(KEY_MAX)
    .regex(...saying(/^[!-~]+$/, 'must be visible ASCII without spaces'))
    .describe(
      "The provider's API key, which responses never show. Parley stores it in a Secret of its " +
        'own and sets `api_key_secret_ref`. A new key replaces the earlier one.',
    ),
};

/**
 * The ModelProvider kind (contract/model-providers.md). The API never returns a key, only the reference to its Secret.
 */
export const MODEL_PROVIDER_KIND = defineKind({
  kind: 'ModelProvider',
  idPrefix: 'mp',
  shortNames: ['mp'],
  description: 'A provider of the models that agents use: an OpenAI-compatible API and its key.',
  spec: modelProviderSpec,
  status: modelProviderStatus,
  columns: [
    printerColumn('URL', 'string', '.spec.baseUrl', "Base URL of the provider's API."),
    printerColumn('Model', 'string', '.spec.chat.defaultModel', 'Default model for agents.'),
  ],
  selectableFields: ['.spec.baseUrl'],
  homeField: 'baseUrl',
  secretColumn: 'api_key',
  rest: {
    tag: 'Models',
    name: {
      written:
        'Name by which agents refer to the provider. Must be unique in the namespace and must ' +
        'not be `default`.',
      shown: 'Name by which agents refer to the provider. It never changes.',
    },
    shown: 'A provider of models.',
    ready: 'Whether the declaration is active and the provider responds.',
    describe: {
      create:
        'Agents refer to the provider in `model.provider`. Send its key in `api_key`, or set `api_key_secret_ref` ' +
        'to a Secret in the namespace that has the label `parley.dev/allow: "true"`. ' +
        'Responses show `headers` and `query` in clear text.',
      delete:
        'Agents that name the provider stay live, but cannot reply until a provider of that name ' +
        'exists.',
    },
    fields: (readable) => ({
      base_url: z.string().meta({ description: 'Base URL of an OpenAI-compatible API.' }),
      ...readable('api_key_secret_ref', 'api_key_header', 'organization', 'project'),
      ...readable('chat', 'embeddings', 'speech', 'transcription', 'limits'),
      headers: z.record(z.string(), z.string()),
      query: z.record(z.string(), z.string()),
    }),
    secret: API_KEY,
    reservedNames: { [DEFAULT_PROVIDER]: RESERVED_NAME },
    // Rejects invalid URLs when they are declared, so that the caller gets an error. The guard checks every connection
    // again.
    faults: ({ guard }, _, { base_url: url }) => {
      const checked = typeof url === 'string' ? checkUrl(url, guard) : undefined;
      if (!checked || !('problem' in checked)) return [];
      return [fault('/base_url', 'invalid_url', checked.problem)];
    },
    words: {
      '`defaultModel` must be one of `models`': '`default_model` must be one of `models`',
      [KEY_IN_HEADER]:
        'must not contain an API key: send the key in `api_key`, or name the Secret that has it in `api_key_secret_ref`',
    },
  },
  audit: {
    // The audit log shows that headers and parameters changed, but never their values.
    shown: ['base_url', 'api_key_secret_ref', 'chat', 'embeddings', 'speech', 'transcription'],
    gone: ['base_url'],
  },
});
