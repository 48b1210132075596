import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { agentName } from '../../data/agents.ts';
import { reasonText, useMissed, useWaitingList, type Escalation } from '../../data/escalations.ts';
import { ok, parley } from '../../data/parley.ts';
import { useStats, useStatsBefore, type Stats } from '../../data/stats.ts';
import { healthText } from '../../data/webhooks.ts';
import { count, counted } from '../../ui/figure.tsx';
import { durationText, Time, Waiting } from '../../ui/time.tsx';

/** Something that needs a person's attention, with a link. */
export type Need = {
  key: string;
  tone: 'bad' | 'warn' | 'info';
  text: string;
  detail?: ReactNode;
  to: string;
  act: string;
};

/**
 * Maximum number of items of one kind that are listed by name. If there are more, one line with their number replaces
 * them.
 */
const NAMED_MAX = 3;
const MORE = 100;

export function useNeeds(): {
  needs: readonly Need[];
  isLoading: boolean;
  errors: readonly unknown[];
  retry: () => void;
} {
  const waiting = useWaitingList();
  const missed = useMissed();
  const queries = [
    useFailingEndpoints('failing'),
    useFailingEndpoints('not_ready'),
    useUnreadyAgents(),
    useUnreadyProviders(),
    useFailingSources(),
  ];
  const [today, yesterday] = [useStats(1), useStatsBefore(1)];
  const all: readonly UseQueryResult[] = [missed, ...queries, today, yesterday];
  return {
    needs: [
      ...waitingPeople(waiting.rows),
      ...missedPeople(missed.data ?? []),
      ...queries.flatMap(({ data }) => data ?? []),
      ...risingGaps(today.data, yesterday.data),
    ],
    isLoading: waiting.isLoading || all.some(({ isPending }) => isPending),
    errors: [waiting.error, ...all.map(({ error }) => error)].filter(Boolean),
    retry: () => {
      waiting.retry();
      for (const query of all) if (query.error) void query.refetch();
    },
  };
}

function waitingPeople(rows: readonly { requested_at: number }[]): Need[] {
  const { length } = rows;
  if (length === 0) return [];
  const first = Math.min(...rows.map(({ requested_at: at }) => at));
  const count =
    length >= MORE
      ? `${MORE} or more customers are waiting`
      : length === 1
        ? '1 customer is waiting'
        : `${length} customers are waiting`;
  return [
    {
      key: 'waiting',
      tone: 'bad',
      text: `${count}.`,
      detail: (
        <>
          Longest wait: <Waiting at={first} />
        </>
      ),
      to: '/escalations',
      act: 'Open inbox',
    },
  ];
}

/** Lists users whom nobody answered in time. A user stays listed until somebody opens the escalation. */
function missedPeople(rows: readonly Escalation[]): Need[] {
  return named(rows, {
    many: (count) => `${count} customers waited for a human agent, but nobody accepted.`,
    to: '/escalations?show=missed',
    one: ({ id, user_id: userId, reason, requested_at: from, finished_at: at }) => ({
      key: id,
      tone: 'bad',
      text: `${userId ?? 'A customer'} waited ${durationText((at ?? from) - from)} for a human agent, but nobody accepted.`,
      detail: (
        <>
          {reasonText(reason)}, <Time at={at} />
        </>
      ),
      to: `/escalations/${id}?show=missed`,
      act: 'View',
    }),
  });
}

function useFailingEndpoints(status: 'failing' | 'not_ready') {
  return useQuery({
    queryKey: ['webhooks', 'needs', status],
    queryFn: async ({ signal }) => {
      const params = { query: { status, limit: MORE } };
      return (await ok(parley.GET('/v1/webhooks', { params, signal }))).data;
    },
    select: (endpoints): Need[] =>
      named(endpoints, {
        many: (count) =>
          `${count} endpoints ${status === 'failing' ? 'are failing' : 'are not ready'}.`,
        to: `/webhooks?status=${status}`,
        one: (endpoint) => ({
          key: endpoint.id,
          tone: 'bad',
          // The name of an endpoint that was created through the API is its ID, which nobody recognizes.
          text: `Endpoint ${endpoint.managed_by === 'api' ? new URL(endpoint.url).host : endpoint.name} ${status === 'failing' ? 'is failing' : 'is not ready'}.`,
          detail: healthText(endpoint),
          to: `/webhooks/${endpoint.id}`,
          act: 'View',
        }),
      }),
  });
}

function useUnreadyAgents() {
  return useQuery({
    queryKey: ['agents', 'needs'],
    queryFn: async ({ signal }) => {
      const params = { query: { ready: false, limit: MORE } };
      return (await ok(parley.GET('/v1/agents', { params, signal }))).data;
    },
    select: (agents): Need[] =>
      named(agents, {
        many: (count) => `${count} agents are not ready.`,
        to: '/agents?ready=false',
        one: (agent) => ({
          key: agent.id,
          tone: 'bad',
          text: `Agent ${agentName(agent)} is not ready.`,
          detail: agent.status.message,
          to: `/agents/${agent.id}`,
          act: 'View',
        }),
      }),
  });
}

function useUnreadyProviders() {
  return useQuery({
    queryKey: ['providers', 'needs'],
    queryFn: async ({ signal }) => {
      const params = { query: { ready: false, limit: MORE } };
      return (await ok(parley.GET('/v1/model_providers', { params, signal }))).data;
    },
    select: (providers): Need[] =>
      named(providers, {
        many: (count) => `${count} model providers are not ready.`,
        to: '/settings/providers',
        one: ({ id, name, status_message: why }) => ({
          key: id,
          tone: 'bad',
          text: `Model provider ${name} is not ready.`,
          detail: why,
          to: `/settings/providers/${id}`,
          act: 'View',
        }),
      }),
  });
}

function useFailingSources() {
  return useQuery({
    queryKey: ['sources', 'needs'],
    queryFn: async ({ signal }) => {
      const params = { query: { status: 'error' as const, limit: MORE } };
      return (await ok(parley.GET('/v1/knowledge/sources', { params, signal }))).data;
    },
    select: (sources): Need[] =>
      named(sources, {
        many: (count) => `${count} knowledge sources could not be read.`,
        to: '/knowledge?status=error',
        one: ({ id, name, status_message: why }) => ({
          key: id,
          tone: 'warn',
          text: `Knowledge source ${name} could not be read.`,
          detail: why,
          to: `/knowledge/sources/${id}`,
          act: 'View',
        }),
      }),
  });
}

function named<Item>(
  items: readonly Item[],
  { one, many, to }: { one: (item: Item) => Need; many: (count: string) => string; to: string },
): Need[] {
  const needs = items.slice(0, NAMED_MAX).map((item) => one(item));
  if (items.length <= NAMED_MAX) return needs;
  const count = items.length >= MORE ? `${MORE} or more` : String(items.length);
  return [{ key: to, tone: needs[0]?.tone ?? 'bad', text: many(count), to, act: 'View all' }];
}

const GAPS_MIN = 5;
const RISE = 1.5;

/**
 * Reports that gaps are rising: the last 24 hours had at least 5 gaps, at least 1.5 times as many gaps as the 24 hours
 * before, and a larger share of questions without an answer.
 */
function risingGaps(today: Stats | undefined, yesterday: Stats | undefined): Need[] {
  if (!today || !yesterday) return [];
  const [now, before] = [today.total, yesterday.total];
  const isMore = now.gaps >= GAPS_MIN && now.gaps >= before.gaps * RISE;
  if (!isMore || (now.gap_rate ?? 0) <= (before.gap_rate ?? 0)) return [];
  return [
    {
      key: 'gaps',
      tone: 'warn',
      text:
        before.questions === 0
          ? `${count(now.gaps)} of ${counted(now.questions, 'question')} unanswered in the last 24 hours.`
          : `More gaps: ${counted(now.gaps, 'question')} unanswered in the last 24 hours.`,
      ...(before.questions > 0 && {
        detail: `There were ${count(before.gaps)} in the previous 24 hours.`,
      }),
      to: '/knowledge/gaps',
      act: 'Review gaps',
    },
  ];
}
