import { z } from 'zod';

/** What callers may hang on a conversation or a call, with its bounds. */

const MEMBERS_MAX = 50;
const name = z.string().min(1).max(128);

export const variables = z
  .record(name, z.unknown())
  .refine(fewMembers, `may have at most ${MEMBERS_MAX} members`)
  .default({})
  .meta({ maxProperties: MEMBERS_MAX })
  .describe('What the agent may know of the user; `{{name}}` in its first message.');

export const metadata = z
  .record(name, z.string().max(1024))
  .refine(fewMembers, `may have at most ${MEMBERS_MAX} members`)
  .default({})
  .meta({ maxProperties: MEMBERS_MAX })
  .describe('Free key-value pairs of yours; kept and shown, never read.');

function fewMembers(value: Record<string, unknown>): boolean {
  return Object.keys(value).length <= MEMBERS_MAX;
}
