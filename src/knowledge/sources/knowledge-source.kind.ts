import { namesOf } from '../../platform/resources/kind-names.ts';
import {
  AGE_COLUMN,
  MESSAGE_COLUMN,
  printerColumn,
  READY_COLUMN,
  type KindDefinition,
} from '../../platform/resources/schema/kind-definition.ts';
import { knowledgeSourceSpec, knowledgeSourceStatus } from './knowledge-source.ts';

export const KNOWLEDGE_SOURCE_KIND: KindDefinition = {
  ...namesOf({ kind: 'KnowledgeSource', idPrefix: 'ks' }),
  shortNames: ['ks'],
  description: 'What agents answer from: a text, an uploaded file, a website or another system.',
  spec: knowledgeSourceSpec,
  status: knowledgeSourceStatus,
  printerColumns: [
    READY_COLUMN,
    printerColumn('Type', 'string', '.spec.type', 'Where the knowledge comes from.'),
    printerColumn('Documents', 'integer', '.status.documents', 'Documents that are searched.'),
    printerColumn('Sync', 'string', '.status.sync.phase', 'Whether it is being read now.'),
    printerColumn('Last-Sync', 'date', '.status.lastSyncTime', 'When it was last indexed.'),
    AGE_COLUMN,
    MESSAGE_COLUMN,
    { ...printerColumn('ID', 'string', '.status.sourceId', 'Id in the REST API.'), priority: 1 },
  ],
  selectableFields: ['.spec.type'],
};
