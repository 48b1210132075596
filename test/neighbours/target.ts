import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as turnOfLoop, setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Answer, AttackerKeys, Held, Socket, Target } from './attack.ts';
import { createShown } from './create-shown.ts';

/** The attacker comes from an address of its own where loopback has several. */
const LOCAL_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;
const SMALL_SCALE = 1 / 500;
const OPENED_AT_ONCE = 100;
const FRAMES_IN_A_ROW = 100;
const UNSENT_MAX = 1 << 20;
const PAUSE_AFTER_ERROR_MS = 100;

export type Attacking = {
  target: Target;
  /** Resolves once the attack is in progress. */
  underway: Promise<void>;
  /** Resolves once the attack does nothing more than hold what it has opened. */
  holding: Promise<void>;
  /** Counts what the attacker was answered. */
  seen: Map<string, number>;
  /** Ends the attack. */
  end: () => void;
  /** Closes every connection and server of the attack, and deletes what it created. */
  close: () => Promise<void>;
};

export function openTarget(options: {
  url: string;
  keys: AttackerKeys;
  isFull: boolean;
}): Attacking {
  const { url, keys, isFull } = options;
  const { hostname: host, port } = new URL(url);
  const ending = new AbortController();
  const { signal } = ending;
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const begun = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const seen = new Map<string, number>();
  const open = new Set<() => void>();
  const servers: http.Server[] = [];
  const created: string[] = [];
  const agent = new http.Agent({ keepAlive: true });

  const saw = (what: string): void => {
    if (!signal.aborted) seen.set(what, (seen.get(what) ?? 0) + 1);
  };
  const many = (full: number, least = 1): number =>
    isFull ? full : Math.max(least, Math.ceil(full * SMALL_SCALE));
  const held = async (): Promise<void> => {
    begun.resolve();
    holding.resolve();
    await aborted;
  };

  /** Status 0: the connection broke. */
  const request: Target['call'] = (method, path, { key = keys.write, json, body, ...more } = {}) =>
    new Promise((resolve) => {
      const sent = json === undefined ? body : JSON.stringify(json);
      const asking = http.request(url + path, {
        method,
        agent,
        ...(LOCAL_ADDRESS !== undefined && { localAddress: LOCAL_ADDRESS }),
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
          ...more.headers,
        },
      });
      const destroy = (): void => void asking.destroy();
      open.add(destroy);
      asking.on('close', () => open.delete(destroy));
      asking.on('error', () => resolve({ status: 0, body: undefined }));
      asking.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        if (more.isUnread === true) return resolve({ status, body: undefined });
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', () => resolve({ status, body: undefined }));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const isJson = headers['content-type']?.includes('json') === true;
          resolve({ status, body: isJson ? JSON.parse(text) : text });
        });
      });
      asking.end(sent);
    });

  const call: Target['call'] = async (method, path, more) => {
    const answer = await request(method, path, more);
    saw(answer.status === 0 ? 'cut' : String(answer.status));
    if (answer.status === 0 && isFull) await delay(PAUSE_AFTER_ERROR_MS);
    return answer;
  };

  const again: Target['again'] = async (atOnce, act) => {
    begun.resolve();
    const runOnce = (index: number): Promise<unknown> =>
      act(index).catch(async (error: unknown) => {
        if (!isFull && !signal.aborted) throw error;
        await delay(PAUSE_AFTER_ERROR_MS);
      });
    const loop = async (index: number): Promise<void> => {
      while (!signal.aborted) {
        await runOnce(index);
        await turnOfLoop();
      }
    };
    const run = isFull ? loop : runOnce;
    await Promise.all(Array.from({ length: many(atOnce) }, (_, index) => run(index)));
  };

  const keep: Target['keep'] = async (count, openOne) => {
    const loop = async (first: Held | undefined): Promise<void> => {
      for (let one = first; ; one = await openOne().catch(() => undefined)) {
        await Promise.race([one?.closed ?? delay(PAUSE_AFTER_ERROR_MS), aborted]);
        if (!isFull || signal.aborted) return;
      }
    };
    const loops: Promise<void>[] = [];
    const total = many(count, 2);
    while (loops.length < total && !signal.aborted) {
      const share = Math.min(OPENED_AT_ONCE, total - loops.length);
      const opened = await Promise.all(
        Array.from({ length: share }, () => openOne().catch(() => undefined)),
      );
      loops.push(...opened.map(loop));
    }
    await held();
    await Promise.all(loops);
  };

  const tcp: Target['tcp'] = async ({ text, isRead = false } = {}) => {
    const socket = net.connect({
      host,
      port: Number(port),
      allowHalfOpen: true,
      ...(LOCAL_ADDRESS !== undefined && { localAddress: LOCAL_ADDRESS }),
    });
    const destroy = (): void => void socket.destroy();
    open.add(destroy);
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    void closed.then(() => open.delete(destroy));
    socket.on('error', () => saw('cut'));
    await once(socket, 'connect');
    if (text !== undefined) socket.write(text);
    if (isRead) {
      const [answer] = (await Promise.race([once(socket, 'data'), closed.then(() => [])])) as [
        Buffer?,
      ];
      saw(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1] ?? 'cut');
    }
    socket.pause();
    return { closed };
  };

  const socket: Target['socket'] = async (path, { origin } = {}) => {
    const one = new WebSocket(url.replace('http', 'ws') + path, {
      ...(LOCAL_ADDRESS !== undefined && { localAddress: LOCAL_ADDRESS }),
      ...(origin !== undefined && { origin }),
    });
    const destroy = (): void => one.terminate();
    open.add(destroy);
    const frames: Record<string, unknown>[] = [];
    const watchers = new Set<() => void>();
    let isOurs = false;
    let isClosed = false;
    const notify = (): void => watchers.forEach((watch) => watch());
    one.on('error', () => undefined);
    one.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return;
      frames.push(JSON.parse(data.toString()));
      if (frames.length > 100) frames.shift();
      notify();
    });
    const closed = new Promise<void>((resolve) => {
      one.on('close', (code) => {
        open.delete(destroy);
        isClosed = true;
        if (wasOpen && !isOurs) saw(`closed ${code}`);
        notify();
        resolve();
      });
    });
    let wasOpen = false;
    const isOpen = await new Promise<boolean>((resolve) => {
      one.on('open', () => resolve(true));
      one.on('unexpected-response', (asked, { statusCode }) => {
        saw(String(statusCode));
        asked.destroy();
        resolve(false);
      });
      one.on('close', () => resolve(false));
    });
    if (!isOpen) return undefined;
    wasOpen = true;
    let sentFrames = 0;
    const opened: Socket = {
      closed,
      send: async (frame) => {
        if (one.readyState !== one.OPEN) return;
        const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
        const sent = new Promise<void>((resolve) => one.send(text, () => resolve()));
        sentFrames += 1;
        if (one.bufferedAmount > UNSENT_MAX) await Promise.race([sent, closed]);
        // A peer that reads as fast keeps this loop from ever waiting.
        else if (sentFrames % FRAMES_IN_A_ROW === 0) await turnOfLoop();
      },
      ping: () => one.ping(),
      gets: (type) =>
        new Promise((resolve) => {
          const watch = (): void => {
            const found = frames.find((frame) => frame['type'] === type);
            if (!found && !isClosed) return;
            watchers.delete(watch);
            resolve(found);
          };
          watchers.add(watch);
          watch();
        }),
      close: () => {
        isOurs = true;
        one.close(1000);
      },
    };
    return opened;
  };

  const create: Target['create'] = (path, json) =>
    createShown(
      async (method, where, sent) => {
        const answer = await request(method, where, { key: keys.setUp, json: sent });
        // A conversation ends with its agent.
        const isCreated = method === 'POST' && [201, 202].includes(answer.status);
        if (isCreated && path !== '/v1/conversations') created.push(`${path}/${answer.body.id}`);
        return answer;
      },
      path,
      json,
    );

  const serve: Target['serve'] = async (listener) => {
    const server = http.createServer(listener);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  return {
    target: {
      url,
      keys,
      isFull,
      signal,
      many,
      saw,
      call,
      create,
      again,
      keep,
      held,
      tcp,
      socket,
      serve,
    },
    underway: begun.promise,
    holding: holding.promise,
    seen,
    end: () => ending.abort(),
    close: async () => {
      ending.abort();
      for (const destroy of open) destroy();
      await deleteAll(created.toReversed(), (path) => request('DELETE', path, { key: keys.setUp }));
      agent.destroy();
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Deletes the newest first. Gives up what cannot be deleted within 50 s: the product may be down. */
async function deleteAll(
  paths: readonly string[],
  remove: (path: string) => Promise<Answer>,
): Promise<void> {
  const giveUp = delay(50_000, undefined, { ref: false });
  const left = paths.values();
  // An endpoint with ten thousand unfinished deliveries takes a while, so several are deleted at the same time.
  const removing = Array.from({ length: 4 }, async () => {
    for (const path of left) await remove(path);
  });
  await Promise.race([Promise.all(removing), giveUp]);
}
