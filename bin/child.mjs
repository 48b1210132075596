/**
 * Loaded first into the program that the bootstrap runs. One Ctrl-C reaches that program up to three
 * times (from the terminal, from npm, from the bootstrap), and a bootstrap ended by SIGKILL can send
 * it nothing at all; with this, one is one, and none is SIGTERM.
 */
import { isMainThread } from 'node:worker_threads';

/** Copies arrive within a few ms; a person who presses Ctrl-C again means it. */
const repeatMs = 300;
const signals = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

// A forked process or a worker inherits the flag that loads this file, but has another parent.
if (isMainThread && process.env.PARLEY_BOOTSTRAP_PID === String(process.ppid)) {
  delete process.env.PARLEY_BOOTSTRAP_PID;
  dropRepeatedSignals();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // A listener would keep the program alive for the channel's sake.
  process.channel?.unref();
}

/** Node emits a signal through this method, taken when a listener is added: later than now. */
function dropRepeatedSignals() {
  const lastAt = new Map();
  const emit = process.emit.bind(process);
  process.emit = function emitOnce(name, ...args) {
    if (signals.has(name)) {
      const now = performance.now();
      const isRepeat = now - (lastAt.get(name) ?? -Infinity) < repeatMs;
      lastAt.set(name, now);
      if (isRepeat) return true;
    }
    return emit(name, ...args);
  };
}
