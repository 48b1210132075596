import { z } from 'zod';
import {
  conditions,
  configMapKeyRef,
  headerMap,
  httpUrl,
  lastHandledReconcileAt,
  LIST_SET,
  metadataMap,
  observedGeneration,
  rules,
  secretKeyRef,
  time,
} from '../../platform/resources/schema/field-types.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/** The kind KnowledgeSource (contract §6): types, CRD and REST shape come from here. */

const paths = z.array(z.string().min(1).max(1024)).max(50).meta(LIST_SET);

const website = z.strictObject({
  url: httpUrl.describe('Page to start from.'),
  maxDepth: z
    .int()
    .min(0)
    .max(20)
    .describe('Links followed from the first page; 0: that page alone.')
    .exactOptional(),
  maxPages: z.int().min(1).max(10_000).describe('Most pages kept.').exactOptional(),
  include: paths.describe('Patterns of paths to keep, as in /help/*.').exactOptional(),
  exclude: paths.describe('Patterns of paths to leave out.').exactOptional(),
});

const integration = z.strictObject({
  url: httpUrl.describe('Address the documents are read from.'),
  headers: headerMap.describe('Extra headers of the request.').exactOptional(),
  secretRef: secretKeyRef
    .describe('Secret sent as bearer token; it must carry the label parley.dev/allow: "true".')
    .exactOptional(),
});

/** etcd takes less than 1.5 MB for an object; longer texts belong in a source of type file. */
const TEXT_CHARS_MAX = 1_000_000;

export const knowledgeSourceSpec = z
  .strictObject({
    type: z
      .enum(['website', 'file', 'text', 'integration'])
      .describe('Where the knowledge comes from; a file is uploaded by the REST API.'),
    website: website.describe('The website to read; for type website.').exactOptional(),
    text: z
      .string()
      .min(1)
      .max(TEXT_CHARS_MAX)
      .describe('The knowledge itself, plain or Markdown; for type text.')
      .exactOptional(),
    textFrom: z
      .strictObject({ configMapKeyRef: configMapKeyRef.describe('The ConfigMap and key to read.') })
      .describe('Takes the text from elsewhere; for type text.')
      .exactOptional(),
    integration: integration
      .describe('The system to read from; for type integration.')
      .exactOptional(),
    schedule: z
      .string()
      .max(100)
      .regex(
        ...saying(
          /^(@(hourly|daily|weekly|monthly)|[-0-9A-Za-z*,/]+( [-0-9A-Za-z*,/]+){4})$/,
          'must be @hourly, @daily, @weekly, @monthly or the five fields of cron, such as 0 3 * * *',
        ),
      )
      .describe('When to read again, as cron has it; for types website and integration.')
      .exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.type != 'text' || has(self.text) != has(self.textFrom)",
        message: 'type text needs exactly one of text and textFrom',
        fieldPath: '.text',
      },
      {
        rule: "self.type == 'text' || !has(self.text)",
        message: 'text is for type text only',
        fieldPath: '.text',
      },
      {
        rule: "self.type == 'text' || !has(self.textFrom)",
        message: 'textFrom is for type text only',
        fieldPath: '.textFrom',
      },
      {
        rule: "(self.type == 'website') == has(self.website)",
        message: 'type website, and no other, needs website',
        fieldPath: '.website',
      },
      {
        rule: "(self.type == 'integration') == has(self.integration)",
        message: 'type integration, and no other, needs integration',
        fieldPath: '.integration',
      },
      {
        rule: "!has(self.schedule) || self.type == 'website' || self.type == 'integration'",
        message: 'schedule is for types website and integration only',
        fieldPath: '.schedule',
      },
    ),
  )
  .describe('What the knowledge is and where it comes from.');

export const knowledgeSourceStatus = z
  .strictObject({
    observedGeneration,
    sourceId: z.string().max(29).describe('Id in the REST API, ks_…').exactOptional(),
    documents: z.int().min(0).describe('Documents that are searched.').exactOptional(),
    chunks: z.int().min(0).describe('Passages that are searched.').exactOptional(),
    lastSyncTime: time.describe('When the content was last indexed.').exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What is known about the source.');

/** A stored spec, defaults applied. */
export type KnowledgeSourceSpec = z.output<typeof knowledgeSourceSpec>;
export type KnowledgeSourceStatus = z.output<typeof knowledgeSourceStatus>;

/**
 * Whether this version reads the content of a type; sources of other types are declared and wait.
 */
export function isReadable(type: KnowledgeSourceSpec['type']): boolean {
  return type === 'text' || type === 'file';
}

/** For sources of the other types, in a condition and by REST. */
export function whyNotReadable(type: KnowledgeSourceSpec['type']): string {
  return `sources of type ${type} are not fetched by this version`;
}
