import { Socket } from 'node:net';
import pg from 'pg';

/**
 * Connection to PostgreSQL on a socket that we create, so that silent-connections.ts can detect a connection that no
 * longer responds, and end it. The `pg` library exposes neither its pending statements nor its socket.
 */
export class Session extends pg.Client {
  /** The raw socket. With TLS it carries the encrypted bytes, which count as activity too. */
  readonly socket: Socket;
  /** Process id of the session on the server. It is undefined until the pool has queried it. */
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
      // Sends all statements that are issued in the same tick with a single write, because each write to the socket
      // costs much CPU time.
      socket.cork();
      process.nextTick(() => socket.uncork());
      return ask(...args);
    };
    // The cast is safe, because the wrapper has the same parameters and results as each overload of `pg`.
    this.query = noted as typeof this.query;
    this.once('connect', () => (this.#isConnected = true));
    this.on('drain', () => (this.#isAsked = false));
  }

  /**
   * True while a reply to a statement or to the login is pending. Two flags track this, because `pg` already sends
   * statements before it emits `connect`.
   */
  get isWaiting(): boolean {
    return !this.#isConnected || this.#isAsked;
  }
}
