import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';

/** The manual of Git as Debian packs it: a site of some hundred pages that nobody wrote for us. */
const PACKAGE = 'git-doc';
const INSIDE = `usr/share/doc/${PACKAGE}`;

/** Its start page is a link to another one, beside it. */
const AS_IT_IS = { recursive: true, verbatimSymlinks: true };

/** A copy in `folder`; undefined: it cannot be had here. Downloaded once, below ~/.cache/parley. */
export function copyDocumentation(folder: string): string | undefined {
  const kept = path.join(homedir(), '.cache/parley', PACKAGE);
  if (!existsSync(kept)) {
    const download = path.join(folder, 'download');
    mkdirSync(download);
    try {
      const options = { cwd: download, stdio: 'ignore' } as const;
      execFileSync('apt-get', ['download', PACKAGE], options);
      const [file] = readdirSync(download);
      execFileSync('dpkg-deb', ['-x', file!, 'unpacked'], options);
    } catch {
      return undefined;
    }
    mkdirSync(path.dirname(kept), { recursive: true });
    cpSync(path.join(download, 'unpacked'), `${kept}.new`, AS_IT_IS);
    renameSync(`${kept}.new`, kept);
    rmSync(download, { recursive: true });
  }
  const copy = path.join(folder, 'documentation');
  cpSync(path.join(kept, INSIDE), copy, AS_IT_IS);
  return copy;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

export type StaticSite = {
  url: string;
  /** Answers by their status since it was last asked. */
  answered: () => Record<number, number>;
  stop: () => Promise<void>;
};

/** A folder as any web server would serve it: with `ETag` and `Last-Modified`, and 304 to who has it. */
export async function serveFolder(folder: string): Promise<StaticSite> {
  let answers: Record<number, number> = {};
  const server = createServer((request, response) => {
    void answer(folder, request.url ?? '/').then(({ body, headers }) => {
      const has = request.headers['if-none-match'] ?? request.headers['if-modified-since'];
      const isSame = has !== undefined && [headers.etag, headers['last-modified']].includes(has);
      const status = body === undefined ? 404 : isSame ? 304 : 200;
      answers[status] = (answers[status] ?? 0) + 1;
      response.writeHead(status, headers).end(status === 200 ? body : undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    answered: () => {
      const these = answers;
      answers = {};
      return these;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Served = { body: Buffer | undefined; headers: Record<string, string> };

async function answer(folder: string, target: string): Promise<Served> {
  const { pathname } = new URL(target, 'http://site');
  const name = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  const file = path.join(folder, path.normalize(name));
  const type = TYPES[path.extname(file)];
  try {
    const body = await readFile(file);
    const { mtime } = await stat(file);
    return {
      body,
      headers: {
        'content-type': type ?? 'application/octet-stream',
        etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`,
        'last-modified': mtime.toUTCString(),
      },
    };
  } catch {
    return { body: undefined, headers: {} };
  }
}
