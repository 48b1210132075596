import { Socket } from 'node:net';
import pg from 'pg';

/**
 * A connection to PostgreSQL on a socket of ours, so that its silence can be seen, and ended, from
 * outside: pg tells neither what it waits for nor on which socket.
 */
export class Session extends pg.Client {
  /** With TLS, what is below it: its bytes count as well. */
  readonly socket: Socket;
  /** Of the server's process; undefined until the pool has asked. */
  pid: number | undefined;
  #isConnected = false;
  #isAsked = false;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
    const ask: (...args: never[]) => unknown = this.query.bind(this);
    const noted = (...args: never[]): unknown => {
      this.#isAsked = true;
      return ask(...args);
    };
    // It takes and answers what pg's own does, in each of its signatures.
    this.query = noted as typeof this.query;
    this.once('connect', () => (this.#isConnected = true));
    this.on('drain', () => (this.#isAsked = false));
  }

  /** For an answer to a statement, or to the log-in. Flags: pg asks before it says `connect`. */
  get isWaiting(): boolean {
    return !this.#isConnected || this.#isAsked;
  }
}
