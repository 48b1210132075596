import type { IdPrefix } from '../../ids.ts';

/** Names of declared objects (contract/names.md). Most follow from the name of the kind. */

export const API_GROUP = 'parley.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;

/** Place of an object's declaration, by the owner of a field that every object of its kind has. */
export type ManagedBy = 'api' | 'kubernetes' | 'file';

export type KindNames = {
  /** `WebhookEndpoint` */
  kind: string;
  /** `we` */
  idPrefix: IdPrefix;
  /** Field of the status that repeats the id: `endpointId`. */
  idField: string;
  /** Table of the kind, also the name of its quota: `webhook_endpoints`. */
  table: string;
  /** Name for readers of changes: `webhooks`. */
  resource: string;
  /** First half of its actions in the audit log: `webhook`. */
  auditNoun: string;
  /** Name for callers of REST: `webhook endpoint`. */
  noun: string;
};

const ID_PREFIX = /^[a-z]{2,4}$/;

/**
 * Returns the names of a kind. `resource` is given if REST's name differs from the table.
 * @throws Error if the prefix cannot begin an id, which is a bug
 */
export function namesOf(given: { kind: string; idPrefix: string; resource?: string }): KindNames {
  const { kind, idPrefix } = given;
  if (!ID_PREFIX.test(idPrefix)) throw new Error(`${kind}: ${idPrefix} cannot begin an id`);
  const words = kind.match(/[A-Z][a-z]*/g)?.map((word) => word.toLowerCase()) ?? [];
  const table = `${words.join('_')}s`;
  const { resource = table } = given;
  return {
    kind,
    idPrefix: idPrefix as IdPrefix, // The check above ensures its form.
    idField: `${words.at(-1)}Id`,
    table,
    resource,
    auditNoun: resource.slice(0, -1),
    noun: words.join(' '),
  };
}

/** Returns the plural of a kind, as in the path of the Kubernetes API: `webhookendpoints`. */
export function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}
