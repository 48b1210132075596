import { z } from 'zod';
import type { Limits, Quotas } from '../../config.ts';
import type { InFlight } from './in-flight.ts';
import type { Caller } from './authorize.ts';
import { route, type Route } from './route.ts';

export type UsageRouteDeps = {
  limits: Limits;
  inFlight: Pick<InFlight, 'usage'>;
  /** What a namespace has, counted now. */
  countUsed: (namespace: string) => Promise<Record<keyof Quotas, number>>;
  countJobs: (caller: Caller) => Promise<Record<'key' | 'namespace', number>>;
};

const Used = z
  .strictObject({
    limit: z.int().min(1).nullable().describe('null: there is none.'),
    used: z.int().min(0),
  })
  .meta({ id: 'Used', description: 'A limit, and how much of it is used.' });

const UsedShares = z
  .strictObject({ api_key: Used.describe('Of the calling API key.'), namespace: Used })
  .meta({ id: 'UsedShares', description: 'What is under way at once.' });

const Usage = z
  .strictObject({
    quotas: z
      .strictObject({
        agents: Used,
        webhook_endpoints: Used,
        knowledge_sources: Used,
        model_providers: Used,
        telephony_providers: Used,
        knowledge_bytes: Used,
        api_keys: Used,
      })
      .describe('What the namespace has.'),
    in_flight: z
      .strictObject({
        event_streams: UsedShares,
        message_streams: UsedShares,
        uploads: UsedShares,
        replay_requests: UsedShares,
        replay_jobs: UsedShares,
      })
      .describe('In the process that answers; `replay_jobs` in all of them together.'),
  })
  .meta({ id: 'Usage', description: 'Limits of a namespace, and what is used of them.' });

/** What there is of each limit and how much is used (contract §3). */
export function usageRoute(deps: UsageRouteDeps): Route {
  return route({
    method: 'get',
    path: '/v1/usage',
    operationId: 'getUsage',
    tag: 'Usage',
    scope: 'read',
    summary: 'Read what is used of each limit',
    description:
      'More than a quota is 409 `quota_exceeded`, more than a share of what is under way at once ' +
      '429 `too_many_in_flight`.',
    answers: { 200: { description: 'Limits and what is used of them.', schema: Usage } },
    handle: async ({ caller }) => {
      const used = await deps.countUsed(caller.namespace);
      const jobs = await deps.countJobs(caller);
      const { quotas, replayJobs } = deps.limits;
      const ofQuota = (quota: keyof Quotas) => ({
        limit: quotas[quota] || null,
        used: used[quota],
      });
      const ofJobs = (share: 'key' | 'namespace') => ({
        limit: replayJobs?.[share] ?? null,
        used: jobs[share],
      });
      const body: z.output<typeof Usage> = {
        quotas: {
          agents: ofQuota('agents'),
          webhook_endpoints: ofQuota('webhook_endpoints'),
          knowledge_sources: ofQuota('knowledge_sources'),
          model_providers: ofQuota('model_providers'),
          telephony_providers: ofQuota('telephony_providers'),
          knowledge_bytes: ofQuota('knowledge_bytes'),
          api_keys: ofQuota('api_keys'),
        },
        in_flight: {
          ...deps.inFlight.usage(caller),
          replay_jobs: { api_key: ofJobs('key'), namespace: ofJobs('namespace') },
        },
      };
      return { status: 200, body };
    },
  });
}
