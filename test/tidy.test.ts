import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TABLES } from './tidy-tables.ts';

/** The layout, held by a test: docs/architecture.md explains it, this file is the law. */

const ROOT = path.resolve(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');
const LINES_MAX = 400;
const FILES_MAX = 25;

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
  // An object that a quota refuses is told so.
  'platform/reconcile': ['platform/resources', 'platform/declare'],
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
  webhooks: { below: ['events'], parts: ['queue', 'endpoints', 'delivery', 'replay', 'receipts'] },
  agents: { below: ['events'] },
  knowledge: {
    // The fetchers know each other as little as the tables of others: `syncs` runs them.
    below: ['agents', 'models'],
    parts: ['passages', 'vectors', 'formats', 'sources', 'website', 'integration', 'syncs', 'gaps'],
  },
  models: { below: ['audit'] },
  // It knows no conversation: who talks is told what was heard, and says what to speak.
  speech: {
    below: ['models'],
    parts: ['audio', 'providers', 'recognition', 'synthesis', 'activity', 'turns'],
  },
  conversations: {
    below: ['knowledge', 'models'],
    parts: [
      'redaction',
      'record',
      'feedback',
      'judging',
      'escalations',
      'ending',
      'tools',
      'turns',
      'completions',
    ],
  },
  calls: { below: ['conversations', 'speech'] },
  talks: { below: ['calls'] },
  erasure: { below: ['calls'] },
};

const ROLES = 'roles';
/** They call what is below; nothing below knows them. */
const WAYS_IN = ['commands', 'standalone', 'drill'];
/** For people's browsers: it is built by itself, and speaks to the API through the client alone. */
const DASHBOARD = 'dashboard';
/** Its parts, lowest first; `app` is what all pages stand in. */
const DASHBOARD_PARTS = ['data', 'ui', 'transcript', 'pages', 'app'];
/** For the pages of others, and the dashboard talks by it; its parts, lowest first. */
const WIDGET = 'widget';
const WIDGET_PARTS = ['talk', 'sound', 'element'];
/** Of the program: the arithmetic of sound, which is the same everywhere. */
const WIDGET_BELOW = ['speech/audio'];
/** For programs outside: a package that knows the types generated for it, and nothing else. */
const CLIENT = 'packages/client/src';

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
    /['"]@opentelemetry\/(?!api')/,
    /^platform\/observability\/tracing\.ts$/,
    'loaded only where a collector is configured',
  ],
  [
    /'@opentelemetry\/api'/,
    /^platform\/observability\/trac(e-context|ing)\.ts$/,
    'the library can be swapped in two files',
  ],
  [
    /from 'undici'/,
    /^platform\/(egress|kubernetes)\//,
    'every outgoing request passes the address guard, but for those to our own API server',
  ],
  [
    /from 'node:https?'/,
    /^platform\/(egress|http)\/|^platform\/observability\/health\.ts$|^standalone\/(demo-(receiver|shop)|scripted-model)\.ts$|^drill\/server\.ts$/,
    'as above; the drill is a carrier and a receiver, which are outside',
  ],
  [
    /'@kubernetes\/client-node'/,
    /^platform\/kubernetes\/credentials\.ts$/,
    'a second and 87 MB to load',
  ],
  [/from 'express'/, /^platform\/http\/|\.routes\.ts$/, 'HTTP ends where the routes do'],
  [
    /from 'pg'/,
    /^platform\/postgres\//,
    'SQL is in *.sql.ts, its connections in platform/postgres',
  ],
  [/\.query[(<]/, /\.sql\.ts$|^platform\/postgres\//, 'SQL is in *.sql.ts'],
  [
    /dangerouslySetInnerHTML|(inner|outer)HTML|insertAdjacentHTML|srcDoc|document\.write|createContextualFragment|DOMParser|\beval\(|new Function\b/,
    /^$/,
    'what others wrote is shown as text, and text is no program',
  ],
  [/process\.env/, /^config\.ts$/, 'one reader of the environment'],
  [
    /\bfetch\(/,
    /^(widget\/talk\/token|drill\/(api|carrier))\.ts$/,
    'every outgoing request goes through platform/egress; a page of others has none, and the drill comes from outside',
  ],
  [
    /from '(react|react-dom|@tanstack|@base-ui|uplot|diff|@parley)[/']/,
    /^dashboard\//,
    'what a browser loads is no part of the program',
  ],
];

/** SQL that reaches over, each with its reason. Nothing but the outbox writes what is another's. */
const REACHES_OVER: Record<string, readonly string[]> = {
  // The fan-out: an event and its deliveries are one statement.
  'events/outbox.sql.ts': ['delivery_queue', 'webhook_endpoints'],
  // A claim brings the body along; a replay looks for what was missed.
  'webhooks/queue/delivery-queue.sql.ts': ['events'],
  'webhooks/replay/jobs.sql.ts': ['events'],
  // What was erased cannot be sent again; what was made for one endpoint is a test.
  'webhooks/receipts/receipts.sql.ts': ['events'],
  // All partitioned tables are made and dropped by the same days.
  'webhooks/queue/partitions.sql.ts': ['events'],
  // A turn reads the conversation, its agent and the content of its version by one statement.
  'conversations/record/conversations.sql.ts': ['agent_versions', 'agents'],
  // Who rates a conversation reads whom it was with, by one statement.
  'conversations/feedback/rated-conversation.sql.ts': ['agents'],
  // Conversations are found by the numbers of their call.
  'conversations/record/list-conversations.sql.ts': ['calls'],
  // What ends a call and what ends its conversation are looked for together.
  'calls/calls.sql.ts': ['conversations'],
  // A number is bound to the agent of a name, as it is now.
  'calls/providers/accounts.sql.ts': ['agents'],
};

/** What a process of each role must not have loaded: memory, and what could fail. */
const NOT_LOADED: Record<string, { roots: string[]; foreign: RegExp; proof: string }> = {
  delivery: {
    roots: ['main.ts', 'commands/run-role.ts', 'roles/delivery/run.ts'],
    foreign:
      /\.routes\.ts$|\.reconciler\.ts$|^platform\/(http|kubernetes|reconcile|manifests)\/|^platform\/resources\/schema\/|^(standalone|roles\/(api|operator))\//,
    proof: 'webhooks/delivery/deliverer.ts',
  },
  operator: {
    roots: ['main.ts', 'commands/run-role.ts', 'roles/operator/run.ts'],
    foreign: /\.routes\.ts$|^platform\/http\/app\.ts$|^standalone\/|^roles\/(api|delivery)\//,
    proof: 'platform/reconcile/term.ts',
  },
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

describe.each(files)('src/%s', (file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');

  test('imports only what lies below it', () => {
    const reach = reachOf(roomOf(file));
    expect(reach).toBeDefined();
    const climbing = importsOf(text, file).filter((imported) => !reach?.has(roomOf(imported)));
    expect(climbing).toEqual([]);
  });

  test('loads no package that belongs elsewhere', () => {
    const code = withoutComments(text);
    const found = ONLY_IN.filter(([pattern, place]) => pattern.test(code) && !place.test(file));
    expect(found).toEqual([]);
  });

  test('has a kebab-case name that says what it is, and at most 400 lines', () => {
    expect(file).toMatch(/^([a-z0-9-]+\/)*[a-z0-9-]+(\.(sql|routes|view|kind|reconciler))?\.tsx?$/);
    expect(path.basename(file)).not.toMatch(/^(index|utils?|helpers?|common|types|interfaces)\./);
    expect(text.split('\n').length).toBeLessThanOrEqual(LINES_MAX + 1);
  });
});

test('src has the folders of the drawing and no other, none with more than 25 files', () => {
  const folders = new Set(
    files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]),
  );
  const drawn = [...Object.keys(NOUNS), ROLES, ...WAYS_IN, DASHBOARD, WIDGET, 'platform'];
  expect(folders).toEqual(new Set(drawn));
  const perFolder = Map.groupBy(files, (file) => path.dirname(file));
  const crowded = [...perFolder].filter(([, inside]) => inside.length > FILES_MAX);
  expect(crowded.map(([folder]) => folder)).toEqual([]);
});

test('the client imports its own files and openapi-fetch, and the program nothing of it', () => {
  const folder = path.join(ROOT, CLIENT);
  const inside = readdirSync(folder);
  const imported = inside.flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/from '([^']+)';$/gm)].map(
      ([, specifier]) => specifier!,
    ),
  );
  const own = inside.map((file) => `./${file}`);
  expect(imported.filter((name) => ![...own, 'openapi-fetch'].includes(name))).toEqual([]);
  const readers = files.filter(
    (file) =>
      !file.startsWith(`${DASHBOARD}/`) &&
      /(?:from|import\()\s*'[^']*(?:packages\/|openapi-fetch|@parley\/)/.test(
        readFileSync(path.join(SRC, file), 'utf8'),
      ),
  );
  expect(readers).toEqual([]);
});

test('no import leads back to where it came from', () => {
  const ends = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' → ')];
    if (ends.has(file)) return [];
    // Those of types too: who reads one end needs the other.
    const text = withoutComments(readFileSync(path.join(SRC, file), 'utf8'));
    const circles = importsOf(text.replaceAll(/import\(/g, ''), file).flatMap((next) =>
      visit(next, [...trail, file]),
    );
    ends.add(file);
    return circles;
  };
  expect(files.flatMap((file) => visit(file, []))).toEqual([]);
});

describe('SQL', () => {
  const migrations = readdirSync(path.join(ROOT, 'migrations')).map((file) =>
    readFileSync(path.join(ROOT, 'migrations', file), 'utf8'),
  );
  const made = migrations.flatMap((sql) =>
    [...sql.matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(
      ([, name]) => name,
    ),
  );

  test('every table has an owner', () => {
    expect(new Set(Object.keys(TABLES))).toEqual(new Set(made));
  });

  test.each(Object.keys(TABLES))('of %s stands in one folder', (table) => {
    const owner = `${TABLES[table]}/`;
    const named = new RegExp(
      String.raw`\b(?:from|join|into|update|only|lock table|table)\s+${table}\b|table: '${table}',`,
      'i',
    );
    const strangers = files.filter((file) => {
      if (file.startsWith(owner) || REACHES_OVER[file]?.includes(table)) return false;
      const isSql = file.endsWith('.sql.ts') || file.startsWith('platform/postgres/');
      return isSql && named.test(withoutComments(readFileSync(path.join(SRC, file), 'utf8')));
    });
    expect(strangers).toEqual([]);
  });

  test.each(Object.entries(REACHES_OVER))(
    'of %s reaches for no more than is listed',
    (file, tables) => {
      const code = withoutComments(readFileSync(path.join(SRC, file), 'utf8'));
      for (const table of tables) {
        expect(code).toMatch(
          new RegExp(String.raw`\b(?:from|join|into|update)\s+${table}\b|'${table}'`),
        );
      }
    },
  );
});

describe.each(Object.entries(NOT_LOADED))(
  'a process of the role %s',
  (_, { roots, foreign, proof }) => {
    test('loads nothing of the others', () => {
      const loaded = new Set<string>();
      const load = (file: string): void => {
        if (loaded.has(file)) return;
        loaded.add(file);
        loadedBy(file).forEach(load);
      };
      roots.forEach(load);
      expect([...loaded].filter((file) => foreign.test(file))).toEqual([]);
      expect(loaded).toContain(proof);
    });
  },
);

/** `platform/http/openapi/openapi.ts` → `platform/http`; `ids.ts` → `ids` */
function roomOf(file: string): string {
  const [first = '', second] = file.split('/');
  if (second === undefined) return first.replace(/\.ts$/, '');
  const isPart =
    first === 'platform' ||
    (first === DASHBOARD && DASHBOARD_PARTS.includes(second)) ||
    (first === WIDGET && WIDGET_PARTS.includes(second)) ||
    NOUNS[first]?.parts?.includes(second);
  return isPart ? `${first}/${second}` : first;
}

/** The rooms that may be imported from one, itself included; undefined: there is no such room. */
function reachOf(room: string): ReadonlySet<string> | undefined {
  const [first = '', part] = room.split('/');
  const platform = Object.keys(PLATFORM);
  if (FILES.includes(room)) return new Set(FILES);
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
  if (first === DASHBOARD) {
    const below = part === undefined ? undefined : DASHBOARD_PARTS.indexOf(part);
    const parts = DASHBOARD_PARTS.slice(0, below).map((name) => `${DASHBOARD}/${name}`);
    return new Set([room, ...parts, `${WIDGET}/talk`, `${WIDGET}/sound`]);
  }
  if (first === WIDGET) {
    const below = part === undefined ? undefined : WIDGET_PARTS.indexOf(part);
    const parts = WIDGET_PARTS.slice(0, below).map((name) => `${WIDGET}/${name}`);
    return new Set([room, ...parts, ...WIDGET_BELOW]);
  }
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
  // `?worker&url`: how it is built, not what.
  return specifiers.map(([, specifier]) =>
    path.join(path.dirname(file), specifier!.replace(/\?.*$/, '')),
  );
}

/** What is loaded with a file: not what it imports for its types alone, nor later by `import()`. */
function loadedBy(file: string): string[] {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export) ([\s\S]*?) from '(\.[^']+)'(?: with .*)?;$/gm),
  ].flatMap(([, names, specifier]) =>
    names!.startsWith('type ') ? [] : [path.join(path.dirname(file), specifier!)],
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
