import { z } from 'zod';
import type { Limits } from '../../config.ts';
import { quotaOf } from '../declare/quota.ts';
import type { InFlight } from './in-flight.ts';
import type { Caller } from './authorize.ts';
import { route, type Route } from './route.ts';

export type UsageRouteDeps = {
  limits: Limits;
  inFlight: Pick<InFlight, 'usage'>;
  /** Names of the quotas, in the order in which the response lists them. */
  quotas: readonly string[];
  /** Returns how much of a quota a namespace uses. */
  countUsed: (namespace: string, quota: string) => Promise<number>;
  countJobs: (caller: Caller) => Promise<Record<'key' | 'namespace', number>>;
};

const Used = z
  .strictObject({
    limit: z.int().min(1).nullable().describe('Maximum for `used`. Null means unlimited.'),
    used: z.int().min(0),
  })
  .meta({ id: 'Used', description: 'A limit and its current usage.' });

const UsedShares = z
  .strictObject({
    api_key: Used.describe('Limit and current usage of the calling API key.'),
    namespace: Used,
  })
  .meta({
    id: 'UsedShares',
    description: 'Limits on concurrent work, for the API key and for the namespace.',
  });

const usageOf = (quotas: readonly string[]) =>
  z
    .strictObject({
      quotas: z
        .strictObject(Object.fromEntries(quotas.map((quota) => [quota, Used])))
        .describe('Quotas of the namespace, and how much of each is used.'),
      in_flight: z
        .strictObject({
          event_streams: UsedShares,
          message_streams: UsedShares,
          uploads: UsedShares,
          replay_requests: UsedShares,
          replay_jobs: UsedShares,
        })
        .describe(
          'Limits on concurrent work, and how much is in progress in the process that handles this request. ' +
            '`replay_jobs` counts the jobs in all processes.',
        ),
    })
    .meta({ id: 'Usage', description: 'The limits of a namespace and their current usage.' });

/** Returns the route that reports all limits and their current usage (contract/limits.md#usage). */
export function usageRoute(deps: UsageRouteDeps): Route {
  const Usage = usageOf(deps.quotas);
  return route({
    method: 'get',
    path: '/v1/usage',
    operationId: 'getUsage',
    tag: 'Usage',
    scope: 'read',
    summary: 'Read limits and their usage',
    description:
      'A request that would exceed a quota gets 409 `quota_exceeded`. A request that would exceed a ' +
      'limit on concurrent work gets 429 `too_many_in_flight`.',
    answers: { 200: { description: 'The limits and their current usage.', schema: Usage } },
    handle: async ({ caller }) => {
      const jobs = await deps.countJobs(caller);
      const { limits } = deps;
      const quotas: Record<string, z.output<typeof Used>> = {};
      for (const quota of deps.quotas) {
        const used = await deps.countUsed(caller.namespace, quota);
        quotas[quota] = { limit: quotaOf(limits, quota) || null, used };
      }
      const ofJobs = (share: 'key' | 'namespace') => ({
        limit: limits.replayJobs?.[share] ?? null,
        used: jobs[share],
      });
      const body: z.output<typeof Usage> = {
        quotas,
        in_flight: {
          ...deps.inFlight.usage(caller),
          replay_jobs: { api_key: ofJobs('key'), namespace: ofJobs('namespace') },
        },
      };
      return { status: 200, body };
    },
  });
}
