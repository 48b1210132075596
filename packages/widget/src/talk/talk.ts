import { backoffMs } from './backoff.ts';
import { readFrame, type ClientFrame, type Mode, type ServerFrame } from './frames.ts';
import { createStore } from './store.ts';
import { afterFrame, NO_TALK, type TalkState } from './talk-state.ts';
import { isFresh, type TalkToken } from './token.ts';
import { TalkError, troubleOf } from './trouble.ts';

export type TalkEvents = {
  /** Returns a token. Called again when the previous token has expired or is about to expire. */
  getToken: () => Promise<TalkToken>;
  onReady?: (resume: string, mode: Mode) => void;
  /** Called when the talk has ended for any reason. It cannot be resumed afterwards. */
  onOver?: () => void;
  /** Called with audio, as PCM16 at 16 kHz. */
  onSound?: (frame: ArrayBuffer) => void;
  onMark?: (name: string) => void;
  /** Called when audio that has not been played yet must be dropped. */
  onClear?: () => void;
};

/** Retry settings. After a broken connection, a call can be resumed for 10 s, and a chat until its silence timeout. */
const TRIES = {
  voice: { firstMs: 200, longestMs: 2_000, giveUpMs: 10_000 },
  chat: { firstMs: 500, longestMs: 15_000, giveUpMs: Infinity },
} as const;
/** Maximum number of attempts to start a talk. The limit is low, because the user is waiting and can try again. */
const FIRST_TRIES_MAX = 3;

/**
 * Close codes after which the widget does not reconnect by itself. After 1013 (a limit is reached), the user can retry.
 */
const FINAL = new Set([1003, 1008, 1013]);
/**
 * Time in ms after `ready` within which all stored turns have arrived. After it, sent messages that are not among these
 * turns become `unsure`.
 */
const STORED_MS = 3_000;
/** Maximum time in ms to wait until the server confirms the end of the conversation. */
const END_MS = 2_000;
/** Maximum number of bytes of audio that may be queued in the browser: two seconds. Further audio is dropped. */
const BUFFERED_MAX = 64_000;

/**
 * Client of a talk. It manages the talk's sockets, one at a time, and the state of the conversation. It contains no
 * code for audio or the DOM. Other classes play the audio that `Talk` reports to `events`, and subscribe to the state
 * in order to display it.
 */
export class Talk {
  readonly #store = createStore(NO_TALK);
  readonly #events: TalkEvents;
  #socket: WebSocket | undefined;
  #token: TalkToken | undefined;
  /** Resume token from the last `ready` frame. */
  #resume: string | undefined;
  #tries = 0;
  #brokenSinceMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askTimer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the current connection. A token that arrives for an earlier connection is ignored. */
  #era = 0;
  #saidBefore = 0;
  #isEnding = false;

  constructor(events: TalkEvents) {
    this.#events = events;
  }

  readonly get = (): TalkState => this.#store.get();

  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener);

  /** Starts a talk. @param resume token from an earlier `onReady`, in order to continue the same conversation */
  start(mode: Mode, resume?: string): void {
    this.#letGo();
    this.#resume = resume;
    this.#tries = 0;
    this.#brokenSinceMs = undefined;
    this.#store.set({ ...NO_TALK, phase: 'connecting', mode });
    void this.#connect();
  }

  /** Sends a message. If the talk is not open yet, the message is sent as soon as the talk opens. */
  say(text: string): void {
    this.#say((this.#saidBefore += 1), text);
  }

  /** Sends an `unsure` message of `said` again. */
  sayAgain(id: number): void {
    const one = this.get().said.find((said) => said.id === id);
    if (one) this.#say(id, one.text);
  }

  /** Sends PCM16 at 16 kHz. The audio is dropped if the talk is not open or the queue is full. */
  sendSound(samples: ArrayBuffer): void {
    const socket = this.#socket;
    if (this.get().phase !== 'open' || socket?.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount <= BUFFERED_MAX) socket.send(samples);
  }

  /** Reports that all audio before a mark has been played. */
  played(name: string): void {
    this.#send({ type: 'played', name });
  }

  /** Ends the conversation. Waits briefly until the server confirms it. */
  end(): void {
    const ended = { phase: 'ended', status: 'ended', reason: 'user_hangup', reply: '' } as const;
    if (this.get().phase !== 'open') return this.#over(ended);
    this.#send({ type: 'end' });
    this.#isEnding = true;
    this.#timer = setTimeout(() => this.#over(ended), END_MS);
    return undefined;
  }

  /** Disconnects without ending the conversation. The conversation can be resumed. */
  leave(): void {
    this.#letGo();
    this.#resume = undefined;
    this.#store.set(NO_TALK);
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #letGo(): void {
    this.#era += 1;
    this.#isEnding = false;
    this.#stopWaiting();
    const old = this.#socket;
    this.#socket = undefined;
    old?.close(1000);
  }

  #over(changed: Partial<TalkState>): void {
    this.#letGo();
    this.#resume = undefined;
    this.#store.set(changed);
    this.#events.onOver?.();
  }

  async #connect(): Promise<void> {
    const era = (this.#era += 1);
    try {
      if (!this.#token || !isFresh(this.#token, Date.now())) {
        this.#token = undefined;
        const token = await this.#events.getToken();
        if (this.#era !== era) return;
        this.#token = token;
      }
      this.#open(this.#token);
    } catch (error) {
      if (this.#era !== era) return;
      const trouble = troubleOf(error);
      const isPassing = trouble.code === 'offline' || trouble.code === 'unavailable';
      if (isPassing && this.#resume !== undefined) this.#tryAgain(trouble);
      else this.#over({ phase: 'failed', error: trouble });
    }
  }

  #open({ socket_url: url, token }: TalkToken): void {
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    let refusal: TalkError | undefined;
    socket.addEventListener('open', () => {
      const { mode } = this.get();
      const resume = this.#resume;
      this.#send({ type: 'start', token, mode, ...(resume !== undefined && { resume }) });
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#socket !== socket) return;
      if (typeof data !== 'string') return this.#events.onSound?.(data);
      const frame = readFrame(data);
      if (frame?.type === 'error') refusal = new TalkError(frame.code, frame.detail);
      else if (frame) this.#take(frame);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      // Code 1008 may mean that the server refused the token, so the next connection requests a new one.
      if (code === 1008) this.#token = undefined;
      const why = refusal ?? new TalkError('offline', reason || `the socket closed (${code})`);
      if (this.#isEnding) this.#over({ phase: 'ended', status: 'ended', reply: '' });
      else if (FINAL.has(code)) this.#over({ phase: 'failed', error: why });
      else this.#tryAgain(why);
    });
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'ready') return this.#takeReady(frame);
    if (frame.type === 'mark') return this.#events.onMark?.(frame.name);
    if (frame.type === 'clear') return this.#events.onClear?.();
    const changed = afterFrame(this.get(), frame);
    if (frame.type === 'ended') this.#over(changed);
    else this.#store.set(changed);
  }

  #takeReady(frame: Extract<ServerFrame, { type: 'ready' }>): void {
    const isAgain = this.get().conversationId === frame.conversation_id;
    this.#resume = frame.resume;
    this.#tries = 0;
    this.#brokenSinceMs = undefined;
    this.#store.set(afterFrame(this.get(), frame));
    this.#events.onReady?.(frame.resume, frame.mode);
    const { said } = this.get();
    if (isAgain) this.#askWhatCame(said.filter(({ state }) => state === 'sent'));
    for (const { id, text, state } of said) if (state === 'waiting') this.#say(id, text);
  }

  /**
   * Marks messages as `unsure` if they were sent before the connection broke and are not among the stored turns that
   * arrive within `STORED_MS`.
   */
  #askWhatCame(sent: readonly { id: number }[]): void {
    if (sent.length === 0) return;
    this.#askTimer = setTimeout(() => {
      const ids = new Set(sent.map(({ id }) => id));
      const said = this.get().said.map((one) =>
        ids.has(one.id) ? { ...one, state: 'unsure' as const } : one,
      );
      this.#store.set({ said });
    }, STORED_MS);
  }

  #tryAgain(why: TalkError): void {
    const { giveUpMs, ...delays } = TRIES[this.get().mode];
    this.#brokenSinceMs ??= Date.now();
    const isLost = Date.now() - this.#brokenSinceMs >= giveUpMs;
    const isNever = this.#resume === undefined && this.#tries + 1 >= FIRST_TRIES_MAX;
    if (isLost || isNever) return this.#over({ phase: 'failed', error: why });
    this.#events.onClear?.();
    this.#store.set({ phase: 'waiting', reply: '', error: why });
    this.#timer = setTimeout(this.#connectNow, backoffMs(this.#tries, delays));
    this.#tries += 1;
    addEventListener('online', this.#connectNow);
  }

  readonly #connectNow = (): void => {
    this.#stopWaiting();
    void this.#connect();
  };

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#askTimer);
    removeEventListener('online', this.#connectNow);
  }

  #say(id: number, text: string): void {
    const isOpen = this.get().phase === 'open';
    if (isOpen) this.#send({ type: 'message', text });
    const others = this.get().said.filter((one) => one.id !== id);
    this.#store.set({ said: [...others, { id, text, state: isOpen ? 'sent' : 'waiting' }] });
  }
}
