import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../ids.ts';
import { CALL_STATUSES, DIRECTIONS, TRANSFER_STATUSES, type CallRow } from './calls.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/fields.ts';

/** A call as the REST API returns it (contract/calls.md). */

export const Call = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the call: `call_…`.' }),
    created: createdAt,
    agent_id: z.string(),
    conversation_id: z
      .string()
      .nullable()
      .meta({ description: 'The call’s conversation. Null until the call is answered.' }),
    direction: z.enum(DIRECTIONS),
    from: z.string().nullable(),
    to: z.string().nullable(),
    status: z.enum(CALL_STATUSES),
    ended_reason: z
      .string()
      .nullable()
      .meta({
        description:
          'Why the call ended: the `ended_reason` of its conversation (`api` for an API request, ' +
          '`user_hangup`, `voicemail`, `transferred` …), or `busy`, `no_answer`, `dial_failed`, ' +
          '`canceled` or `platform_error`.',
      }),
    transfer: z
      .strictObject({
        to: z
          .string()
          .nullable()
          .meta({ description: 'Telephone number in E.164 format. Null after erasure.' }),
        status: z.enum(TRANSFER_STATUSES),
      })
      .nullable()
      .meta({
        description: 'Latest transfer to another number. Null if the call was not transferred.',
      }),
    provider: z.string(),
    provider_call_id: z.string().nullable(),
    user_id: z.string().nullable(),
    variables: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.string()),
    answered_at: unixTime.nullable(),
    ended_at: unixTime.nullable(),
    duration_sec: z.int().min(0).nullable().meta({
      description:
        'Seconds from the answer to the end of the call. Null if it was not answered or has not ended.',
    }),
  })
  .meta({ id: 'Call', description: 'A telephone call with an agent.' });

export function callView(row: CallRow): z.output<typeof Call> {
  return {
    id: fromUuid('call', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    agent_id: fromUuid('agt', row.agentId),
    conversation_id: row.conversationId === null ? null : fromUuid('conv', row.conversationId),
    direction: row.direction,
    from: row.from,
    to: row.to,
    status: row.status,
    ended_reason: row.endedReason,
    transfer:
      row.transferStatus === null ? null : { to: row.transferTo, status: row.transferStatus },
    provider: row.provider,
    provider_call_id: row.providerCallId,
    user_id: row.userId,
    variables: row.variables,
    metadata: row.metadata,
    answered_at: unixSecOrNull(row.answeredAt),
    ended_at: unixSecOrNull(row.endedAt),
    duration_sec: durationSec(row),
  };
}

function durationSec({ answeredAt, endedAt }: CallRow): number | null {
  if (answeredAt === null || endedAt === null) return null;
  return Math.max(0, Math.round((endedAt - answeredAt) / 1_000));
}
