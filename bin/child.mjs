/**
 * Preloaded into the program that bootstrap.mjs runs. One Ctrl-C reaches that program up to three times: from the
 * terminal, from npm and from the bootstrap process. This file drops the repeated signals. A bootstrap process that is
 * ended by SIGKILL cannot forward a signal, so this file sends SIGTERM to the program when its parent dies.
 */
import { isMainThread } from 'node:worker_threads';

/**
 * A signal within this time in ms after the same signal is dropped as a repeat. Repeats arrive within a few ms. If a
 * user presses Ctrl-C a second time, that signal arrives later.
 */
const repeatMs = 300;
const signals = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

// Forked processes and workers also load this file, but bootstrap.mjs is not their parent.
if (isMainThread && process.env.PARLEY_BOOTSTRAP_PID === String(process.ppid)) {
  delete process.env.PARLEY_BOOTSTRAP_PID;
  dropRepeatedSignals();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Without `unref`, the listener for `disconnect` would keep the channel open and the program alive.
  process.channel?.unref();
}

/**
 * Replaces `process.emit`, through which Node emits signals. Node reads this method when a listener for a signal is
 * added, which happens after this file is loaded.
 */
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
