import { EgressFailure } from './failure.ts';
import type { BodySink, Flow } from './exchange.ts';

export type StreamedBody = BodySink & {
  stream: ReadableStream<Uint8Array>;
  /** Interrupts the body: the reader gets `reason` as an error, and the socket is destroyed. */
  fail: (reason: unknown) => void;
};

/** Maximum number of bytes to buffer for a slow reader. Reading from the socket pauses when the buffer is full. */
const BUFFER_BYTES = 64 * 1024;
/** Number of free bytes in the buffer at which reading resumes. It is large, so that small chunks cause few pauses. */
const RESUME_BYTES = BUFFER_BYTES / 2;

/**
 * Streams a body as it arrives. If the body exceeds `maxBytes`, the reader gets an error. With `isCutQuietly`, the
 * reader instead gets a truncated body that looks complete. `over` is called once, when the body has ended, was
 * interrupted or was canceled.
 */
export function streamBody(
  flow: Flow,
  options: { maxBytes: number; isCutQuietly: boolean; over: () => void },
): StreamedBody {
  const { maxBytes, isCutQuietly } = options;
  let control: ReadableStreamDefaultController<Uint8Array>;
  let bytes = 0;
  let isPaused = false;
  let isOver = false;
  const finish = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    settle();
    options.over();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        control = given;
      },
      pull: () => {
        if (!isPaused || (control.desiredSize ?? 0) < RESUME_BYTES) return;
        isPaused = false;
        flow.resume();
      },
      cancel: () => {
        if (isOver) return;
        finish(() => {});
        flow.cut();
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.length },
  );
  const tooLong = (): void => {
    finish(() => (isCutQuietly ? control.close() : control.error(tooLongFailure(maxBytes))));
    // Deferred, because the parser does not expect its socket to be destroyed inside a callback.
    queueMicrotask(flow.cut);
  };

  return {
    stream,
    push: (chunk) => {
      if (isOver) return;
      bytes += chunk.length;
      if (bytes > maxBytes) return tooLong();
      control.enqueue(chunk);
      if (isPaused || (control.desiredSize ?? 0) > 0) return;
      isPaused = true;
      flow.pause();
    },
    end: (error) =>
      finish(() => (error === undefined ? control.close() : control.error(brokeOff(error)))),
    fail: (reason) => {
      if (isOver) return;
      finish(() => control.error(reason));
      flow.cut();
    },
  };
}

function tooLongFailure(maxBytes: number): EgressFailure {
  return new EgressFailure('connect', `The server sent more than ${maxBytes} bytes.`);
}

function brokeOff(cause: unknown): EgressFailure {
  return new EgressFailure(
    'connect',
    'The server closed the connection in the middle of its response.',
    { cause },
  );
}
