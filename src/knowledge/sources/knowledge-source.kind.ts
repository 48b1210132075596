import { definitionOf, printerColumn } from '../../platform/resources/schema/kind-definition.ts';
import { knowledgeSourceSpec, knowledgeSourceStatus } from './knowledge-source.ts';

export const KNOWLEDGE_SOURCE_KIND = definitionOf({
  kind: 'KnowledgeSource',
  idPrefix: 'ks',
  shortNames: ['ks'],
  description:
    'Knowledge that agents use to answer questions: a text, an uploaded file, a website or another system.',
  spec: knowledgeSourceSpec,
  status: knowledgeSourceStatus,
  columns: [
    printerColumn('Type', 'string', '.spec.type', 'Where the knowledge comes from.'),
    printerColumn('Documents', 'integer', '.status.documents', 'Number of searchable documents.'),
    printerColumn('Sync', 'string', '.status.sync.phase', 'Whether the source is being read now.'),
    printerColumn('Last-Sync', 'date', '.status.lastSyncTime', 'When the source was last indexed.'),
  ],
  selectableFields: ['.spec.type'],
});
