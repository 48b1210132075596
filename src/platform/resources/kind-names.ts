import type { IdPrefix } from '../../ids.ts';

/** This module defines the names for a kind (contract/names.md). Most of them are derived from the kind's own name. */

export const API_GROUP = 'parley.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;

/**
 * Where an object is declared. The value is derived from the field manager that owns a field which every object of the
 * kind has.
 */
export type ManagedBy = 'api' | 'kubernetes' | 'file';

export type KindNames = {
  /** Name of the kind, such as `WebhookEndpoint`. */
  kind: string;
  /** Prefix of the ids of the kind's objects, such as `we`. */
  idPrefix: IdPrefix;
  /** Status field that repeats the id of an object, such as `endpointId`. */
  idField: string;
  /** Table with the kind's rows, such as `webhook_endpoints`. The kind's quota has the same name. */
  table: string;
  /** Name of the kind in change events, such as `webhooks`. */
  resource: string;
  /** First part of the names of the kind's actions in the audit log, such as `webhook`. */
  auditNoun: string;
  /** Name of the kind in messages for REST callers, such as `webhook endpoint`. */
  noun: string;
};

const ID_PREFIX = /^[a-z]{2,4}$/;

/**
 * Returns the names for a kind. `resource` must be given if the name in the REST API differs from the table's name.
 * @throws Error if the prefix is not valid at the beginning of an id, which is a bug
 */
export function namesOf(given: { kind: string; idPrefix: string; resource?: string }): KindNames {
  const { kind, idPrefix } = given;
  if (!ID_PREFIX.test(idPrefix)) throw new Error(`${kind}: ${idPrefix} cannot begin an id`);
  const words = kind.match(/[A-Z][a-z]*/g)?.map((word) => word.toLowerCase()) ?? [];
  const table = `${words.join('_')}s`;
  const { resource = table } = given;
  return {
    kind,
    idPrefix: idPrefix as IdPrefix, // The cast is safe because of the check above.
    idField: `${words.at(-1)}Id`,
    table,
    resource,
    auditNoun: resource.slice(0, -1),
    noun: words.join(' '),
  };
}

/** Returns the plural of a kind for paths in the Kubernetes API, such as `webhookendpoints`. */
export function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}
