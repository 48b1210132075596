import { setImmediate as turnOfLoop } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Session } from '../../src/platform/postgres/session.ts';

/** Statements that this process sends in sessions opened since `recordStatements`. */
export type Statements = {
  /** Returns the statements that were sent since the last call. Each text is on one line. */
  take: () => Sent[];
  /**
   * Returns the round trips of transactions since the last call: the names of the statements that a session sent before
   * it waited for their replies. A statement without a name is represented by its first word.
   */
  takeRoundTrips: () => string[][];
  /** Resolves when no session waits for a result and no further statement is sent. */
  settled: () => Promise<void>;
};

export type Sent = { name: string | undefined; text: string; count: number };

/** Number of event loop turns without a statement after which the last result will cause no further statement. */
const QUIET_TURNS = 5;

/** Records the statements of all sessions that this process opens until the test ends. */
export function recordStatements(): Statements {
  // oxlint-disable-next-line typescript/unbound-method -- bound by `Reflect.apply` below
  const { query } = pg.Client.prototype;
  const sessions = new Set<Session>();
  let sent = new Map<string, Sent>();
  let total = 0;
  let roundTrips: string[][] = [];
  /** The round trip in progress of each session that waits for replies. */
  const open = new Map<Session, string[]>();
  const inTransaction = new Set<Session>();

  function addToRoundTrip(session: Session, name: string): void {
    if (name === 'begin') inTransaction.add(session);
    const current = open.get(session);
    if (current) current.push(name);
    else {
      const begun = [name];
      open.set(session, begun);
      if (inTransaction.has(session)) roundTrips.push(begun);
    }
    if (name === 'commit' || name === 'rollback') inTransaction.delete(session);
  }

  function recording(this: Session, ...args: [unknown]): unknown {
    const { name, text } = readStatement(args[0]);
    const known = sent.get(text);
    sent.set(text, { name, text, count: (known?.count ?? 0) + 1 });
    total += 1;
    addToRoundTrip(this, name ?? text.split(' ')[0] ?? '');
    if (!sessions.has(this)) {
      sessions.add(this);
      this.on('drain', () => open.delete(this));
      this.once('end', () => sessions.delete(this));
    }
    return Reflect.apply(query, this, args);
  }
  // The cast is safe: the wrapper passes its arguments on.
  pg.Client.prototype.query = recording as typeof query;
  onTestFinished(() => {
    pg.Client.prototype.query = query;
  });

  return {
    take: () => {
      const taken = [...sent.values()];
      sent = new Map();
      return taken;
    },
    takeRoundTrips: () => {
      const taken = roundTrips;
      roundTrips = [];
      return taken;
    },
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
        const before = total;
        await turnOfLoop();
        if (total > before || [...sessions].some(({ isWaiting }) => isWaiting)) quiet = -1;
      }
    },
  };
}

function readStatement(asked: unknown): { name: string | undefined; text: string } {
  // The cast is safe: a statement is either a text or an object that contains one.
  const { name, text } =
    typeof asked === 'string'
      ? { name: undefined, text: asked }
      : (asked as { name?: string; text: string });
  return { name, text: text.replaceAll(/\s+/g, ' ').trim() };
}
