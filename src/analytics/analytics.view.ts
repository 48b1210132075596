import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { channel } from '../conversations/record/conversation.view.ts';
import { unixTime } from '../platform/http/fields.ts';
import { count, countedShape, countedView, figure, rate, ratio } from './agent-stats.view.ts';
import { GROUPINGS, type Figures, type Group, type GroupKey } from './figures.sql.ts';
import { INTERVALS } from './intervals.ts';

/** This module defines the REST representation of analytics (contract/analytics.md). */

export const GROUPS_MAX = 100;
export const BUCKETS_MAX = 744;

export const figuresShape = {
  ...countedShape,
  contained: count('Number of ended conversations in which no human agent was requested.'),
  containment_rate: rate('`contained` divided by `ended`.'),
  accepted_escalations: count('Number of escalations that somebody accepted.'),
  time_to_accept_sec: figure(
    'Average time in seconds from the request for a human agent until one accepted it.',
  ),
  missed_escalations: count('Number of escalations that nobody accepted in time.'),
  input_tokens: count(
    'Number of tokens that models read for replies and judgements, including cached tokens.',
  ),
  output_tokens: count('Number of tokens that models generated.'),
  cached_input_tokens: count('Number of input tokens that a provider read from its cache.'),
  costs: z.record(z.string(), z.number()).meta({
    description:
      'Model costs by currency, such as `{"USD": 1.25}`. Requests to a provider without prices are not included.',
  }),
};

const AnalyticsFigures = z
  .strictObject(figuresShape)
  .meta({ id: 'AnalyticsFigures', description: 'Metrics for a group of conversations.' });

export const Analytics = z
  .strictObject({
    from: unixTime.meta({ description: 'Start of the first interval.' }),
    to: unixTime.meta({ description: 'End of the period, rounded up to a quarter of an hour.' }),
    interval: z.enum(INTERVALS),
    time_zone: z.string(),
    group_by: z.enum(GROUPINGS).nullable(),
    total: AnalyticsFigures,
    previous: z
      .strictObject({ from: unixTime, to: unixTime, total: AnalyticsFigures })
      .meta({ description: 'Metrics for the preceding period of the same length.' }),
    buckets: z
      .array(
        z.strictObject({
          at: unixTime.meta({ description: 'Start of the interval.' }),
          ...figuresShape,
        }),
      )
      .max(BUCKETS_MAX)
      .meta({ description: 'One entry for each interval, earliest first.' }),
    groups: z
      .array(
        z.strictObject({
          agent_id: z.string().nullable(),
          version: z.int().nullable(),
          channel: channel.nullable(),
          topic: z.string().nullable(),
          person: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable().meta({
            description:
              'The human agent who accepted these conversations. Null unless `group_by` is `person`.',
          }),
          total: AnalyticsFigures,
          previous: AnalyticsFigures,
        }),
      )
      .max(GROUPS_MAX)
      .meta({
        description:
          'One entry for each group that has conversations, largest group first. Empty without `group_by`.',
      }),
    has_more: z
      .boolean()
      .meta({ description: `Whether there are more than ${GROUPS_MAX} groups.` }),
  })
  .meta({ id: 'Analytics', description: 'Conversation metrics over time and by group.' });

export function figuresView(row: Figures): z.output<typeof AnalyticsFigures> {
  return {
    ...countedView(row),
    contained: row.contained,
    containment_rate: ratio(row.contained, row.ended),
    accepted_escalations: row.accepted,
    time_to_accept_sec: ratio(row.waitSec, row.accepted),
    missed_escalations: row.missed,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cached_input_tokens: row.cachedInputTokens,
    costs: row.costs,
  };
}

type Shown = Pick<
  z.output<typeof Analytics>['groups'][number],
  'agent_id' | 'version' | 'channel' | 'topic' | 'person'
>;

/** Returns the key of a group. `names` maps the ids of human agents to their names. */
export function keyView(
  by: (typeof GROUPINGS)[number],
  { agentId, version, channel: over, label }: GroupKey,
  names: ReadonlyMap<string, string>,
): Shown {
  return {
    agent_id: agentId === null ? null : fromUuid('agt', agentId),
    version,
    channel: over === null ? null : channel.parse(over),
    topic: by === 'topic' ? label : null,
    person:
      by === 'person' && label !== null ? { id: label, name: names.get(label) ?? null } : null,
  };
}

export function groupView(
  by: (typeof GROUPINGS)[number],
  { key, total, previous }: Group,
  names: ReadonlyMap<string, string>,
): z.output<typeof Analytics>['groups'][number] {
  const figures = { total: figuresView(total), previous: figuresView(previous) };
  return { ...keyView(by, key, names), ...figures };
}
