/**
 * This module defines what is counted about conversations. A fact is what one conversation adds to the statistics. A
 * measure is the sum of an expression over facts. The counters in `analytics_counts` are such sums, so facts and
 * counters can be added up in any order (docs/decisions/0081).
 */

/** Which conversations a row counts: all of them, those with a topic, or those that a human agent accepted. */
export type LabelKind = 'all' | 'topic' | 'person';

const when = (condition: string, value = '1'): string =>
  `case when ${condition} then weight * ${value} else 0 end`;

const TENTHS = '(csat_predicted * 10)::int';
const HAS_BOTH = 'csat is not null and csat_predicted is not null';

/** Measures by name. Each is an SQL expression over the columns of a fact. */
const EXPRESSIONS = {
  ended: when('is_ended'),
  resolved: when(`outcome = 'resolved'`),
  unresolved: when(`outcome = 'unresolved'`),
  escalated: when(`outcome = 'escalated'`),
  abandoned: when(`outcome = 'abandoned'`),
  voicemail: when(`outcome = 'voicemail'`),
  failed: when(`outcome = 'failed'`),
  unknown: when(`outcome = 'unknown'`),
  contained: when('is_ended and escalations = 0'),
  csatCount: when('csat is not null'),
  csatSum: when('csat is not null', 'csat'),
  predictedCount: when('csat_predicted is not null'),
  predictedTenths: when('csat_predicted is not null', TENTHS),
  bothCount: when(HAS_BOTH),
  bothErrorTenths: when(HAS_BOTH, `abs(csat * 10 - ${TENTHS})`),
  bothCsat: when(HAS_BOTH, 'csat'),
  bothCsatSquared: when(HAS_BOTH, 'csat * csat'),
  bothTenths: when(HAS_BOTH, TENTHS),
  bothTenthsSquared: when(HAS_BOTH, `${TENTHS} * ${TENTHS}`),
  bothProduct: when(HAS_BOTH, `csat * ${TENTHS}`),
  escalations: 'weight * escalations',
  escalatedConversations: when('escalations > 0'),
  accepted: 'weight * accepted',
  waitSec: 'weight * wait_sec',
  missed: 'weight * missed',
  answered: 'weight * answered',
  gaps: 'weight * gaps',
  turns: 'weight * turns',
  inputTokens: 'weight * input_tokens',
  outputTokens: 'weight * output_tokens',
  cachedInputTokens: 'weight * cached_input_tokens',
} as const satisfies Record<string, string>;

/**
 * Sums over a group of conversations. Conversations in progress count as `active` and are never added to the stored
 * counters.
 */
export type Measured = Record<keyof typeof EXPRESSIONS | 'active', number>;

const columnOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Stored measures. Each has a name, its column, and its SQL expression over a fact. */
export const STORED = Object.entries(EXPRESSIONS).map(([name, expression]) => ({
  name,
  column: columnOf(name),
  expression,
}));

/** All measures, in a fixed order, because SQL matches the columns of a union by their order. */
export const MEASURES = [
  { name: 'active', column: 'active', expression: when('not is_ended') },
  ...STORED,
];

/**
 * Sums over the rows of `parts` (parts.sql.ts), with the names of `Measured`. Without the cast, the sum of a bigint
 * would be a `numeric`, which the driver returns as text.
 */
export const SUMS = MEASURES.map(({ name, column }) => `sum(${column})::bigint as "${name}"`).join(
  ', ',
);

/** The measures of zero conversations, all of which are 0. */
export const NOTHING = Object.fromEntries(MEASURES.map(({ name }) => [name, 0])) as Measured;

const FACT_COLUMNS = [
  'namespace',
  'weight',
  'is_ended',
  'quarter',
  'agent_id',
  'agent_version',
  'channel',
  'outcome',
  'csat',
  'csat_predicted',
  'turns',
  'answered',
  'gaps',
  'escalations',
  'accepted',
  'wait_sec',
  'missed',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'costs',
  'topics',
  'people',
] as const;

/**
 * Start of the quarter of an hour in which a conversation began. Days start on a quarter of an hour in every time zone
 * in use, so counters for quarters can be added up to days.
 */
const QUARTER = `date_bin('15 minutes', c.started_at, timestamptz 'epoch')`;
export const QUARTER_SEC = 900;

/** Selects stored facts, which have not been added to the counters yet. */
export const storedFacts = (where: string): string =>
  `select ${FACT_COLUMNS.map((name) => (name === 'is_ended' ? 'true as is_ended' : name)).join(', ')}
     from conversation_facts where ${where}`;

/**
 * Computes the facts of conversations that have no usable stored facts: those in progress, and those in a partial
 * quarter of an hour at the ends of a period. The computed facts equal the facts that the triggers store
 * (`parley_add_fact`).
 */
export const factsOfConversations = (where: string): string =>
  `select c.namespace, 1 as weight, c.ended_at is not null as is_ended, ${QUARTER} as quarter, c.agent_id, c.agent_version, c.channel,
          c.outcome, c.csat, c.csat_predicted, c.turn_count as turns,
          coalesce((c.tally ->> 'answered')::int, 0) as answered,
          coalesce((c.tally ->> 'unanswered')::int, 0) as gaps,
          coalesce((c.tally #>> '{escalations,requested}')::int, 0) as escalations,
          coalesce(e.accepted, 0) as accepted, coalesce(e.wait_sec, 0) as wait_sec, coalesce(e.missed, 0) as missed,
          coalesce((c.tally #>> '{usage,inputTokens}')::bigint, 0) as input_tokens,
          coalesce((c.tally #>> '{usage,outputTokens}')::bigint, 0) as output_tokens,
          coalesce((c.tally #>> '{usage,cachedInputTokens}')::bigint, 0) as cached_input_tokens,
          nullif(c.tally #> '{usage,costs}', '{}') as costs, nullif(c.judgement -> 'topics', '[]') as topics, e.people
     from conversations c
     left join lateral (
       select sum(n)::int as accepted, sum(w)::int as wait_sec, sum(m)::int as missed,
              jsonb_agg(jsonb_build_object('id', person, 'accepted', n, 'wait_sec', w)) filter (where n > 0) as people
         from (select accepted_by ->> 'id' as person, count(accepted_at)::int as n,
                      coalesce(sum(greatest(0, floor(extract(epoch from accepted_at - requested_at)))), 0)::int as w,
                      (count(*) filter (where is_missed or reviewed_at is not null))::int as m
                 from escalations where conversation_id = c.id group by accepted_by ->> 'id') of_person
     ) e on (c.tally #>> '{escalations,requested}')::int > 0
    where ${where}`;

/**
 * Selects the rows of `facts` and adds the column `label`. For `topic`, there is one row for each topic of a
 * conversation; for `person`, one for each human agent who accepted it; for `all`, one row with an empty label.
 */
export function labelled(kind: LabelKind): string {
  const columns = FACT_COLUMNS.map((name) => `f.${name}`).join(', ');
  switch (kind) {
    case 'all':
      return `select ${columns}, '' as label from facts f`;
    case 'topic':
      return `select ${columns}, t.label from facts f
               cross join lateral (select distinct jsonb_array_elements_text(f.topics) as label) t`;
    case 'person': {
      // The row of a human agent includes only the escalations that this agent accepted, and no missed ones.
      const own = columns
        .replace('f.accepted', 'p.accepted')
        .replace('f.wait_sec', 'p.wait_sec')
        .replace('f.missed', '0 as missed');
      return `select ${own}, p.id as label from facts f
               cross join lateral jsonb_to_recordset(f.people) as p (id text, accepted int, wait_sec int)`;
    }
    default:
      return kind satisfies never;
  }
}
