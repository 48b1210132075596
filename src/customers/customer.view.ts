import { z } from 'zod';
import { Call, callView } from '../calls/call.view.ts';
import { Escalation, escalationView } from '../conversations/escalations/escalation.view.ts';
import { Note } from '../conversations/escalations/notes.routes.ts';
import { Conversation, conversationView, Turn } from '../conversations/record/conversation.view.ts';
import { fromUuid, uuidTimeMs } from '../ids.ts';
import { OUTCOMES } from '../conversations/record/outcomes.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/fields.ts';
import type { Activity } from './list-activity.ts';
import type { CustomerRead } from './read-customer.ts';

/** This module defines the REST representation of customers (contract/customers.md). */

/** Path parameter. The error message for an ID that is too long becomes the detail of a 404 response. */
export const userIdParam = z.string().max(256, 'There is no such customer.').meta({
  description:
    'Your own ID for the user (`user_id` of their conversations and calls), percent-encoded.',
  example: 'maria.lopez',
});

const count = (description: string) => z.int().min(0).meta({ description });

export const Customer = z
  .strictObject({
    user_id: z.string(),
    first_seen_at: unixTime.nullable().meta({
      description:
        'Start time of the first conversation or call. Null if there are only test conversations.',
    }),
    last_seen_at: unixTime.nullable().meta({
      description:
        'Time of the last turn or the start of the last call, whichever is later. Null if there are only test ' +
        'conversations.',
    }),
    conversations: z.strictObject({
      total: count('Number of conversations, excluding test conversations.'),
      active: count('Number of conversations that have not ended.'),
      tests: count('Number of test conversations. No other count includes them.'),
      outcomes: z
        .strictObject(
          Object.fromEntries(OUTCOMES.map((outcome) => [outcome, z.int().min(0)])) as Record<
            (typeof OUTCOMES)[number],
            z.ZodInt
          >,
        )
        .meta({ description: 'Number of ended conversations by outcome.' }),
    }),
    calls: z.strictObject({
      total: count('Number of calls, answered or not.'),
      answered: count('Number of calls that were answered.'),
    }),
    escalations: z.strictObject({
      total: count('Number of escalations in the counted conversations.'),
      waiting: count('Number of escalations that nobody has accepted yet.'),
      accepted: count('Number of escalations that somebody accepted.'),
      missed: count('Number of escalations that nobody accepted in time.'),
    }),
    csat: z.strictObject({
      count: count('Number of conversations that the user rated.'),
      average: z
        .number()
        .min(1)
        .max(5)
        .nullable()
        .meta({ description: 'Average rating by the user. Null if there is no rating.' }),
    }),
    open_questions: z
      .array(z.strictObject({ conversation_id: z.string(), question: z.string() }))
      .meta({
        description:
          'Up to 20 unanswered questions from the latest 100 conversations, newest conversation first.',
      }),
    truncated: z.boolean().meta({
      description:
        'Whether there are more than 10,000 conversations or calls. If true, the counts cover only the newest 10,000.',
    }),
  })
  .meta({ id: 'Customer', description: 'Statistics about a customer.' });

export function customerView(customer: CustomerRead): z.output<typeof Customer> {
  const { userId, figures, calls, open } = customer;
  return {
    user_id: userId,
    first_seen_at: unixSecOrNull(customer.firstSeenAt),
    last_seen_at: unixSecOrNull(customer.lastSeenAt),
    conversations: {
      total: figures.total,
      active: figures.active,
      tests: figures.tests,
      outcomes: figures.outcomes,
    },
    calls: { total: calls.total, answered: calls.answered },
    escalations: {
      total: figures.escalations,
      waiting: figures.escalationsWaiting,
      accepted: figures.escalationsAccepted,
      missed: figures.escalationsMissed,
    },
    csat: { count: figures.csatCount, average: figures.csatAverage },
    open_questions: open.map(({ conversationId, question }) => ({
      conversation_id: fromUuid('conv', conversationId),
      question,
    })),
    truncated: customer.isTruncated,
  };
}

export const CustomerActivity = z
  .strictObject({
    id: z.string().meta({
      description: 'ID of the conversation, or of the call if there is no conversation.',
    }),
    type: z.enum(['conversation', 'call']).meta({
      description: '`call` is a call without a conversation, such as one that nobody answered.',
    }),
    created: createdAt,
    conversation: Conversation.nullable(),
    call: Call.nullable().meta({
      description: 'The call. Null for a conversation without a call.',
    }),
    escalations: z
      .array(Escalation)
      .meta({ description: 'Escalations of the conversation, newest first.' }),
  })
  .meta({ id: 'CustomerActivity', description: 'A conversation or call of a customer.' });

export function activityView({
  id,
  conversation,
  call,
  escalations,
}: Activity): z.output<typeof CustomerActivity> {
  return {
    id: fromUuid(conversation ? 'conv' : 'call', id),
    type: conversation ? 'conversation' : 'call',
    created: unixSec(uuidTimeMs(id)),
    conversation: conversation && conversationView(conversation),
    call: call && callView(call),
    escalations: escalations.map(escalationView),
  };
}

export const CustomerExport = z
  .strictObject({
    user_id: z.string(),
    exported_at: unixTime,
    activity: z
      .array(
        CustomerActivity.extend({
          transcript: z
            .strictObject({ turns: z.array(Turn) })
            .nullable()
            .meta({ description: 'Turns of the conversation. Null if there is no conversation.' }),
          notes: z
            .array(Note)
            .meta({ description: 'Private notes about the escalations, oldest first.' }),
        }).meta({
          id: 'ExportedActivity',
          description:
            'A conversation or call of a customer, with the transcript and the private notes.',
        }),
      )
      .meta({
        description: 'Conversations and calls, newest first, including test conversations.',
      }),
  })
  .meta({ id: 'CustomerExport', description: 'All data about a customer.' });
