/** Events can be replayed, and the stream resumed, for 30 days (contract §4). */
export const REPLAY_WINDOW_MS = 30 * 86_400_000;
