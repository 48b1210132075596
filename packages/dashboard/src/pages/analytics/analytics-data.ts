import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@parley/client';
import { ok, parley } from '../../data/parley.ts';
import { SELDOM } from '../../data/stats.ts';
import type { Search } from '../../ui/filters.tsx';

export type Analytics = Schemas['Analytics'];
export type AnalyticsFigures = Schemas['AnalyticsFigures'];
export type Group = Analytics['groups'][number];

/** Periods to choose from, each with the interval of the points in its chart. */
export const PERIODS = [
  { value: '1', name: 'the last 24 hours', before: 'the previous 24 hours', interval: 'hour' },
  { value: '7', name: 'the last 7 days', before: 'the previous 7 days', interval: 'day' },
  { value: '28', name: 'the last 28 days', before: 'the previous 28 days', interval: 'day' },
  { value: '91', name: 'the last 3 months', before: 'the previous 3 months', interval: 'week' },
  { value: '364', name: 'the last 12 months', before: 'the previous 12 months', interval: 'week' },
] as const;
export const PERIOD_DEFAULT = PERIODS[2];

export const GROUPINGS = [
  { value: 'version', name: 'version' },
  { value: 'channel', name: 'channel' },
  { value: 'topic', name: 'topic' },
  { value: 'person', name: 'person' },
] as const;

const DAY_SEC = 86_400;

export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function periodOf(search: Search): (typeof PERIODS)[number] {
  return PERIODS.find(({ value }) => value === search['period']) ?? PERIOD_DEFAULT;
}

/** Returns the query parameters for the filters in the address. The period ends now. */
function queryOf(search: Search) {
  const { value, interval } = periodOf(search);
  const to = Math.floor(Date.now() / 1_000) + 1;
  // For daily intervals, the API returns whole days, including today. A period of seven days therefore starts six days
  // ago.
  const days = interval === 'day' ? Number(value) - 1 : Number(value);
  const by = GROUPINGS.find((one) => one.value === search['by'])?.value;
  const channel = CHANNELS.find((one) => one === search['channel']);
  return {
    from: to - days * DAY_SEC,
    to,
    interval,
    time_zone: timeZone,
    group_by: by ?? ('agent' as const),
    ...(search['agent_id'] && { agent_id: search['agent_id'] }),
    ...(channel && { channel }),
    ...(search['topic'] && { topic: search['topic'] }),
    ...(search['person'] && { person: search['person'] }),
  };
}

export const CHANNELS = ['chat', 'voice', 'web_voice'] as const;

const FILTERS = ['period', 'by', 'agent_id', 'channel', 'topic', 'person'] as const;

/** Loads the metrics for the filters in the address. */
export function useAnalytics(search: Search) {
  return useQuery({
    // Omits the start and end times, because they change every second.
    queryKey: ['stats', 'analytics', ...FILTERS.map((name) => search[name] ?? '')],
    meta: SELDOM,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ok(parley.GET('/v1/analytics', { params: { query: queryOf(search) }, signal })),
  });
}

/** Loads the same metrics as CSV for spreadsheets. */
export async function readTable(search: Search): Promise<Blob> {
  const text = await ok(
    parley.GET('/v1/analytics', {
      params: { query: queryOf(search) },
      headers: { Accept: 'text/csv' },
      parseAs: 'text',
    }),
  );
  return new Blob([text], { type: 'text/csv' });
}
