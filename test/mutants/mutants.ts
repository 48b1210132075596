import type { Mutant } from './mutant.ts';
import { AGENTS } from './planted/agents.ts';
import { CALLS } from './planted/calls.ts';
import { CONVERSATIONS } from './planted/conversations.ts';
import { ERASURE } from './planted/erasure.ts';
import { EVENTS } from './planted/events.ts';
import { HTTP } from './planted/http.ts';
import { KNOWLEDGE } from './planted/knowledge.ts';
import { PLATFORM } from './planted/platform.ts';
import { TALKS } from './planted/talks.ts';
import { WEBHOOKS } from './planted/webhooks.ts';

/**
 * Bugs that break a promise of the contract or the guides. Each must turn its test file red. `npm run test:nightly --
 * mutants` plants them one by one; test/check/planted.test.ts checks that they still fit the sources.
 */
export const MUTANTS: readonly Mutant[] = [
  ...AGENTS,
  ...CALLS,
  ...CONVERSATIONS,
  ...ERASURE,
  ...EVENTS,
  ...HTTP,
  ...KNOWLEDGE,
  ...PLATFORM,
  ...TALKS,
  ...WEBHOOKS,
];
