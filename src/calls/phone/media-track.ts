import { MU_LAW_SILENCE } from '../../voice/audio/mu-law.ts';
import { createAudioLimit } from '../../voice/input/audio-limit.ts';
import type { Media } from '../../carriers/media.ts';

/** Turns the user's audio into a stream without gaps, even if the network loses, repeats or reorders frames. */
export type MediaTrack = {
  /** Returns the next audio as µ-law, or undefined if the frame was dropped. */
  take: (media: Media) => Uint8Array | undefined;
};

const BYTES_PER_MS = 8;
/**
 * Minimum gap in ms to fill with silence. Smaller differences between the timestamps of frames result from inexact
 * clocks.
 */
const GAP_MS_MIN = 20;
/** Maximum silence in ms that is inserted into one gap. Longer gaps are only partly filled. */
const GAP_MS_MAX = 1_000;

type Deps = {
  nowMs: () => number;
  /** Called once, when audio first arrives faster than the limit. */
  onFlood: () => void;
};

/** Creates a track. Drops repeated and late frames, and fills gaps with silence. */
export function createMediaTrack(deps: Deps): MediaTrack {
  const audioLimit = createAudioLimit(deps);
  let lastChunk = 0;
  let nextMs: number | undefined;

  return {
    take: ({ track = 'inbound', chunk, timestamp, payload }) => {
      if (track !== 'inbound' && track !== 'inbound_track') return undefined;
      const sound = Buffer.from(payload, 'base64');
      if (sound.length === 0) return undefined;
      if (chunk !== undefined && chunk <= lastChunk) return undefined;
      const gapMs = timestamp === undefined || nextMs === undefined ? 0 : timestamp - nextMs;
      if (gapMs <= -GAP_MS_MIN && chunk === undefined) return undefined;
      const soundMs = sound.length / BYTES_PER_MS;
      const restMs = Math.floor(audioLimit.allowedMs() - soundMs);
      if (restMs < 0) {
        audioLimit.drop();
        return undefined;
      }
      const silentMs = gapMs >= GAP_MS_MIN ? Math.min(gapMs, GAP_MS_MAX, restMs) : 0;
      audioLimit.spend(soundMs + silentMs);
      lastChunk = chunk ?? lastChunk;
      if (timestamp !== undefined) nextMs = timestamp + soundMs;
      if (silentMs === 0) return sound;
      return Buffer.concat([Buffer.alloc(silentMs * BYTES_PER_MS, MU_LAW_SILENCE), sound]);
    },
  };
}
