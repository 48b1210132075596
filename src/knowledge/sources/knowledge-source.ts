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
  url: httpUrl.describe('Address of the first page.'),
  maxDepth: z
    .int()
    .min(0)
    .max(20)
    .describe(
      'Maximum number of links between the first page and any other page. 0 reads only the first page. Default: 5.',
    )
    .exactOptional(),
  maxPages: z
    .int()
    .min(1)
    .max(10_000)
    .describe('Maximum number of pages to read. Default: 500.')
    .exactOptional(),
  include: paths.describe('Path patterns to include, such as /help/*.').exactOptional(),
  exclude: paths.describe('Path patterns to exclude.').exactOptional(),
  delayMs: z
    .int()
    .min(0)
    .max(60_000)
    .describe(
      'Minimum time between two requests, in milliseconds. 0 allows concurrent requests. Default: 500.',
    )
    .exactOptional(),
});

export const KEY_IN_FEED_HEADER =
  'must not contain an API key: store the key in a Secret and name the Secret in `secretRef`';

const integration = z
  .strictObject({
    url: httpUrl.describe('Address of the feed to read documents from.'),
    headers: headerMap.describe('Additional headers for requests.').exactOptional(),
    secretRef: bearerSecretRef.exactOptional(),
    signingSecretRef: signingSecretRef.exactOptional(),
  })
  .meta(rules(noKeyInHeaders(KEY_IN_FEED_HEADER)));

const embeddings = z.strictObject({
  provider: dnsLabel.describe(
    'Name of a ModelProvider in the same namespace, or `default` for the default provider.',
  ),
  model: z
    .string()
    .min(1)
    .max(128)
    .describe("Embedding model. Defaults to the provider's embeddings.defaultModel.")
    .exactOptional(),
});

/**
 * Maximum length of a declared text in characters. The length is limited because etcd limits an object to less than 1.5
 * MB. Longer texts belong in a source of type `file`.
 */
const TEXT_CHARS_MAX = 1_000_000;

export const knowledgeSourceSpec = z
  .strictObject({
    type: z
      .enum(['website', 'file', 'text', 'integration'])
      .describe('Type of the source. The content of a file is uploaded through the REST API.'),
    website: website.describe('Website to read. Only for type `website`.').exactOptional(),
    text: z
      .string()
      .min(1)
      .max(TEXT_CHARS_MAX)
      .describe('Text of the source, plain or Markdown. Only for type `text`.')
      .exactOptional(),
    textFrom: z
      .strictObject({
        configMapKeyRef: configMapKeyRef.describe('The ConfigMap and the key to read.'),
      })
      .describe('Reads the text from a ConfigMap. Only for type `text`.')
      .exactOptional(),
    integration: integration
      .describe('System to read from. Only for type `integration`.')
      .exactOptional(),
    schedule: z
      .string()
      .max(100)
      .regex(
        ...saying(
          /^(@(hourly|daily|weekly|monthly)|[-0-9A-Za-z*,/]+( [-0-9A-Za-z*,/]+){4})$/,
          'must be @hourly, @daily, @weekly, @monthly or a cron expression of five fields, such as 0 3 * * *',
        ),
      )
      .describe(
        'When to read the source again, as a cron expression in UTC. Only for types `website` and `integration`.',
      )
      .exactOptional(),
    embeddings: embeddings
      .describe(
        'Provider and model that embed the passages. Defaults to the default provider if it supports embeddings.',
      )
      .exactOptional(),
    metadata: metadataMap
      .clone()
      .describe('Your own key-value pairs. Agents can use them to select sources.')
      .exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.type != 'text' || has(self.text) != has(self.textFrom)",
        message: 'a source of type `text` must have exactly one of `text` and `textFrom`',
        fieldPath: '.text',
      },
      {
        rule: "self.type == 'text' || !has(self.text)",
        message: '`text` requires `type: text`',
        fieldPath: '.text',
      },
      {
        rule: "self.type == 'text' || !has(self.textFrom)",
        message: '`textFrom` requires `type: text`',
        fieldPath: '.textFrom',
      },
      {
        rule: "(self.type == 'website') == has(self.website)",
        message: 'set `website` if and only if `type` is `website`',
        fieldPath: '.website',
      },
      {
        rule: "(self.type == 'integration') == has(self.integration)",
        message: 'set `integration` if and only if `type` is `integration`',
        fieldPath: '.integration',
      },
      {
        rule: "!has(self.schedule) || self.type == 'website' || self.type == 'integration'",
        message: '`schedule` requires `type: website` or `type: integration`',
        fieldPath: '.schedule',
      },
    ),
  )
  .describe('Desired state of the source: its content and where it comes from.');

export const knowledgeSourceStatus = z
  .strictObject({
    observedGeneration,
    sourceId: z.string().max(29).describe('ID in the REST API, ks_….').exactOptional(),
    documents: z.int().min(0).describe('Number of indexed documents.').exactOptional(),
    chunks: z.int().min(0).describe('Number of indexed passages.').exactOptional(),
    lastSyncTime: time.describe('When the content was last indexed.').exactOptional(),
    lastSyncResult: z
      .enum(['succeeded', 'failed'])
      .describe('Result of the last completed sync of a website or an integration.')
      .exactOptional(),
    sync: z
      .strictObject({
        phase: z.enum(['queued', 'running']).describe('Whether the sync is queued or running.'),
        found: z.int().min(0).describe('Number of documents found so far.'),
        read: z.int().min(0).describe('Number of documents processed so far.'),
      })
      .describe('The unfinished sync.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the source.');

/** A stored spec after defaults are applied. */
export type KnowledgeSourceSpec = z.output<typeof knowledgeSourceSpec>;
export type KnowledgeSourceStatus = z.output<typeof knowledgeSourceStatus>;
