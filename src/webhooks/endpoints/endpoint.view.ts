import { z } from 'zod';
import { epochMs } from '../../clock.ts';
import { fromUuid } from '../../ids.ts';
import { etagOf } from '../../platform/declare/precondition.ts';
import { managedBy as managedByOwner } from '../../platform/reconcile/actors.ts';
import { healthOf, statusMessage } from './read-endpoint-health.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.sql.ts';
import {
  createdAt,
  unixSec,
  unixSecOrNull,
  unixTime,
  updatedAt,
} from '../../platform/http/fields.ts';

/** Number up to which an endpoint's unfinished deliveries are counted. */
export const UNFINISHED_MAX = 10_000;

/**
 * REST representation of webhook endpoints (contract/webhooks.md#status). It is built from a row that contains no
 * secrets, so it cannot reveal a secret.
 */

export const WebhookEndpoint = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the endpoint, `we_…`.' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string(),
    url: z.string(),
    event_types: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Subscribed event types, as declared. Null means every type.' }),
    description: z.string().nullable(),
    enabled: z.boolean(),
    header_names: z
      .array(z.string())
      .meta({ description: 'Names of the extra headers. Their values are never shown.' }),
    metadata: z.record(z.string(), z.string()),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({
      description: 'Whether the latest configuration of the endpoint is in effect.',
    }),
    status_message: z.string().nullable(),
    status: z.enum(['healthy', 'failing', 'disabled', 'not_ready']).meta({
      description:
        'Health, based on the latest deliveries. `not_ready` if the latest configuration is not in ' +
        'effect.',
    }),
    last_success_at: unixTime.nullable(),
    last_failure: z
      .strictObject({
        at: unixTime.nullable(),
        delivery_id: z.string(),
        status_code: z.int().nullable(),
        error_class: z.string().nullable(),
      })
      .nullable(),
    failing_since: unixTime.nullable().meta({
      description:
        'Time of the first failure since the last success, in Unix seconds. Null if nothing has ' +
        'failed since then.',
    }),
    failed_attempts: z
      .int()
      .min(0)
      .meta({ description: 'Number of failed attempts since the last success.' }),
    unfinished_deliveries: z
      .int()
      .min(0)
      .max(UNFINISHED_MAX)
      .nullable()
      .meta({
        description: `Number of unfinished deliveries, counted up to ${UNFINISHED_MAX}. Null in lists.`,
      }),
    disabled_reason: z.string().nullable().meta({
      description:
        'Why the endpoint is disabled, including who disabled it. Null if it is enabled.',
    }),
    secret_rotation: z
      .strictObject({
        activates_at: unixTime.meta({
          description:
            'Time at which the new secret starts to sign `parley-signature`, in Unix seconds.',
        }),
        ends_at: unixTime.meta({
          description: 'Time at which the old secret becomes invalid, in Unix seconds.',
        }),
      })
      .nullable()
      .meta({
        description:
          'The rotation in progress, during which two secrets are valid; see `rotate_secret`. ' +
          'Null if no rotation is in progress.',
      }),
  })
  .meta({ id: 'WebhookEndpoint', description: 'A URL that receives events.' });

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  secret: z.string().meta({ description: 'Signing secret. Only this response shows it.' }),
}).meta({
  id: 'CreatedWebhookEndpoint',
  description: 'A new endpoint, including its signing secret.',
});

/**
 * Returns the ETag for everything that REST can change: the declaration, and the headers, which are stored separately.
 */
export function endpointTag(row: WebhookEndpointRow): string {
  return etagOf({ ...row, revision: row.headerRevision });
}

/** Returns the reason why an endpoint is disabled, including who disabled it, or null if it is enabled. */
function disabledReason({ enabled, suspendedBy, managedBy }: WebhookEndpointRow): string | null {
  if (enabled) return null;
  const by = suspendedBy === null ? managedBy : managedByOwner([suspendedBy]);
  if (by === 'api') return '`enabled` is false, set through the API';
  if (by === 'file')
    return '`spec.suspend` is true, set by a file in the manifests folder (PARLEY_MANIFESTS)';
  return `\`spec.suspend\` is true, set by ${suspendedBy ?? 'its manifest'}`;
}

/**
 * Returns the REST representation of an endpoint. `unfinished` is counted up to `UNFINISHED_MAX`; null means that it
 * was not counted.
 */
export function endpointView(
  row: WebhookEndpointRow,
  unfinished: number | null = null,
): z.output<typeof WebhookEndpoint> {
  const whyDisabled = disabledReason(row);
  return {
    id: fromUuid('we', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    name: row.name,
    url: row.url,
    event_types: row.eventTypes.length === 0 ? null : row.eventTypes,
    description: row.description === '' ? null : row.description,
    enabled: row.enabled,
    header_names: row.headerNames,
    metadata: row.metadata,
    managed_by: row.managedBy,
    ready: row.ready,
    status_message: statusMessage(row, whyDisabled),
    status: healthOf(row),
    last_success_at: unixSecOrNull(row.lastSuccessAt),
    last_failure: lastFailureView(row),
    failing_since: unixSecOrNull(row.failingSince),
    failed_attempts: row.failedAttempts,
    unfinished_deliveries: unfinished,
    disabled_reason: whyDisabled,
    secret_rotation: rotationView(row),
  };
}

export const RotatedWebhookEndpoint = WebhookEndpoint.extend({
  secret: z.string().optional().meta({
    description:
      'The new signing secret, if this request created one. Only this response shows it.',
  }),
}).meta({ id: 'RotatedWebhookEndpoint', description: 'An endpoint with a rotated secret.' });

/** Returns the rotation in progress. Returns null after its end, even if the row still contains the rotation. */
function rotationView(
  row: WebhookEndpointRow,
): z.output<typeof WebhookEndpoint>['secret_rotation'] {
  const { nextSecretAt, oldSecretUntil } = row;
  if (nextSecretAt === null || oldSecretUntil === null || oldSecretUntil <= epochMs()) return null;
  return { activates_at: unixSec(nextSecretAt), ends_at: unixSec(oldSecretUntil) };
}

function lastFailureView(
  row: WebhookEndpointRow,
): z.output<typeof WebhookEndpoint>['last_failure'] {
  const { lastFailure, lastFailureAt } = row;
  if (lastFailure === null) return null;
  return {
    at: unixSecOrNull(lastFailureAt),
    delivery_id: fromUuid('dlv', lastFailure.delivery_id),
    status_code: lastFailure.status_code,
    error_class: lastFailure.error_class,
  };
}
