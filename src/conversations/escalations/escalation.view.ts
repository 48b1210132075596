import { z } from 'zod';
import { team } from '../../agents/agent-escalation.ts';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { waitOf } from './accept-escalation.ts';
import { ESCALATION_STATUSES, type EscalationRow } from './escalations.sql.ts';
import { cut, QUOTE_MAX } from '../record/excerpt.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';

/** This module defines the REST representation of escalations (contract/escalations.md). */

export const escalationStatus = z.enum(ESCALATION_STATUSES);

export const Person = z.strictObject({
  id: z.string().min(1).max(256).describe('Your own ID for the human agent.'),
  name: z.string().min(1).max(256).describe('Name of the human agent, shown in the transcript.'),
});

/**
 * Name on one line, without control characters. Users and colleagues see the name within other text. Control characters
 * could distort that text, for example by changing its direction.
 */
export const lineName = Person.shape.name
  .refine(...onOneLine())
  .describe('Name of the human agent. It must be one line without control characters.');

/**
 * Returns arguments for zod's `refine` that reject line breaks and other control characters. A `pattern` in the schema
 * would not work, because it would need the `u` flag, which OpenAPI does not support.
 */
export function onOneLine(): [(text: string) => boolean, string] {
  return [
    (text) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text),
    'must be a single line without control characters',
  ];
}

export const Escalation = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the escalation, `esc_…`.' }),
    created: createdAt,
    conversation_id: z.string(),
    agent_id: z.string(),
    test: z.boolean().meta({ description: 'Whether the conversation is a test.' }),
    user_id: z.string().nullable().meta({ description: 'Your own ID for the user.' }),
    user_messages: z.array(z.string()).meta({
      description:
        `The first ${QUOTE_MAX} characters of the user's last two messages before the request, oldest first. ` +
        'Empty in escalations created by earlier releases.',
    }),
    status: escalationStatus,
    reason: z.string(),
    summary: z.string().meta({
      description:
        'Summary of the conversation up to the request. Updated when the escalation is accepted, ' +
        'released or completed.',
    }),
    requested_at: unixTime,
    times_out_at: unixTime.meta({
      description: 'Time at which the agent continues if nobody accepts.',
    }),
    accepted_at: unixTime.nullable(),
    accepted_by: Person.nullable(),
    team: team.nullable().meta({
      description: 'Label of the team that is asked to accept. Null if any team may accept.',
    }),
    heartbeat_sec: z
      .int()
      .nullable()
      .meta({
        description:
          'Maximum number of seconds between heartbeats or messages from the human agent who ' +
          'accepted. Null if no heartbeat is required.',
      }),
    heartbeat_due_at: unixTime.nullable().meta({
      description:
        'Time by which the next heartbeat or message is required. If none arrives by then, the ' +
        'escalation is released and waits for another human agent.',
    }),
    wait_sec: z.int().min(0).nullable().meta({
      description: 'Seconds from the request to the acceptance. Null if nobody has accepted.',
    }),
    finished_at: unixTime.nullable(),
    missed: z.boolean().meta({
      description:
        'True if nobody accepted in time and nobody has reviewed the escalation since. False if another team ' +
        'was asked next.',
    }),
    reviewed_at: unixTime.nullable().meta({
      description:
        'Time of the first review after the escalation was missed. Null if nobody has reviewed it.',
    }),
    reviewed_by: z.string().nullable().meta({
      description: 'Actor of the first review, `api:key_…` or `session:<name>`.',
    }),
  })
  .meta({ id: 'Escalation', description: 'A request for a human in a conversation.' });

export function escalationView(row: EscalationRow): z.output<typeof Escalation> {
  return {
    id: fromUuid('esc', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    conversation_id: fromUuid('conv', row.conversationId),
    agent_id: fromUuid('agt', row.agentId),
    test: row.test,
    user_id: row.userId,
    user_messages: row.userMessages.toReversed().map((text) => cut(text, QUOTE_MAX)),
    status: row.status,
    reason: row.reason,
    summary: row.summary,
    requested_at: unixSec(row.requestedAt),
    times_out_at: unixSec(row.timesOutAt),
    accepted_at: unixSecOrNull(row.acceptedAt),
    accepted_by: row.acceptedBy,
    team: row.team,
    heartbeat_sec: row.heartbeatSec,
    heartbeat_due_at: unixSecOrNull(row.heartbeatDueAt),
    wait_sec: waitOf(row),
    finished_at: unixSecOrNull(row.finishedAt),
    missed: row.missed,
    reviewed_at: unixSecOrNull(row.reviewedAt),
    reviewed_by: row.reviewedBy,
  };
}
