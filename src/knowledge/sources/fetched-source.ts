import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/** Sources that are read from elsewhere, again and again: by syncs. */

export const FETCHED_TYPES = ['website', 'integration'] as const;
export type FetchedType = (typeof FETCHED_TYPES)[number];

export function isFetched(type: KnowledgeSourceSpec['type']): type is FetchedType {
  return type === 'website' || type === 'integration';
}

/**
 * A hash of what is to be fetched: another one needs another sync. Of metadata and schedule it says
 * nothing. Null: not of such a type.
 */
export function fetchKeyOf(
  spec: Pick<KnowledgeSourceSpec, 'type' | 'website' | 'integration'>,
): string | null {
  const { type, website, integration } = spec;
  if (!isFetched(type)) return null;
  return createHash('sha256')
    .update(JSON.stringify([type, sorted(website ?? integration ?? {})]))
    .digest('hex');
}

/** PostgreSQL keeps the members of an object in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, member]) => [key, sorted(member)]);
}

/** When a schedule comes next after a moment, in UTC; null: never, or there is none. Unix ms. */
export function nextTime(schedule: string | undefined, afterMs: number): number | null {
  if (schedule === undefined) return null;
  try {
    return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch {
    return null;
  }
}

/** Why a schedule cannot be kept; undefined: it can. */
export function scheduleProblem(schedule: string, nowMs: number): string | undefined {
  try {
    const next = cronOf(schedule).nextRun(new Date(nowMs));
    return next ? undefined : `the schedule ${schedule} never comes`;
  } catch {
    return `the schedule ${schedule} is not one that cron knows: minute, hour, day, month, weekday`;
  }
}

function cronOf(schedule: string): Cron {
  return new Cron(schedule, { timezone: 'UTC', mode: '5-part' });
}
