import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { chooseAccount } from '../../src/standalone/postgres/account.ts';
import {
  createEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresDeps,
} from '../../src/standalone/postgres/embedded-postgres.ts';
import { findBinaries } from '../../src/standalone/postgres/binaries.ts';
import { createServerLog } from '../../src/standalone/postgres/log.ts';
import { processStartTime } from '../../src/standalone/postgres/owner.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { memoryFolder } from '../memory-folder.ts';
import { copyCluster } from '../platform/postgres/made-cluster.ts';
import {
  canNobodyRun,
  leashOf,
  NOBODY,
  postmasterPid,
  spawnUnreaped,
  untilGone,
  untilZombie,
} from './processes.ts';

const OWNER = path.resolve(import.meta.dirname, './embedded-postgres-owner.ts');
const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
/** Whether other users can run this checkout's programs; in root's home they cannot. */
const isReachable = canNobodyRun(process.execPath, findBinaries().postgres);

const onLinux = process.platform === 'linux' ? test : test.skip;

let home: string;
let dataDir: string;
let cleanUp: (() => Promise<unknown>)[];

beforeEach(async () => {
  // As mktemp -d makes it: only its owner may enter.
  home = await mkdtemp(path.join(memoryFolder(), 'parley embedded '));
  dataDir = path.join(home, '.parley');
  cleanUp = [];
});

afterEach(async () => {
  for (const undo of cleanUp.toReversed()) await undo();
  await rm(home, { recursive: true, force: true });
});

/** Without fsync, which only a power cut would miss, unless `settings` says otherwise. */
function embedded(deps: Partial<EmbeddedPostgresDeps> = {}): EmbeddedPostgres {
  const log = pino({ level: 'silent' });
  const database = createEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' }, ...deps });
  cleanUp.push(database.stop);
  return database;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  client.on('error', () => undefined); // A server that is killed cuts it.
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** A process of its own that runs the server; resolves with the URL that it printed. */
async function startOwner(spawnAs: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, [OWNER, dataDir], {
    ...spawnAs,
    cwd: '/',
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUp.push(() => end(child, 'SIGTERM'));
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, url: String(line) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

describe('the embedded PostgreSQL', () => {
  test('keeps data, port and password over a stop and a start', async () => {
    await copyCluster(dataDir);
    const first = embedded();
    const { url } = await first.start();
    await query(url, 'create table kept as select 42 as answer');
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    const again = await embedded().start();

    expect(again.url).toBe(url);
    expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('is back at the same URL when it was killed, and says so', async () => {
    await copyCluster(dataDir);
    const down = Promise.withResolvers<void>();
    const up = Promise.withResolvers<void>();
    const { url } = await embedded({ onDown: down.resolve, onUp: up.resolve }).start();
    await query(url, 'create table kept as select 1 as a');
    // A backend that is busy holds the shared memory for a while after its postmaster's death.
    const busy = query(url, 'select pg_sleep(60)').catch(() => 'cut');

    process.kill(postmasterPid(dataDir), 'SIGKILL');
    await down.promise;
    await up.promise;

    expect(await query(url, 'select a from kept')).toEqual([{ a: 1 }]);
    expect(await busy).toBe('cut');
  });

  test('stops while it is being restarted', async () => {
    await copyCluster(dataDir);
    const down = Promise.withResolvers<void>();
    const database = embedded({ onDown: down.resolve });
    const { url } = await database.start();
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    await down.promise;

    await database.stop();

    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(existsSync(path.join(dataDir, 'parley.pid'))).toBe(false);
  });

  test('stops while it is starting', async () => {
    const database = embedded();
    const starting = database.start();
    const outcome = expect(starting).rejects.toThrow('stopped while PostgreSQL was starting');
    await database.stop();
    await outcome;
  });

  test('makes a cluster, also over a half-made one, that is durable, speaks UTF-8 and asks for a password that only its owner can read', async () => {
    const draft = path.join(dataDir, 'postgres.new-0badcafe'); // A kill left it.
    await mkdir(draft, { recursive: true });
    await writeFile(path.join(draft, 'PG_VERSION'), '18\n');

    const { url } = await embedded({ settings: {} }).start();

    expect(existsSync(draft)).toBe(false);
    expect(await query(url, `select upper('straße é') as text`)).toEqual([{ text: 'STRAßE É' }]);
    const [settings] = await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('listen_addresses') as addresses,
              current_setting('unix_socket_directories') as sockets`,
    );
    expect(settings).toEqual({ fsync: 'on', commit: 'on', addresses: '127.0.0.1', sockets: '' });
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(path.join(dataDir, 'postgres.password')).mode & 0o077).toBe(0);
  });
});

describe('the owner of the data folder', () => {
  test('is alone: a second start is refused and names the first', async () => {
    await copyCluster(dataDir);
    const { child } = await startOwner();
    await expect(embedded().start()).rejects.toThrow(`in use by another parley (pid ${child.pid})`);
    // Refusing it must not have taken the folder from the first.
    await expect(embedded().start()).rejects.toThrow(`(pid ${child.pid})`);
  });

  test('takes its server along when it is killed', async () => {
    await copyCluster(dataDir);
    const { child } = await startOwner();
    const pid = postmasterPid(dataDir);
    await end(child, 'SIGKILL');
    await untilGone(pid);
    expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('stops a server that outlived an earlier one, and has its data', async () => {
    await copyCluster(dataDir);
    const { child, url: before } = await startOwner();
    await query(before, 'create table kept as select 7 as a');
    const pid = postmasterPid(dataDir);
    process.kill(await leashOf(child.pid ?? 0), 'SIGKILL');
    await end(child, 'SIGKILL');
    expect(processStartTime(pid)).toBeDefined();

    const { url } = await embedded().start();

    expect(processStartTime(pid)).toBeUndefined();
    expect(postmasterPid(dataDir)).not.toBe(pid);
    expect(await query(url, 'select a from kept')).toEqual([{ a: 7 }]);
  });

  test('is not kept out by files whose pids are other processes by now', async () => {
    await copyCluster(dataDir);
    const first = embedded();
    await first.start();
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    const content = readFileSync(pidFile, 'utf8');
    await first.stop();
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    cleanUp.push(() => end(stranger, 'SIGKILL'));
    await writeFile(pidFile, content.replace(/^\d+/, String(stranger.pid)));
    await writeFile(path.join(dataDir, 'parley.pid'), `${stranger.pid} 1`);

    const { url } = await embedded().start();

    expect(await query(url, 'select 1 as a')).toEqual([{ a: 1 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  onLinux('is not kept out by a server that was killed and that nobody reaps', async () => {
    await copyCluster(dataDir);
    const first = embedded();
    await first.start();
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    const content = readFileSync(pidFile, 'utf8');
    await first.stop();
    const parent = spawnUnreaped(['/bin/sh', '-c', 'echo $$']);
    cleanUp.push(() => end(parent, 'SIGKILL'));
    const [pid] = await once(createInterface(parent.stdout), 'line');
    await untilZombie(Number(pid));
    await writeFile(pidFile, content.replace(/^\d+/, pid));

    const { url } = await embedded().start();

    expect(await query(url, 'select 1 as a')).toEqual([{ a: 1 }]);
  });
});

describe('what a user can cause is one clear line', () => {
  test('data of another major version', async () => {
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    await expect(embedded().start()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('created by PostgreSQL 14, but this is PostgreSQL 18'),
    });
  });

  test('a data folder that is a file', async () => {
    await writeFile(dataDir, '');
    await expect(embedded().start()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('PARLEY_DATA_DIR'),
    });
  });

  test('a setting that the server refuses', async () => {
    await copyCluster(dataDir);
    await expect(
      embedded({ settings: { fsync: 'off', work_mem: 'much' } }).start(),
    ).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('invalid value for parameter "work_mem"'),
    });
    expect(existsSync(path.join(dataDir, 'parley.pid'))).toBe(false);
  });

  test('a platform without binaries', () => {
    expect(() => findBinaries('plan9-mips')).toThrow('set DATABASE_URL');
  });
});

test('its log keeps one older part and the last lines', async () => {
  const file = path.join(home, 'server.log');
  const log = createServerLog(file, 10);
  for (const line of ['one\n', 'two three\n', 'four\n']) log.write(Buffer.from(line));
  await log.close();
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('one\ntwo three\n');
  expect(readFileSync(file, 'utf8')).toBe('four\n');
  expect(log.tail()).toEqual(['one', 'two three', 'four']);
});

(isRoot ? describe : describe.skip)('started by root', () => {
  const runsAsNobody = isReachable ? test : test.skip;

  test('says what PostgreSQL said when it cannot be started', async () => {
    // Programs may be forbidden in a memory folder.
    const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-broken-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    const broken = path.join(folder, 'postgres');
    await writeFile(broken, '#!/bin/sh\necho "no libicu" >&2\nexit 127\n', { mode: 0o755 });
    const binaries = { ...findBinaries(), postgres: broken };
    const log = pino({ level: 'silent' });
    await mkdir(dataDir);
    const account = chooseAccount({ dataDir, binaries, log, unshare: 'unshare' });
    await expect(account).rejects.toThrow(/ \(no libicu\).*: set DATABASE_URL or /);
  });

  runsAsNobody('leaves the folder of an ordinary user to them', async () => {
    chmodSync(home, 0o777);
    await copyCluster(dataDir);
    await run('chown', ['-R', `${NOBODY}:${NOBODY}`, dataDir]);
    const ordinary = { uid: NOBODY, gid: NOBODY };
    const { child, url } = await startOwner(ordinary);
    await query(url, 'create table kept as select 9 as a');
    await end(child, 'SIGTERM');

    const database = embedded();
    expect(await query((await database.start()).url, 'select a from kept')).toEqual([{ a: 9 }]);
    await database.stop();

    const again = await startOwner(ordinary);
    expect(again.url).toBe(url);
  });

  runsAsNobody(
    'runs as nobody, on files made as root, where namespaces are forbidden',
    async () => {
      await copyCluster(dataDir);
      const first = embedded();
      await query((await first.start()).url, 'create table kept as select 3 as a');
      await first.stop();
      expect(statSync(path.join(dataDir, 'postgres')).uid).toBe(0);
      chmodSync(home, 0o755);

      const { url } = await embedded({ unshare: '/bin/false' }).start();

      expect(await query(url, 'select a from kept')).toEqual([{ a: 3 }]);
      expect(statSync(path.join(dataDir, 'postgres')).uid).toBe(NOBODY);
    },
  );

  runsAsNobody('else keeps its data in a folder that it names, and finds it again', async () => {
    const said: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void said.push(line) });
    const first = embedded({ unshare: '/bin/false', log });
    const { url } = await first.start();
    const [, folder = ''] =
      /its data is in (\/var\/tmp\/parley-[0-9a-f]+)/.exec(said.join('')) ?? [];
    expect(folder).not.toBe('');
    cleanUp.unshift(() => rm(folder, { recursive: true }));
    await query(url, 'create table kept as select 5 as a');
    await first.stop();

    const again = await embedded().start();

    expect(await query(again.url, 'select a from kept')).toEqual([{ a: 5 }]);
  });
});
