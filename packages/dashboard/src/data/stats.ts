import { useQueries, useQuery } from '@tanstack/react-query';
import { ok, parley, type Agent } from './parley.ts';
import type { Schemas } from '@parley/client';

export type Stats = Schemas['Stats'];
export type VersionStats = Schemas['VersionStats'];
export type AgentStats = Schemas['AgentStats'];

/** Conversation outcomes in the order in which charts stack them, from best to worst, with the colors of tokens.css. */
export const OUTCOME_COLORS = {
  resolved: '--chart-ok',
  escalated: '--chart-accent',
  voicemail: '--chart-info',
  unknown: '--chart-muted',
  abandoned: '--chart-warn',
  unresolved: '--chart-unresolved',
  failed: '--chart-bad',
} as const;

// `Object.keys` returns strings, but these keys are always outcomes.
export const OUTCOMES = Object.keys(OUTCOME_COLORS) as (keyof typeof OUTCOME_COLORS)[];

/** Time spans to choose from for statistics. The API allows at most 31 days. */
export const SPANS = [
  { value: '1', name: 'the last 24 hours' },
  { value: '7', name: 'the last 7 days' },
  { value: '31', name: 'the last 31 days' },
] as const;

/**
 * Minimum interval between two reads of the same statistics. Computing them counts many conversations, so a read after
 * every event would be expensive (live.ts).
 */
export const SELDOM = { everyMs: 5_000 };
const DAY_SEC = 86_400;
export const DAYS_DEFAULT = 7;

/** Returns the number of days that the query parameter `days` selects, or the default. */
export function daysOf(search: Record<string, string>): number {
  const found = SPANS.find(({ value }) => value === search['days']);
  return found ? Number(found.value) : DAYS_DEFAULT;
}

/** Loads the statistics of all agents and versions for the last `days` days in one request. */
export function useStats(days: number) {
  return useQuery({
    queryKey: ['stats', 'all', days],
    meta: SELDOM,
    queryFn: ({ signal }) => readStats({ days, daysAgo: 0 }, signal),
  });
}

/** Loads, for comparison, the statistics of the `days` days that precede the period of `useStats(days)`. */
export function useStatsBefore(days: number) {
  return useQuery({
    // The stream does not report changes to past statistics. Such changes are rare, so the data counts as fresh for
    // five minutes.
    queryKey: ['stats-before', days],
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) => readStats({ days, daysAgo: days }, signal),
  });
}

type Span = { days: number; daysAgo: number };

async function readStats({ days, daysAgo }: Span, signal: AbortSignal): Promise<Stats> {
  const to = nowSec() - daysAgo * DAY_SEC;
  const params = { query: { from: to - days * DAY_SEC, to } };
  return ok(parley.GET('/v1/stats', { params, signal }));
}

/** Loads the statistics of each version. They include reply times, which are available only for a single version. */
export function useVersionStats(id: string, versions: readonly number[], days: number) {
  return useQueries({
    queries: versions.map((version) => ({
      queryKey: ['stats', id, version, days],
      meta: SELDOM,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<AgentStats> => {
        const to = nowSec();
        const query = { version, from: to - days * DAY_SEC, to };
        const params = { path: { id }, query };
        return ok(parley.GET('/v1/agents/{id}/stats', { params, signal }));
      },
    })),
  });
}

function nowSec(): number {
  // The end is exclusive, so adding 1 includes conversations that start in the current second.
  return Math.floor(Date.now() / 1_000) + 1;
}

export type Compared = { live: VersionStats | undefined; before: VersionStats | undefined };

/** Returns the statistics of the live version and of `previous`, the version that was live before it. */
export function figuresOf(
  stats: Stats | undefined,
  agent: Agent,
  previous: number | null,
): Compared {
  const of = (version: number | null): VersionStats | undefined =>
    stats?.agents.find((one) => one.agent_id === agent.id && one.version === version);
  return { live: of(agent.active_version), before: of(previous) };
}
