import path from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, read, SOURCES, withoutComments } from './sources.ts';
import {
  BUILT_ON,
  APART,
  CLIENT,
  GROUND,
  GUESTS,
  KUBERNETES,
  NOT_LOADED,
  NOUNS,
  ONLY_IN,
  OWN_TIME,
  PLATFORM,
  REACHES_OVER,
  ROLES,
  ROOT_FILES,
  TABLES,
  WAYS_IN,
} from './tidy-tables.ts';

/** Rules of the layout. docs/architecture.md explains them, tidy-tables.ts has the exceptions. */

const LINES_MAX = 400;
const FILES_MAX = 25;
/** A shorter file stands alone only if several files import it, or one of another folder. */
const ALONE_LINES_MIN = 45;
const NAME = /^([a-z0-9-]+\/)*[a-z0-9-]+(\.(sql|routes|view|kind|reconciler))?\.tsx?$/;
const EMPTY_NAME = /^(index|utils?|helpers?|common|types|interfaces)\./;

/** Returns a path without `src`, and of a package without `packages` too. */
const nameOf = (place: string): string =>
  place.replace(/^packages\/([^/]+)\/src\//, '$1/').replace(/^src\//, '');
const places = new Map(
  filesBelow(...SOURCES)
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith(CLIENT))
    .map((file) => [nameOf(file), file]),
);
const files = [...places.keys()].sort();
const placeOf = (file: string): string => places.get(file) ?? `src/${file}`;
const textOf = (file: string): string => read(placeOf(file));
const codes = new Map(files.map((file) => [file, withoutComments(textOf(file))]));
const codeOf = (file: string): string => codes.get(file)!;

test('a file imports only what lies below it', () => {
  const climbing = files.flatMap((file) => {
    const reach = reachOf(roomOf(file));
    if (!reach) return [`${file} is in no folder of the layout`];
    const above = importsOf(textOf(file), file).filter((other) => !reach.has(roomOf(other)));
    return above.map((other) => `${file} imports ${other}`);
  });
  expect(climbing).toEqual([]);
});

test('rooms that must not know each other do not', () => {
  const known = files.flatMap((file) =>
    importsOf(textOf(file), file).flatMap((other) =>
      APART.filter(([from, to]) => from.test(file) && to.test(other)).map(
        ([, , reason]) => `${file} imports ${other}: ${reason}`,
      ),
    ),
  );
  expect(known).toEqual([]);
});

test('packages and functions that belong to one place are used there alone', () => {
  const misplaced = files.flatMap((file) =>
    ONLY_IN.filter(([what, place]) => !place.test(file) && what.test(codeOf(file))).map(
      ([what, , reason]) => `${file} has ${what}: ${reason}`,
    ),
  );
  expect(misplaced).toEqual([]);
});

test('a file has a kebab-case name that says what it is', () => {
  const unnamed = files.filter((file) => !NAME.test(file) || EMPTY_NAME.test(path.basename(file)));
  expect(unnamed).toEqual([]);
});

test('a file has at most 400 lines', () => {
  const long = files
    .map((file) => [file, textOf(file).split('\n').length - 1] as const)
    .filter(([, lines]) => lines > LINES_MAX)
    .map(([file, lines]) => `${file} has ${lines} lines`);
  expect(long).toEqual([]);
});

test('a short file that one neighbor imports is part of that neighbor', () => {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    for (const other of new Set(importsOf(textOf(file), file))) {
      importers.set(other, [...(importers.get(other) ?? []), file]);
    }
  }
  const crumbs = files
    .filter((file) => placeOf(file).startsWith('src/') && !file.startsWith('voice/'))
    .filter((file) => textOf(file).split('\n').length - 1 < ALONE_LINES_MIN)
    .flatMap((file) => {
      const [importer, ...others] = importers.get(file) ?? [];
      const isCrumb = others.length === 0 && path.dirname(importer ?? '') === path.dirname(file);
      return isCrumb ? [`${file} belongs into ${importer}`] : [];
    });
  expect(crumbs).toEqual([]);
});

test('the folders are those of the drawing', () => {
  const folders = new Set(
    files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]),
  );
  const drawn = [...Object.keys(NOUNS), ROLES, ...WAYS_IN, ...Object.keys(GUESTS), 'platform'];
  expect(folders).toEqual(new Set(drawn));
});

test('a folder has at most 25 files', () => {
  const crowded = [...Map.groupBy(files, (file) => path.dirname(file))]
    .filter(([, inside]) => inside.length > FILES_MAX)
    .map(([folder, inside]) => `${folder} has ${inside.length} files`);
  expect(crowded).toEqual([]);
});

test('the client imports its own files and openapi-fetch', () => {
  const inside = filesBelow(CLIENT);
  const allowed = [...inside.map((file) => `./${path.basename(file)}`), 'openapi-fetch'];
  const foreign = inside.flatMap((file) =>
    [...read(file).matchAll(/from '([^']+)';$/gm)]
      .filter(([, specifier]) => !allowed.includes(specifier!))
      .map(([, specifier]) => `${file} imports ${specifier}`),
  );
  expect(foreign).toEqual([]);
});

test('only the dashboard imports the client', () => {
  const client = /(?:from|import\()\s*'[^']*(?:packages\/client|openapi-fetch|@parley\/client)/;
  const readers = files.filter(
    (file) => !file.startsWith('dashboard/') && client.test(textOf(file)),
  );
  expect(readers).toEqual([]);
});

test('no import leads back to where it came from', () => {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' → ')];
    if (done.has(file) || !codes.has(file)) return [];
    // Imports of types count too: the reader of one end needs the other. Dynamic imports do not.
    const code = codeOf(file).replaceAll(/import\(/g, '');
    const circles = importsOf(code, file).flatMap((next) => visit(next, [...trail, file]));
    done.add(file);
    return circles;
  };
  expect(files.flatMap((file) => visit(file, []))).toEqual([]);
});

test('time comes from src/clock.ts alone', () => {
  const strangers = files
    .filter((file) => !OWN_TIME.test(file))
    .flatMap((file) => strangeTimeIn(codeOf(file)).map((what) => `${file} has ${what}`));
  expect(strangers).toEqual([]);
});

test('time from elsewhere is noticed', () => {
  const clock = "import { delay, setTimeout } from '../clock.ts';\n";
  expect(strangeTimeIn(`${clock}setTimeout(() => delay(2), 1);`)).toEqual([]);
  expect(strangeTimeIn('type Clock = { setTimeout: Arm }; clock.setTimeout(end, 5);')).toEqual([]);
  expect(strangeTimeIn('setTimeout(end, 5);')).toEqual(['setTimeout']);
  expect(strangeTimeIn(`${clock}setInterval(end, 5); clearInterval(timer);`)).toEqual([
    'setInterval',
    'clearInterval',
  ]);
  expect(strangeTimeIn("import { setTimeout as delay } from 'node:timers/promises';")).toEqual([
    "import { setTimeout as delay } from 'node:timers/promises'",
  ]);
  expect(strangeTimeIn("import { setImmediate } from 'node:timers/promises';")).toEqual([]);
  expect(strangeTimeIn('const at = Date.now() - performance.now();')).toEqual([
    'Date.now',
    'performance.now',
  ]);
  expect(strangeTimeIn('signal: AbortSignal.timeout(5), at: new Date()')).toEqual([
    'AbortSignal.timeout',
    'new Date()',
  ]);
});

test('every table has an owner', () => {
  const created = filesBelow('migrations').flatMap((file) =>
    [...read(file).matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(
      ([, name]) => name,
    ),
  );
  expect(new Set(Object.keys(TABLES))).toEqual(new Set(created));
});

test('the SQL of a table stands in one folder', () => {
  const named = new RegExp(
    String.raw`\b(?:from|join|into|update|only|lock table|table)\s+(${Object.keys(TABLES).join('|')})\b|table: '(\w+)',`,
    'gi',
  );
  const strangers = files
    .filter((file) => file.endsWith('.sql.ts') || file.startsWith('platform/postgres/'))
    .flatMap((file) => {
      const tables = new Set([...codeOf(file).matchAll(named)].map(([, a, b]) => a ?? b!));
      return [...tables]
        .filter((table) => !isOwn(table, file) && !REACHES_OVER[file]?.includes(table))
        .map((table) => `${file} has SQL of ${table}, which belongs to ${TABLES[table]}`);
    });
  expect(strangers).toEqual([]);
});

test('SQL that reaches over uses every table that is listed for it', () => {
  const unused = Object.entries(REACHES_OVER).flatMap(([file, tables]) =>
    tables
      .filter(
        (table) =>
          !new RegExp(String.raw`\b(?:from|join|into|update)\s+${table}\b|'${table}'`).test(
            codeOf(file),
          ),
      )
      .map((table) => `${file} does not use ${table}`),
  );
  expect(unused).toEqual([]);
});

test('a process of one role loads nothing of the others', () => {
  const foreignIn = Object.entries(NOT_LOADED).flatMap(([role, { roots, foreign, proof }]) => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      loadedBy(file).forEach(load);
    };
    roots.forEach(load);
    expect(loaded).toContain(proof);
    return [...loaded].filter((file) => foreign.test(file)).map((file) => `${role} loads ${file}`);
  });
  expect(foreignIn).toEqual([]);
});

function isOwn(table: string, file: string): boolean {
  return TABLES[table] === undefined || file.startsWith(`${TABLES[table]}/`);
}

/** Ways to read or wait for time that code has without the clock, as they stand in it. */
function strangeTimeIn(code: string): string[] {
  const imported = code.match(/import \{([^}]*)\} from '(?:\.{1,2}\/)+clock\.ts'/)?.[1] ?? '';
  const timers = new Set(
    [
      ...code.matchAll(/(?<![.\w])(?:setTimeout|setInterval|clearTimeout|clearInterval)\b(?!:)/g),
    ].map(([name]) => name),
  );
  const strangers = /Date\.now|performance\.now|AbortSignal\.timeout|new Date\(\)/g;
  const foreign =
    /import \{[^}]*\b(?:setTimeout|setInterval|scheduler)\b[^}]*\} from 'node:timers(?:\/promises)?'/g;
  const imports = [...code.matchAll(foreign)].map(([found]) => found);
  if (imports.length > 0) return imports;
  return [
    ...[...timers].filter((name) => !new RegExp(String.raw`\b${name}\b`).test(imported)),
    ...[...code.matchAll(strangers)].map(([found]) => found),
  ];
}

/** `platform/http/openapi/openapi.ts` → `platform/http`; `ids.ts` → `ids` */
function roomOf(file: string): string {
  const [first = '', second, third] = file.split('/');
  if (second === undefined) return first.replace(/\.ts$/, '');
  if (NOUNS[first]?.base?.includes(second)) return `${first}/${BASE}`;
  const isPart =
    first === 'platform' ||
    (NOUNS[first] ?? GUESTS[first])?.parts?.includes(second) ||
    (NOUNS[first]?.hasPlugIns === true && third !== undefined);
  return isPart ? `${first}/${second}` : first;
}

/** Rooms that one room may import from, itself included. `undefined` if there is no such room. */
function reachOf(room: string): ReadonlySet<string> | undefined {
  const [first = '', part] = room.split('/');
  const platform = Object.keys(PLATFORM);
  if (ROOT_FILES.includes(room)) return new Set(ROOT_FILES);
  if (room === GROUND[0]) return new Set([room, ...ROOT_FILES]);
  if (PLATFORM[room]) return new Set([room, ...GROUND, ...PLATFORM[room], ...ROOT_FILES]);
  const noun = NOUNS[first];
  if (noun) {
    const parts = partsOf(first);
    // A plug-in is above the parts of the table, and beside the other plug-ins.
    const table = [BASE, ...(noun.parts ?? [])];
    const at = table.indexOf(part ?? '');
    const lower = part === undefined ? parts : at < 0 ? table : table.slice(0, at);
    const open = platform.filter((one) => one !== KUBERNETES);
    const own = [room, ...lower.map((name) => `${first}/${name}`)];
    const packages = BUILT_ON[first] ?? [];
    return new Set([...own, ...roomsBelow(first), ...packages, ...open, ...ROOT_FILES]);
  }
  const all = [...Object.keys(NOUNS).flatMap(roomsOf), ...platform, ...ROOT_FILES, ROLES];
  if (room === ROLES) return new Set(all);
  if (WAYS_IN.includes(room)) return new Set([room, ...all]);
  const guest = GUESTS[first];
  if (guest) {
    const { parts = [] } = guest;
    const lower = part === undefined ? parts : parts.slice(0, parts.indexOf(part));
    return new Set([room, ...lower.map((name) => `${first}/${name}`), ...guest.below]);
  }
  return room === 'main' ? new Set([...WAYS_IN, 'drill', ...ROOT_FILES]) : undefined;
}

function roomsOf(noun: string): string[] {
  return [noun, ...partsOf(noun).map((part) => `${noun}/${part}`)];
}

/** Stands for the files that are below all parts of a noun. */
const BASE = 'base';

const partsByNoun = new Map<string, string[]>();

function partsOf(noun: string): string[] {
  const known = partsByNoun.get(noun);
  if (known) return known;
  const { parts = [], hasPlugIns } = NOUNS[noun]!;
  const folders = files.map((file) => file.split('/')).filter(([first]) => first === noun);
  const plugIns = hasPlugIns
    ? folders.flatMap(([, second, third]) => (third ? [second!] : []))
    : [];
  const all = [...new Set([BASE, ...parts, ...plugIns])];
  partsByNoun.set(noun, all);
  return all;
}

function roomsBelow(noun: string): string[] {
  return (NOUNS[noun]?.below ?? []).flatMap((lower) => [...roomsOf(lower), ...roomsBelow(lower)]);
}

/** Names of all files that are imported by a relative path, including those of types and dynamic ones. */
function importsOf(text: string, file: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)];
  // `?worker&url` says how a file is built.
  return specifiers.map(([, specifier]) =>
    nameOf(path.join(path.dirname(placeOf(file)), specifier!.replace(/\?.*$/, ''))),
  );
}

/** Files that are loaded with a file. Imports of types and later `import()` load nothing. */
function loadedBy(file: string): string[] {
  const text = textOf(file);
  return [
    ...text.matchAll(/^(?:import|export) ([\s\S]*?) from '(\.[^']+)'(?: with .*)?;$/gm),
  ].flatMap(([, names, specifier]) =>
    names!.startsWith('type ') ? [] : [nameOf(path.join(path.dirname(placeOf(file)), specifier!))],
  );
}
