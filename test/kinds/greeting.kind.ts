import { z } from 'zod';
import { defineKind } from '../../src/kinds/kind.ts';
import { plainReconciler } from '../../src/kinds/kind.reconciler.ts';
import { fault } from '../../src/kinds/write-kind.ts';
import {
  conditions,
  lastHandledReconcileAt,
  metadataMap,
  observedGeneration,
} from '../../src/platform/resources/schema/field-types.ts';
import { kindOf } from '../../src/roles/kinds.ts';

/** A kind for tests: what its folder in `src` would have, and its line of roles/kinds.ts. */

const greetingSpec = z.strictObject({
  text: z.string().min(1).max(100).describe('The words.'),
  spokenBy: z.string().max(63).describe('Who says it; absent: everybody.').exactOptional(),
  metadata: metadataMap.exactOptional(),
});

const greetingStatus = z.strictObject({
  observedGeneration,
  greetingId: z.string().max(29).exactOptional(),
  lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
  conditions: conditions.exactOptional(),
});

export const GREETING_KIND = defineKind({
  kind: 'Greeting',
  idPrefix: 'gr',
  shortNames: ['gr'],
  description: 'What an agent says first.',
  spec: greetingSpec,
  status: greetingStatus,
  homeField: 'text',
  rest: {
    tag: 'Greetings',
    name: { written: 'A DNS label.', shown: 'Never changes.' },
    shown: 'What an agent says first.',
    ready: 'Whether it is in force as declared.',
    describe: {},
    reservedNames: { none: 'none is no greeting' },
    faults: (_, __, { text }) =>
      text === 'rude' ? [fault('/text', 'rude', 'must be polite')] : [],
    filters: { text: { schema: z.string().max(100).optional(), where: `spec ->> 'text' =` } },
  },
  audit: { shown: ['text'], gone: ['text'] },
});

export const GREETING = kindOf(GREETING_KIND, async () => plainReconciler(GREETING_KIND));

/** Its migration. */
export const GREETINGS = `create table greetings (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  spec jsonb not null,
  in_force jsonb,
  ready boolean not null,
  reason text not null,
  message text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
)`;
