import { z } from 'zod';

/** Times in JSON are integer Unix seconds, in rows Unix milliseconds (contract §1). */
export function unixSec(ms: number): number {
  return Math.floor(ms / 1_000);
}

export function unixSecOrNull(ms: number | null): number | null {
  return ms === null ? null : unixSec(ms);
}

export const unixTime = z.int().meta({ description: 'Unix seconds.' });
export const createdAt = z.int().meta({ description: 'When it was made, Unix seconds.' });
export const updatedAt = z.int().meta({ description: 'When it last changed, Unix seconds.' });
