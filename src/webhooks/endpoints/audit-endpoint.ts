import type { Change, Fields } from '../../audit/audit-log.sql.ts';
import { changesBetween, differing, toldOf } from '../../audit/changes.ts';
import { recordDeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { toCamelKey } from '../../platform/resources/schema/key-map.ts';
import type { WebhookEndpointFields } from './rest-webhook-endpoint.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.sql.ts';

/**
 * Fields of an endpoint in the audit log: the URL, the event types and the names of its headers, but never a header
 * value. The URL's query is removed, because some receivers expect a password in it.
 */
const TOLD = ['url', 'event_types', 'enabled', 'header_names', 'managed_by'] as const;

export function endpointAudited(fields: Fields, headerNames: readonly string[]): Fields {
  return toldOf(shown({ ...fields, header_names: headerNames }), TOLD);
}

/**
 * Returns the audit log's record of a change to an endpoint. `names.set` lists the headers that the patch sets or
 * removes. If `names.after` is undefined, the header names did not change.
 */
export function endpointChange(
  before: WebhookEndpointFields,
  after: WebhookEndpointFields,
  names: {
    before: readonly string[];
    after: readonly string[] | undefined;
    set: readonly string[];
  },
): Change {
  const change = changesBetween(
    shown({ ...before, header_names: names.before }),
    shown({ ...after, header_names: names.after ?? names.before }),
    TOLD,
  );
  // The URL is shown without its query. If only the query changed, `url` must still be listed as changed.
  const isOtherUrl = before.url !== after.url && !Object.hasOwn(change.after ?? {}, 'url');
  const changed = [
    ...(change.detail['changed'] as string[]),
    ...names.set.map((name) => `headers.${name}`),
    ...(isOtherUrl ? ['url'] : []),
  ];
  return { ...change, detail: { changed: changed.toSorted() } };
}

type Declared = Pick<
  WebhookEndpointRow,
  | 'id'
  | 'namespace'
  | 'uid'
  | 'generation'
  | 'managedBy'
  | 'url'
  | 'eventTypes'
  | 'description'
  | 'enabled'
  | 'metadata'
>;

/** Adds an entry to the audit log when the operator applies the endpoint's declaration. `row` is the previous state. */
export async function recordEndpoint(
  db: Db,
  declared: {
    row: WebhookEndpointRow | undefined;
    endpoint: Declared;
    headerNames: readonly string[];
    whoElse: WhoElse;
  },
): Promise<void> {
  const { row, endpoint, headerNames, whoElse } = declared;
  const after = declaredFields(endpoint);
  const before = row && declaredFields(row);
  const changed = before ? differing({ ...before }, { ...after }) : [];
  // `after` is undefined, which means that the header names did not change: changes to headers are not detected here.
  const names = { before: headerNames, after: undefined, set: [] };
  await recordDeclared(db, {
    noun: 'webhook',
    namespace: endpoint.namespace,
    target: fromUuid('we', endpoint.id),
    before: row,
    after: endpoint,
    changed: changed.map((field) => (field === 'enabled' ? 'suspend' : toCamelKey(field))),
    unseen: ['secretRef', 'headersFrom'],
    whoElse,
    line: before
      ? endpointChange(before, after, names)
      : {
          after: endpointAudited({ ...after, managed_by: endpoint.managedBy }, headerNames),
        },
  });
}

function declaredFields(endpoint: Declared): WebhookEndpointFields {
  const { url, eventTypes, description, enabled, metadata } = endpoint;
  return { url, event_types: eventTypes, description, enabled, metadata };
}

export function endpointGone(
  row: Pick<WebhookEndpointRow, 'url' | 'eventTypes' | 'enabled' | 'headerNames' | 'managedBy'>,
): { before: Fields } {
  const { url, eventTypes, enabled, headerNames, managedBy } = row;
  const fields = { url, event_types: eventTypes, enabled, managed_by: managedBy };
  return { before: endpointAudited(fields, headerNames) };
}

export function namesOf(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(headers).toSorted();
}

function shown(fields: Fields): Fields {
  const { url } = fields;
  return typeof url === 'string' ? { ...fields, url: url.replace(/[?#].*/s, '') } : fields;
}
