import { Socket } from 'node:net';
import pg from 'pg';

/**
 * A connection to PostgreSQL on a socket of our own, so that its silence can be noticed and ended from outside. pg
 * exposes neither its pending statements nor its socket.
 */
export class Session extends pg.Client {
  /** The raw socket. With TLS it lies below the encryption, so those bytes count as well. */
  readonly socket: Socket;
  /** Process id on the server; undefined until the pool has asked. */
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
    // Has the same parameters and results as pg's own method, in each of its signatures.
    this.query = noted as typeof this.query;
    this.once('connect', () => (this.#isConnected = true));
    this.on('drain', () => (this.#isAsked = false));
  }

  /**
   * Whether an answer to a statement or to the log-in is pending. It uses flags because pg sends statements before it
   * emits `connect`.
   */
  get isWaiting(): boolean {
    return !this.#isConnected || this.#isAsked;
  }
}
