import { z } from 'zod';
import { team } from '../../agents/agent-escalation.ts';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { waitOf } from './accept-escalation.ts';
import { ESCALATION_STATUSES, type EscalationRow } from './escalations.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';

/** Escalations as returned by REST (contract/escalations.md). */

export const escalationStatus = z.enum(ESCALATION_STATUSES);

export const Person = z.strictObject({
  id: z.string().min(1).max(256).describe('Who it is to you.'),
  name: z.string().min(1).max(256).describe('Shown in the transcript.'),
});

export const Escalation = z
  .strictObject({
    id: z.string().meta({ description: 'esc_…' }),
    created: createdAt,
    conversation_id: z.string(),
    agent_id: z.string(),
    test: z.boolean().meta({ description: 'Of a test conversation.' }),
    status: escalationStatus,
    reason: z.string(),
    summary: z.string().meta({
      description:
        'Of the conversation: up to the request, renewed when it is accepted and completed.',
    }),
    requested_at: unixTime,
    times_out_at: unixTime.meta({ description: 'When the agent goes on if nobody accepts.' }),
    accepted_at: unixTime.nullable(),
    accepted_by: Person.nullable(),
    team: team.nullable().meta({ description: 'The label of the people who are asked.' }),
    heartbeat_sec: z
      .int()
      .nullable()
      .meta({ description: 'So often whoever accepted is to be heard of; null: no need to.' }),
    heartbeat_due_at: unixTime
      .nullable()
      .meta({ description: 'Then they are taken to be gone, and somebody else is asked for.' }),
    wait_sec: z.int().min(0).nullable().meta({ description: 'null: nobody has accepted.' }),
    finished_at: unixTime.nullable(),
  })
  .meta({ id: 'Escalation', description: 'A conversation that asks for a human.' });

export function escalationView(row: EscalationRow): z.output<typeof Escalation> {
  return {
    id: fromUuid('esc', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    conversation_id: fromUuid('conv', row.conversationId),
    agent_id: fromUuid('agt', row.agentId),
    test: row.test,
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
  };
}
