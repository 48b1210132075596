import type { z } from 'zod';
import { agentSpec, agentStatus } from '../agents/agent.ts';
import {
  knowledgeSourceSpec,
  knowledgeSourceStatus,
} from '../knowledge/sources/knowledge-source.ts';
import {
  webhookEndpointSpec,
  webhookEndpointStatus,
} from '../webhooks/endpoints/webhook-endpoint.ts';

/**
 * The only place that lists the kinds by name: CRDs, validation, stores, the manifest folder and
 * reconcilers' wiring all walk KINDS. A new kind is a schema file and one entry here. CEL rules
 * stand in the schemas, next to the fields they tie together.
 */

export const API_GROUP = 'parley.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;

/** `priority: 1` shows only with `kubectl get -o wide`. */
export type PrinterColumn = {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  priority?: 1;
};

export type KindDefinition = {
  kind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  /** First paragraph of `kubectl explain`. */
  description: string;
  spec: z.ZodObject;
  status: z.ZodObject;
  printerColumns: readonly PrinterColumn[];
  /** Scalar fields that `kubectl get --field-selector` may use; at most eight. */
  selectableFields: readonly string[];
};

const ready: PrinterColumn = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
  description: 'Whether it is in force as declared.',
};
const message: PrinterColumn = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  description: 'Why it is ready or is not.',
  priority: 1,
};
const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since it was created.',
};

export const KINDS: readonly KindDefinition[] = [
  {
    kind: 'Agent',
    plural: 'agents',
    singular: 'agent',
    shortNames: ['agt'],
    description:
      'A conversational agent: a prompt, a voice and tools. Each change of its content is a version; the active one answers.',
    spec: agentSpec,
    status: agentStatus,
    printerColumns: [
      ready,
      column('Active', 'integer', '.status.activeVersion', 'Version that is live.'),
      column('Latest', 'integer', '.status.latestVersion', 'Highest version.'),
      column('Pinned', 'integer', '.spec.pinnedVersion', 'Version that is pinned.'),
      column('Voice', 'string', '.spec.voice.voiceId', 'Voice it speaks with.'),
      age,
      message,
      { ...column('ID', 'string', '.status.agentId', 'Id in the REST API.'), priority: 1 },
    ],
    selectableFields: ['.spec.voice.provider', '.spec.pinnedVersion', '.status.activeVersion'],
  },
  {
    kind: 'WebhookEndpoint',
    plural: 'webhookendpoints',
    singular: 'webhookendpoint',
    shortNames: ['whe'],
    description: 'An HTTP endpoint that receives signed events, each at least once.',
    spec: webhookEndpointSpec,
    status: webhookEndpointStatus,
    printerColumns: [
      ready,
      column('URL', 'string', '.spec.url', 'Address events are sent to.'),
      column('Events', 'string', '.spec.eventTypes', 'Events sent; empty: all.'),
      column('Suspended', 'boolean', '.spec.suspend', 'Whether it is switched off.'),
      column('Last-Success', 'date', '.status.lastSuccessTime', 'Last acknowledged delivery.'),
      age,
      message,
      { ...column('ID', 'string', '.status.endpointId', 'Id in the REST API.'), priority: 1 },
    ],
    selectableFields: ['.spec.url', '.spec.suspend', '.status.health'],
  },
  {
    kind: 'KnowledgeSource',
    plural: 'knowledgesources',
    singular: 'knowledgesource',
    shortNames: ['ks'],
    description: 'What agents answer from: a text, an uploaded file, a website or another system.',
    spec: knowledgeSourceSpec,
    status: knowledgeSourceStatus,
    printerColumns: [
      ready,
      column('Type', 'string', '.spec.type', 'Where the knowledge comes from.'),
      column('Documents', 'integer', '.status.documents', 'Documents that are searched.'),
      column('Last-Sync', 'date', '.status.lastSyncTime', 'When it was last indexed.'),
      age,
      message,
      { ...column('ID', 'string', '.status.sourceId', 'Id in the REST API.'), priority: 1 },
    ],
    selectableFields: ['.spec.type'],
  },
];

/** The definition of a kind of ours; undefined for any other name. */
export function findKind(kind: string): KindDefinition | undefined {
  return KINDS.find((definition) => definition.kind === kind);
}

function column(
  name: string,
  type: PrinterColumn['type'],
  jsonPath: string,
  description: string,
): PrinterColumn {
  return { name, type, jsonPath, description };
}
