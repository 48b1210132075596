import { z } from 'zod';
import {
  conditions,
  configMapKeyRef,
  dnsLabel,
  headerMap,
  httpUrl,
  lastHandledReconcileAt,
  LIST_SET,
  metadataMap,
  noKeyInHeaders,
  observedGeneration,
  rules,
  bearerSecretRef,
  signingSecretRef,
  time,
} from '../../platform/resources/schema/field-types.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/**
 * This module defines the kind KnowledgeSource (contract/custom-resources.md#spec). Its TypeScript types, CRD and REST
 * schema are derived from the schema below.
 */

const paths = z.array(z.string().min(1).max(1024)).max(50).meta(LIST_SET);

const website = z.strictObject({
  url: httpUrl.describe('Page to start from.'),
  maxDepth: z
    .int()
    .min(0)
    .max(20)
    .describe('Links followed from the first page; 0: that page alone. Default 5.')
    .exactOptional(),
  maxPages: z.int().min(1).max(10_000).describe('Most pages kept. Default 500.').exactOptional(),
  include: paths.describe('Patterns of paths to keep, as in /help/*.').exactOptional(),
  exclude: paths.describe('Patterns of paths to leave out.').exactOptional(),
  delayMs: z
    .int()
    .min(0)
    .max(60_000)
    .describe('Milliseconds from one request to the next; 0: several at once. Default 500.')
    .exactOptional(),
});

export const KEY_IN_FEED_HEADER =
  'a key is no extra header: put it into a Secret and name that in secretRef';

const integration = z
  .strictObject({
    url: httpUrl.describe('Address of the feed that documents are read from.'),
    headers: headerMap.describe('Extra headers of the request.').exactOptional(),
    secretRef: bearerSecretRef.exactOptional(),
    signingSecretRef: signingSecretRef.exactOptional(),
  })
  .meta(rules(noKeyInHeaders(KEY_IN_FEED_HEADER)));

const embeddings = z.strictObject({
  provider: dnsLabel.describe('ModelProvider of the same namespace, or default.'),
  model: z
    .string()
    .min(1)
    .max(128)
    .describe("Its embedding model; absent: the provider's embeddings.defaultModel.")
    .exactOptional(),
});

/**
 * Maximum length of a declared text, because etcd limits an object to less than 1.5 MB. Longer texts belong in a source
 * of type `file`.
 */
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
    embeddings: embeddings
      .describe(
        'What its passages are embedded with; absent: the default provider, where that embeds.',
      )
      .exactOptional(),
    metadata: metadataMap
      .clone()
      .describe('Key-value pairs of yours, by which agents may choose their sources.')
      .exactOptional(),
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
    lastSyncResult: z
      .enum(['succeeded', 'failed'])
      .describe('How the last finished sync of a website or an integration went.')
      .exactOptional(),
    sync: z
      .strictObject({
        phase: z.enum(['queued', 'running']).describe('Whether it has begun.'),
        found: z.int().min(0).describe('Documents known of so far.'),
        read: z.int().min(0).describe('Of those, how many were looked at.'),
      })
      .describe('The unfinished sync.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What is known about the source.');

/** A stored spec after defaults are applied. */
export type KnowledgeSourceSpec = z.output<typeof knowledgeSourceSpec>;
export type KnowledgeSourceStatus = z.output<typeof knowledgeSourceStatus>;
