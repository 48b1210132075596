import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** The layout, held by a test: docs/architecture.md explains it, this file is the law. */

const SRC = path.resolve(import.meta.dirname, '../src');
const LINES_MAX = 400;
/** As long as the API has operations. */
const GENERATED = /^client\/api\.ts$/;

/** Below everything: names and settings, no behaviour. */
const FILES = ['config', 'errors', 'failpoints', 'ids'];

/** Of the platform, what every other part of it may use; the first uses none. */
const GROUND = ['platform/observability', 'platform/controller'];

/** What else each part of the platform may import. A table, not a chain. */
const PLATFORM: Record<string, readonly string[]> = {
  'platform/observability': [],
  'platform/controller': [],
  'platform/egress': [],
  'platform/postgres': [],
  'platform/resources': ['platform/postgres'],
  'platform/idempotency': ['platform/postgres'],
  'platform/declare': ['platform/idempotency', 'platform/resources', 'platform/postgres'],
  'platform/http': [
    'platform/idempotency',
    'platform/declare',
    'platform/resources',
    'platform/postgres',
  ],
  'platform/reconcile': ['platform/resources'],
  'platform/manifests': ['platform/resources'],
  'platform/kubernetes': ['platform/resources'],
};

/**
 * The nouns. `below`: the next lower ones, whose own below may be imported too. `parts`: folders in it,
 * lowest first; what stands directly in the noun's folder is above all of them.
 */
const NOUNS: Record<string, { below: readonly string[]; parts?: readonly string[] }> = {
  audit: { below: [] },
  access: { below: ['audit'] },
  events: { below: ['audit'] },
  webhooks: { below: ['events'], parts: ['queue', 'endpoints', 'delivery', 'replay'] },
  agents: { below: ['events'] },
  knowledge: { below: ['agents'], parts: ['passages', 'sources', 'gaps'] },
  conversations: { below: ['knowledge'], parts: ['record', 'escalations', 'ending', 'turns'] },
  calls: { below: ['conversations'] },
  erasure: { below: ['calls'] },
};

const ROLES = 'roles';
/** They call what is below; nothing below knows them. */
const WAYS_IN = ['commands', 'standalone'];
/** For programs outside: it knows the types that were generated for it, and nothing else. */
const CLIENT = 'client';

/** Loaded by roles alone: it stands for a cluster, and not every installation has one. */
const KUBERNETES = 'platform/kubernetes';

/** Packages that one place alone may load, with the reason. */
const ONLY_IN: [RegExp, RegExp, string][] = [
  [
    /from 'prom-client'/,
    /^platform\/observability\/metrics\.ts$/,
    'the library can be swapped in one file',
  ],
  [
    /from 'undici'/,
    /^platform\/(egress|kubernetes)\//,
    'every outgoing request passes the address guard, but for those to our own API server',
  ],
  [
    /from 'node:https?'/,
    /^platform\/(egress|http)\/|^platform\/observability\/health\.ts$|^standalone\/demo-receiver\.ts$/,
    'as above',
  ],
  [
    /'@kubernetes\/client-node'/,
    /^platform\/kubernetes\/credentials\.ts$/,
    'a second and 87 MB to load',
  ],
  [
    /from 'express'/,
    /^platform\/http\/|^roles\/api\/app\.ts$|\.routes\.ts$/,
    'HTTP ends where the routes do',
  ],
  [
    /from 'pg'/,
    /^platform\/postgres\//,
    'SQL is in *.sql.ts, its connections in platform/postgres',
  ],
  [/\.query[(<]/, /\.sql\.ts$|^platform\/postgres\//, 'SQL is in *.sql.ts'],
  [/process\.env/, /^config\.ts$/, 'one reader of the environment'],
  [/\bfetch\(/, /^$/, 'every outgoing request goes through platform/egress'],
];

/** Where what has not moved yet still is; each room that is left goes from this list. */
const NOT_MOVED =
  /^(api|services|store|operator|delivery|conversation|telephony|cli|runtime|resources|observability|egress|controller|kubernetes)\/|^(events|knowledge|standalone)\//;
/** What climbs until it is cured. */
const CLIMBS = [
  'audit/audit-log.routes.ts -> access/api-key.view.ts',
  'conversations/conversations.routes.ts -> erasure/erase-conversation.ts',
  'conversations/escalations/escalation-rules.ts -> conversations/turns/read-user-turn.ts',
  'conversations/escalations/escalation.view.ts -> conversations/read-conversations.ts',
  'conversations/escalations/escalations.routes.ts -> conversations/read-conversations.ts',
  'conversations/escalations/escalations.routes.ts -> conversations/conversation.view.ts',
  'conversations/escalations/escalations.routes.ts -> conversations/turns/messages.routes.ts',
  'conversations/record/record-turn.ts -> conversations/escalations/request-escalation.ts',
  'conversations/record/summarize.ts -> conversations/ending/settle-outcome.ts',
  'conversations/record/tally.ts -> conversations/turns/read-user-turn.ts',
  'conversations/record/tally.ts -> conversations/turns/responder.ts',
  'conversations/turns/messages.routes.ts -> conversations/conversation.view.ts',
  'events/erase-events.sql.ts -> webhooks/queue/delivery-endings.sql.ts',
  'events/event-stream.ts -> webhooks/replay/replay-jobs.ts',
  'events/events.routes.ts -> webhooks/replay/replay-event.ts',
  'events/read-events.ts -> webhooks/queue/deliveries.sql.ts',
  'knowledge/passages/search-knowledge.ts -> knowledge/sources/knowledge-sources.sql.ts',
  'knowledge/sources/knowledge.view.ts -> knowledge/gaps/resolve-gap.ts',
  'knowledge/sources/read-knowledge.ts -> conversations/record/conversations.sql.ts',
  'platform/http/authorize.ts -> access/authenticate.ts',
  'platform/http/openapi/openapi.ts -> events/event-types.ts',
  'platform/http/openapi/openapi.ts -> events/samples.ts',
  'platform/http/route.ts -> access/authenticate.ts',
  'platform/kubernetes/resource-paths.ts -> roles/kinds.ts',
  'platform/manifests/run.ts -> roles/kinds.ts',
  'platform/postgres/migrate.ts -> events/event-stream.sql.ts',
  'platform/postgres/reseal.ts -> audit/audit.ts',
  'platform/postgres/sealed-values.ts -> platform/idempotency/idempotency-marks.sql.ts',
  'platform/postgres/sealed-values.ts -> platform/resources/resources.sql.ts',
  'platform/postgres/sealed-values.ts -> webhooks/endpoints/webhook-endpoints.sql.ts',
  'platform/reconcile/run-operator.ts -> platform/egress/address-guard.ts',
  'platform/reconcile/run-operator.ts -> platform/postgres/leadership.ts',
  'platform/reconcile/run-operator.ts -> platform/postgres/notifications.ts',
  'platform/reconcile/run-operator.ts -> webhooks/queue/partitions.sql.ts',
  'platform/reconcile/run-operator.ts -> platform/postgres/pool.ts',
  'platform/reconcile/run-operator.ts -> platform/postgres/sealing.ts',
  'platform/reconcile/run-operator.ts -> roles/operator/roads.ts',
  'platform/resources/schema/crd.ts -> roles/kinds.ts',
  'platform/resources/schema/validate.ts -> roles/kinds.ts',
  'webhooks/delivery/explain-delivery.ts -> webhooks/replay/replay-jobs.ts',
  'webhooks/endpoints/webhook-endpoints.sql.ts -> agents/agents.sql.ts',
];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !NOT_MOVED.test(file))
  .sort();

describe.each(files)('src/%s', (file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');

  test('imports only what lies below it', () => {
    const reach = reachOf(roomOf(file));
    expect(reach).toBeDefined();
    const climbing = importsOf(text, file).filter(
      (imported) =>
        !reach?.has(roomOf(imported)) &&
        !NOT_MOVED.test(imported) &&
        !CLIMBS.some((known) => sameClimb(known, file, imported)),
    );
    expect(climbing).toEqual([]);
  });

  test('loads no package that belongs elsewhere', () => {
    const code = withoutComments(text);
    for (const [pattern, place, reason] of ONLY_IN) {
      expect({ reason, found: pattern.test(code) && !place.test(file) }).toEqual({
        reason,
        found: false,
      });
    }
  });

  test('has a kebab-case name that says what it is, and at most 400 lines', () => {
    expect(file).toMatch(/^([a-z0-9-]+\/)*[a-z0-9-]+(\.(sql|routes|view|kind|reconciler))?\.tsx?$/);
    expect(path.basename(file)).not.toMatch(/^(index|utils?|helpers?|common|types|interfaces)\./);
    if (GENERATED.test(file)) return;
    expect(text.split('\n').length).toBeLessThanOrEqual(LINES_MAX + 1);
  });
});

/** `platform/http/openapi/openapi.ts` → `platform/http`; `ids.ts` → `ids` */
function roomOf(file: string): string {
  const [first = '', second] = file.split('/');
  if (second === undefined) return first.replace(/\.ts$/, '');
  const isPart = first === 'platform' || NOUNS[first]?.parts?.includes(second);
  return isPart ? `${first}/${second}` : first;
}

/** The rooms that may be imported from one, itself included; undefined: there is no such room. */
function reachOf(room: string): ReadonlySet<string> | undefined {
  const [first = '', part] = room.split('/');
  const platform = Object.keys(PLATFORM);
  if (FILES.includes(room)) return new Set(FILES);
  if (room === CLIENT) return new Set([CLIENT]);
  if (room === GROUND[0]) return new Set([room, ...FILES]);
  if (PLATFORM[room]) return new Set([room, ...GROUND, ...PLATFORM[room], ...FILES]);
  const noun = NOUNS[first];
  if (noun) {
    const { parts = [] } = noun;
    const lower = part === undefined ? parts : parts.slice(0, parts.indexOf(part));
    const open = platform.filter((one) => one !== KUBERNETES);
    const own = [room, ...lower.map((name) => `${first}/${name}`)];
    return new Set([...own, ...roomsBelow(first), ...open, ...FILES]);
  }
  const all = [...Object.keys(NOUNS).flatMap(roomsOf), ...platform, ...FILES, ROLES];
  if (room === ROLES) return new Set(all);
  if (WAYS_IN.includes(room)) return new Set([room, ...all]);
  return room === 'main' ? new Set([...WAYS_IN, ...FILES]) : undefined;
}

function roomsOf(noun: string): string[] {
  return [noun, ...(NOUNS[noun]?.parts ?? []).map((part) => `${noun}/${part}`)];
}

function roomsBelow(noun: string): string[] {
  return (NOUNS[noun]?.below ?? []).flatMap((lower) => [...roomsOf(lower), ...roomsBelow(lower)]);
}

/** Paths below src of all relative imports, those of types and dynamic ones too. */
function importsOf(text: string, file: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)];
  return specifiers.map(([, specifier]) => path.join(path.dirname(file), specifier!));
}

/** The one end of a climb may have moved before the other. */
function sameClimb(known: string, file: string, imported: string): boolean {
  const [from = '', to = ''] = known.split(' -> ');
  const isSame = (a: string, b: string): boolean => a === b || NOT_MOVED.test(a);
  return isSame(file, from) && isSame(imported, to);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
