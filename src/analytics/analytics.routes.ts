import { z } from 'zod';
import { isTimeZone } from '../agents/agent-hours.ts';
import { channel } from '../conversations/record/conversation.view.ts';
import { ApiError } from '../errors.ts';
import { idValue, timeBound, versionFilter } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { namesType } from '../platform/http/sse.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { Analytics, figuresView, groupView, GROUPS_MAX, keyView } from './analytics.view.ts';
import { csvOf, type CsvLine } from './csv.ts';
import {
  GROUPINGS,
  readGroups,
  readLines,
  readPersonNames,
  readSeries,
  type Compared,
  type Grouping,
  type GroupKey,
} from './figures.sql.ts';
import { INTERVALS, startsIn, type Interval } from './intervals.ts';
import { QUARTER_SEC } from './measures.sql.ts';

const CSV_TYPE = 'text/csv';
const DAY_SEC = 86_400;
const DAYS_DEFAULT = 28;
/**
 * Maximum length of the period in days, by the length of an interval. The limits ensure that no response has more than
 * 744 intervals.
 */
const DAYS_MAX: Record<Interval, number> = { hour: 31, day: 366, week: 1_098 };
/** Maximum number of lines in a CSV response. A request for more lines is rejected. */
const LINES_MAX = 20_000;

const query = {
  from: timeBound(
    `Unix seconds, inclusive. Rounded down to the start of an interval. Default: ${DAYS_DEFAULT} days before \`to\`.`,
  ),
  to: timeBound('Unix seconds, exclusive. Rounded up to a quarter of an hour. Default: now.'),
  interval: z
    .enum(INTERVALS, 'must be one of hour, day, week')
    .default('day')
    .meta({
      description:
        `Length of an interval. The period may cover at most ${DAYS_MAX.hour} days with \`hour\`, ${DAYS_MAX.day} with ` +
        `\`day\` and ${DAYS_MAX.week} with \`week\`. Weeks start on Monday.`,
    }),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone name, such as Europe/Berlin')
    .default('UTC')
    .meta({
      description: 'Time zone that determines when days and weeks start.',
      example: 'Europe/Berlin',
    }),
  group_by: z
    .enum(GROUPINGS, 'must be one of agent, version, channel, topic, person')
    .optional()
    .meta({
      description:
        'Property to group by. With `topic`, a conversation counts once for each of its topics. With `person`, it ' +
        'counts once for each human agent who accepted it.',
    }),
  agent_id: idValue('agt').optional(),
  version: versionFilter.meta({
    description: 'Counts only conversations on this version. Requires `agent_id`.',
  }),
  channel: channel.optional(),
  topic: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Counts only conversations with this topic.'),
  person: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Counts only conversations that the human agent with this ID accepted.'),
};

type Asked = z.output<z.ZodObject<typeof query>>;

/** Serves conversation metrics over time and by group (contract/analytics.md). */
export function analyticsRoute(deps: { pool: Pool; nowMs: () => number }): Route {
  return route({
    method: 'get',
    path: '/v1/analytics',
    operationId: 'getAnalytics',
    tag: 'Analytics',
    scope: 'read',
    summary: 'Read conversation metrics over time and by group',
    description:
      'Covers conversations that started within the period. Each one counts in the interval in which it ' +
      'started. For comparison, the response also has the totals of the preceding period of the same length. ' +
      'With the header `Accept: text/csv`, the response is a table with one line for each interval. With ' +
      '`group_by`, the table has one line for each interval and group that has conversations. A rate is null ' +
      'if its divisor is zero.',
    query,
    answers: {
      200: {
        description: 'The metrics.',
        schema: Analytics,
        forms: { [CSV_TYPE]: z.string().meta({ description: 'The metrics as a table.' }) },
      },
    },
    handle: async ({ caller: { namespace }, query: asked, headers }) => {
      const plan = planOf(asked, { namespace, nowMs: deps.nowMs() });
      if (!namesType(headers['accept'], CSV_TYPE)) {
        return { status: 200, body: await readAnalytics(deps.pool, plan) };
      }
      const text = csvOf(await readCsvLines(deps.pool, plan), plan);
      const mediaType = `${CSV_TYPE}; charset=utf-8`;
      return { status: 200, mediaType, bytes: Buffer.from(text) };
    },
  });
}

/** Query parameters after validation, with defaults filled in and the starts of all intervals computed. */
type Plan = {
  /** Selects the conversations that the total and the intervals count. */
  compared: Compared;
  /**
   * Selects the same conversations as `compared`, for the metrics of the groups. In a grouping by topic, a conversation
   * counts once for each of its topics. In a grouping by human agent, it counts once for each human agent who accepted
   * it.
   */
  grouped: Compared;
  starts: readonly number[];
  interval: Interval;
  timeZone: string;
  by: Grouping | undefined;
};

/** @throws ApiError invalid_parameter */
function planOf(asked: Asked, at: { namespace: string; nowMs: number }): Plan {
  const { interval, time_zone: timeZone, group_by: by, topic, person } = asked;
  const to = asked.to ?? Math.floor(at.nowMs / 1_000) + 1;
  const from = asked.from ?? Math.max(0, to - DAYS_DEFAULT * DAY_SEC);
  if (from >= to) throw invalid('`from` must be before `to`.');
  const daysMax = DAYS_MAX[interval];
  if (to - from > daysMax * DAY_SEC) {
    throw invalid(
      `\`from\` must be at most ${daysMax} days before \`to\` with \`interval=${interval}\`.`,
    );
  }
  if (asked.version !== undefined && asked.agent_id === undefined) {
    throw invalid('`version` requires `agent_id`, because every agent has its own versions.');
  }
  const labels = [by === 'topic' || topic !== undefined, by === 'person' || person !== undefined];
  if (labels.every(Boolean)) {
    throw invalid('`topic` and `person` cannot be combined. Filter or group by only one of them.');
  }
  const end = Math.ceil(to / QUARTER_SEC) * QUARTER_SEC;
  const starts = startsIn({ from, to: end }, interval, timeZone);
  const compared: Compared = {
    namespace: at.namespace,
    kind: topic !== undefined ? 'topic' : person !== undefined ? 'person' : 'all',
    span: { from: starts[0]!, to: end }, // `starts` has an entry, because `from` is before `end`.
    nowSec: at.nowMs / 1_000,
    agentId: asked.agent_id,
    version: asked.version,
    channel: asked.channel,
    label: topic ?? person,
  };
  const kind = by === 'topic' || by === 'person' ? by : compared.kind;
  return { starts, interval, timeZone, by, compared, grouped: { ...compared, kind } };
}

const invalid = (detail: string): ApiError => new ApiError('invalid_parameter', detail);

async function readAnalytics(pool: Pool, plan: Plan): Promise<z.output<typeof Analytics>> {
  const { compared, grouped, starts, by } = plan;
  const { from, to } = compared.span;
  const [{ total, previous, buckets }, found] = await Promise.all([
    readSeries(pool, compared, starts),
    by === undefined ? [] : readGroups(pool, grouped, { by, limit: GROUPS_MAX + 1 }),
  ]);
  const groups = found.slice(0, GROUPS_MAX);
  const names = await namesOf(pool, plan, groups);
  return {
    from,
    to,
    interval: plan.interval,
    time_zone: plan.timeZone,
    group_by: by ?? null,
    total: figuresView(total),
    previous: { from: from - (to - from), to: from, total: figuresView(previous) },
    buckets: buckets.map((figures, i) => ({ at: starts[i]!, ...figuresView(figures) })),
    groups: by === undefined ? [] : groups.map((group) => groupView(by, group, names)),
    has_more: found.length > GROUPS_MAX,
  };
}

/** @throws ApiError invalid_parameter if there would be too many lines */
async function readCsvLines(pool: Pool, plan: Plan): Promise<CsvLine[]> {
  const { compared, grouped, starts, by } = plan;
  if (by === undefined) {
    const { buckets } = await readSeries(pool, compared, starts);
    return buckets.map((figures, i) => ({ at: starts[i]!, ...figuresView(figures), key: null }));
  }
  const lines = await readLines(pool, grouped, { by, starts, limit: LINES_MAX + 1 });
  if (lines.length > LINES_MAX) {
    throw invalid(
      `The table would have more than ${LINES_MAX} lines. Choose a longer \`interval\` or a shorter period.`,
    );
  }
  const names = await namesOf(pool, plan, lines);
  return lines.map(({ key, bucket, figures }) => ({
    at: starts[bucket]!,
    ...figuresView(figures),
    key: keyView(by, key, names),
  }));
}

async function namesOf(
  pool: Pool,
  { by, compared: { namespace } }: Plan,
  keyed: readonly { key: GroupKey }[],
): Promise<ReadonlyMap<string, string>> {
  if (by !== 'person') return new Map();
  const ids = [...new Set(keyed.flatMap(({ key }) => key.label ?? []))];
  return readPersonNames(pool, { namespace, ids });
}
