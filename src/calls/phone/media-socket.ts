import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Socket, SocketRoute } from '../../platform/http/sockets/sockets.ts';
import { decodeMuLaw, encodeMuLaw, MU_LAW_SILENCE } from '../../voice/audio/mu-law.ts';
import type { SpeechProviders } from '../../voice/speech-providers.ts';
import { createAudioLine, type AudioLine } from '../../voice/session/audio-line.ts';
import type { Line, LineEvent } from '../../voice/session/line.ts';
import { createPlayout } from '../../voice/playout/playout.ts';
import { createSilentOutput } from '../../voice/playout/text-output.ts';
import type { LineFor, Lines, OpenLine } from '../lines/lines.ts';
import { createVoicePipeline } from '../../voice/session/voice-pipeline.ts';
import type { AudioFormat } from '../../voice/playout/audio-queue.ts';
import type { TurnTimes } from '../../voice/session/turn-times.ts';
import { pathsOf, type Carrier, type MediaFrames } from '../../carriers/carrier.ts';
import { isMuLaw, type MediaFrame, type StartFrame } from '../../carriers/media.ts';
import { createMediaTrack } from './media-track.ts';

/** Maximum size of a frame in bytes. A frame with 20 ms of audio is about 300 bytes long. */
const FRAME_BYTES_MAX = 64 * 1024;
/** Time in ms that the carrier has to present the token. */
const START_MS = 5_000;
/**
 * Maximum number of consecutive unknown frames. A client that sends more is probably not a carrier, so its socket is
 * closed.
 */
const UNKNOWN_MAX = 50;

const FORMAT: AudioFormat = {
  sampleRate: 8_000,
  bytesPerFrame: 160,
  silence: MU_LAW_SILENCE,
  encode: encodeMuLaw,
};

export type MediaSocketDeps = {
  /** Called for each reply with the time that the user waited, in total and by part. */
  onTimes: (times: TurnTimes) => void;
  lines: Pick<Lines, 'open'>;
  providers: SpeechProviders;
  log: Logger;
};

/**
 * Returns the socket route for Media Streams, over which the carrier exchanges audio as µ-law. The first frames are
 * `connected` and `start`. `start` contains the token from the XML response. Without a valid token, the socket is
 * closed and no other frames are read.
 */
export function mediaSocket(
  deps: MediaSocketDeps,
  { media, type }: Pick<Carrier, 'media' | 'type'>,
): SocketRoute {
  return {
    path: pathsOf(type).media,
    frameBytesMax: FRAME_BYTES_MAX,
    accept: (socket) => {
      let stream: ReturnType<typeof openStream> | undefined;
      let unknown = 0;
      const tooLate = setTimeout(() => socket.close(1008, 'no start frame in time'), START_MS);
      return {
        onText: (text) => {
          const frame = media.read(text);
          if (!frame) {
            unknown += 1;
            if (unknown > UNKNOWN_MAX)
              socket.close(1003, 'frames do not have the Media Streams format');
            return undefined;
          }
          unknown = 0;
          if (stream) return stream.take(frame);
          if (frame.event !== 'start') return undefined;
          clearTimeout(tooLate);
          if (isMuLaw(frame.start)) stream = openStream(deps, { socket, media }, frame.start);
          else socket.close(1003, 'audio must be 8000 Hz µ-law');
          return undefined;
        },
        onClose: () => {
          clearTimeout(tooLate);
          stream?.closed();
        },
      };
    },
  };
}

type Way = { socket: Socket; media: MediaFrames };

/** Opens the line of a stream that has presented a token. */
function openStream(
  { lines, log, onTimes, providers }: MediaSocketDeps,
  way: Way,
  { callSid, streamSid, customParameters }: StartFrame,
): { take: (frame: MediaFrame) => Promise<void> | undefined; closed: () => void } {
  const { socket } = way;
  let opened: OpenLine | undefined;
  let audio: AudioLine | undefined;
  const onFlood = (): void =>
    log.warn({ callSid }, 'dropping audio: the carrier sends faster than real time');
  const track = createMediaTrack({ nowMs: monotonicMs, onFlood });
  const on = (event: LineEvent): Promise<void> | undefined => opened?.on(event);

  const lineFor: LineFor = ({ namespace, content }) => {
    if (!content) return silentLine(socket);
    const pipeline = createVoicePipeline(providers, {
      namespace,
      content,
      sampleRate: FORMAT.sampleRate,
    });
    const sink = sinkOf(way, streamSid);
    audio = createAudioLine({ pipeline, format: FORMAT, sink, on, onTimes, log });
    return audio;
  };

  const take = (frame: MediaFrame): void => {
    if (frame.event === 'media') {
      const sound = track.take(frame.media);
      if (sound) audio?.hear(decodeMuLaw(sound));
    } else if (frame.event === 'mark') audio?.played(frame.mark.name);
    else if (frame.event === 'dtmf') audio?.press(frame.dtmf.digit);
    else if (frame.event === 'stop') socket.close();
  };

  const token = customParameters?.['token'];
  const asked = { token: String(token), providerCallId: callSid, lineFor };
  const opening = typeof token === 'string' ? lines.open(asked) : Promise.resolve(undefined);
  const ready = opening
    .catch((error: unknown) => {
      log.error({ reason: reasonOf(error) }, 'could not open the line for a call');
      return undefined;
    })
    .then((line) => {
      opened = line;
      if (!line) return socket.close(1008, 'the token is not valid for a call');
      if (!socket.admit(line.namespace)) return socket.close(1013, 'too many open connections');
    });

  return {
    // Frames that arrive before the line is open are handled once it is open.
    take: (frame) => {
      if (!opened) return ready.then(() => take(frame));
      take(frame);
      return undefined;
    },
    closed: () => {
      void ready.then(() => {
        audio?.close();
        return opened?.closed();
      });
    },
  };
}

function sinkOf({ socket, media }: Way, streamSid: string) {
  return {
    frame: (bytes: Uint8Array) => socket.send(media.sound(streamSid, bytes)),
    mark: (name: string) => socket.send(media.mark(streamSid, name)),
    clear: () => socket.send(media.clear(streamSid)),
    close: () => socket.close(),
  };
}

/**
 * Returns a line without audio, for a call that no agent can answer. Without an agent, there is no voice to speak with.
 */
function silentLine(socket: Socket): Line {
  return { playout: createPlayout(createSilentOutput()), end: () => socket.close() };
}
