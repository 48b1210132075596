import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/** Types of sources whose content each sync fetches from another server. */

export const FETCHED_TYPES = ['website', 'integration'] as const;
export type FetchedType = (typeof FETCHED_TYPES)[number];

export function isFetched(type: KnowledgeSourceSpec['type']): type is FetchedType {
  return type === 'website' || type === 'integration';
}

/**
 * Returns a hash of the settings that determine what is fetched, or `null` for types that are not fetched. A changed
 * hash triggers a sync. The hash does not cover metadata and schedule.
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

/** Sorts properties by name, because PostgreSQL does not keep their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, member]) => [key, sorted(member)]);
}

/**
 * Returns the first time after `afterMs` that matches a cron schedule in UTC, in Unix milliseconds. Returns `null` if
 * there is no schedule or no such time.
 */
export function nextTime(schedule: string | undefined, afterMs: number): number | null {
  if (schedule === undefined) return null;
  try {
    return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch {
    return null;
  }
}

/** Returns why a schedule is invalid, or `undefined` if it is valid. */
export function scheduleProblem(schedule: string, nowMs: number): string | undefined {
  try {
    const next = cronOf(schedule).nextRun(new Date(nowMs));
    return next ? undefined : `the schedule "${schedule}" never matches a date`;
  } catch {
    return `the schedule "${schedule}" is not a valid cron expression of five fields: minute, hour, day, month, weekday`;
  }
}

function cronOf(schedule: string): Cron {
  return new Cron(schedule, { timezone: 'UTC', mode: '5-part' });
}
