import type { Change, Fields } from '../../audit/audit-log.sql.ts';
import { changesBetween, toldOf } from '../../audit/changes.ts';
import type { WebhookEndpointFields } from './rest-webhook-endpoint.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.sql.ts';

/**
 * What the audit log tells of an endpoint: where it sends what, and the names of its headers, never
 * a value. Of a URL not the query, which some receivers take a password in.
 */
const TOLD = ['url', 'event_types', 'enabled', 'header_names', 'managed_by'] as const;

export function endpointAudited(fields: Fields, headerNames: readonly string[]): Fields {
  return toldOf(shown({ ...fields, header_names: headerNames }), TOLD);
}

/** `set`: the headers that the patch gives a value, or removes. `after` undefined: they stay. */
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
  // A value that is replaced changes no name; a query that is replaced, no path.
  const isOtherUrl = before.url !== after.url && !Object.hasOwn(change.after ?? {}, 'url');
  const changed = [
    ...(change.detail['changed'] as string[]),
    ...names.set.map((name) => `headers.${name}`),
    ...(isOtherUrl ? ['url'] : []),
  ];
  return { ...change, detail: { changed: changed.toSorted() } };
}

export function endpointGone(row: WebhookEndpointRow): Partial<Change> {
  const { url, eventTypes, enabled, headerNames, managedBy } = row;
  const fields = { url, event_types: eventTypes, enabled, managed_by: managedBy };
  return { before: endpointAudited(fields, headerNames) };
}

export function namesOf(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(headers).toSorted();
}

function shown(fields: Fields): Fields {
  const { url } = fields;
  return typeof url === 'string' ? { ...fields, url: url.replace(/[?#].*$/s, '') } : fields;
}
