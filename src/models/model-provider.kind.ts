import { z } from 'zod';
import { defineKind } from '../kinds/kind.ts';
import { fault } from '../kinds/write-kind.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { printerColumn } from '../platform/resources/schema/kind-definition.ts';
import {
  DEFAULT_PROVIDER,
  KEY_IN_HEADER,
  modelProviderSpec,
  modelProviderStatus,
  RESERVED_NAME,
} from './model-provider.ts';

/**
 * The kind ModelProvider (contract/model-providers.md). The API never returns a key, only the reference to its Secret.
 */
export const MODEL_PROVIDER_KIND = defineKind({
  kind: 'ModelProvider',
  idPrefix: 'mp',
  shortNames: ['mp'],
  description: 'Where the models of agents come from: an OpenAI-compatible API and its key.',
  spec: modelProviderSpec,
  status: modelProviderStatus,
  columns: [
    printerColumn('URL', 'string', '.spec.baseUrl', 'Base of its API.'),
    printerColumn('Model', 'string', '.spec.chat.defaultModel', 'Model of agents that name none.'),
  ],
  selectableFields: ['.spec.baseUrl'],
  homeField: 'baseUrl',
  secretColumn: 'api_key',
  rest: {
    tag: 'Models',
    called: 'provider of models',
    name: {
      written: 'What agents name it by: a DNS label, unique in the namespace, not `default`.',
      shown: 'What agents name it by; never changes.',
    },
    shown: 'Where models come from.',
    ready: 'Whether it is in force as declared, and answers.',
    describe: {
      create:
        'Agents name it in `model.provider`. Its key is never sent here: `api_key_secret_ref` names a Secret ' +
        'of the namespace with the label `parley.dev/allow: "true"`. `headers` and `query` are shown in clear.',
      delete: 'Agents that name it stay live, and cannot reply until there is one of that name.',
    },
    fields: (readable) => ({
      base_url: z.string().meta({ description: 'Base of an OpenAI-compatible API.' }),
      ...readable('api_key_secret_ref', 'api_key_header', 'organization', 'project'),
      ...readable('chat', 'embeddings', 'speech', 'transcription', 'limits'),
      headers: z.record(z.string(), z.string()),
      query: z.record(z.string(), z.string()),
    }),
    reservedNames: { [DEFAULT_PROVIDER]: RESERVED_NAME },
    // Rejects invalid URLs when they are declared, so that the caller gets an error. The guard checks every connection
    // again.
    faults: ({ guard }, _, { base_url: url }) => {
      const checked = typeof url === 'string' ? checkUrl(url, guard) : undefined;
      if (!checked || !('problem' in checked)) return [];
      return [fault('/base_url', 'invalid_url', checked.problem)];
    },
    words: {
      'defaultModel must be one of models': 'default_model must be one of models',
      [KEY_IN_HEADER]:
        'a key is no extra header: put it into a Secret and name that in api_key_secret_ref',
    },
  },
  audit: {
    // The log shows that headers and parameters changed, and never their values.
    shown: ['base_url', 'api_key_secret_ref', 'chat', 'embeddings', 'speech', 'transcription'],
    gone: ['base_url'],
  },
});
