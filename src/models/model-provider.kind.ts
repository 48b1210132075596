import { namesOf } from '../platform/resources/kind-names.ts';
import {
  AGE_COLUMN,
  MESSAGE_COLUMN,
  printerColumn,
  READY_COLUMN,
  type KindDefinition,
} from '../platform/resources/schema/kind-definition.ts';
import { modelProviderSpec, modelProviderStatus } from './model-provider.ts';

export const MODEL_PROVIDER_KIND: KindDefinition = {
  ...namesOf({ kind: 'ModelProvider', idPrefix: 'mp' }),
  shortNames: ['mp'],
  description: 'Where the models of agents come from: an OpenAI-compatible API and its key.',
  spec: modelProviderSpec,
  status: modelProviderStatus,
  printerColumns: [
    READY_COLUMN,
    printerColumn('URL', 'string', '.spec.baseUrl', 'Base of its API.'),
    printerColumn('Model', 'string', '.spec.chat.defaultModel', 'Model of agents that name none.'),
    AGE_COLUMN,
    MESSAGE_COLUMN,
    { ...printerColumn('ID', 'string', '.status.providerId', 'Id in the REST API.'), priority: 1 },
  ],
  selectableFields: ['.spec.baseUrl'],
};
