import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Socket, SocketRoute } from '../../platform/http/sockets/sockets.ts';
import type { Line } from '../../voice/session/line.ts';
import { createPlayout } from '../../voice/playout/playout.ts';
import { createTextOutput } from '../../voice/playout/text-output.ts';
import type { Lines, OpenLine } from '../lines/lines.ts';
import { createMessageLimit } from '../../voice/input/message-limit.ts';
import { pathsOf, type Relay, type RelayFrame } from '../../carriers/carrier.ts';

/** Maximum size of a frame in bytes. The text of a ten-minute utterance takes up a third of it. */
const FRAME_BYTES_MAX = 64 * 1024;
/** Time in ms that the carrier has to present the token. */
const SETUP_MS = 5_000;
/**
 * Maximum number of consecutive unknown frames. A client that sends more is probably not a carrier, so its socket is
 * closed.
 */
const UNKNOWN_MAX = 50;
/**
 * Limits on the user's utterances. An utterance is pending until it is stored. A user cannot speak fast enough to reach
 * the limits, even if the database is unavailable for a minute.
 */
const PROMPTS = { pending: 20, pendingChars: 64_000, burst: 40, perSec: 2 };

/**
 * Returns the socket route for ConversationRelay: the carrier transcribes and synthesizes the speech, and exchanges
 * text with this server. The first frame contains the token from the XML response. Without a valid token, the socket is
 * closed and no other frames are read.
 */
export function relaySocket(
  { lines, log }: { lines: Pick<Lines, 'open'>; log: Logger },
  { relay, type }: { relay: Relay; type: string },
): SocketRoute {
  return {
    path: pathsOf(type).relay,
    frameBytesMax: FRAME_BYTES_MAX,
    accept: (socket) => {
      let opening: Promise<OpenLine | undefined> | undefined;
      let opened: OpenLine | undefined;
      let unknown = 0;
      const tooLate = setTimeout(() => socket.close(1008, 'no setup frame in time'), SETUP_MS);

      const prompts = createMessageLimit(PROMPTS);

      const take = (frame: RelayFrame): void => {
        if (frame.type === 'error')
          log.warn({ reason: frame.description }, 'the carrier rejected a frame');
        if (frame.type === 'interrupted' || frame.type === 'digit') return void opened?.on(frame);
        if (frame.type !== 'heard') return;
        if (!prompts.allows(frame.text)) return socket.close(1008, 'too many prompts');
        prompts.add(frame.text, opened?.on(frame));
      };

      const open = async (frame: RelayFrame): Promise<OpenLine | undefined> => {
        if (frame.type !== 'setup' || typeof frame.token !== 'string') return undefined;
        const { callId, token } = frame;
        return lines.open({ token, providerCallId: callId, lineFor: () => lineOf(socket, relay) });
      };

      const begin = (frame: RelayFrame): Promise<void> => {
        clearTimeout(tooLate);
        opening = open(frame).catch((error: unknown) => {
          log.error({ reason: reasonOf(error) }, 'could not open the line for a call');
          return undefined;
        });
        return opening.then((line) => {
          if (!line) return socket.close(1008, 'the token is not valid for a call');
          if (!socket.admit(line.namespace)) return socket.close(1013, 'too many open connections');
          opened = line;
        });
      };

      return {
        onText: (text) => {
          const frame = relay.read(text);
          if (!frame) {
            unknown += 1;
            if (unknown > UNKNOWN_MAX)
              socket.close(1003, 'frames do not have the ConversationRelay format');
            return undefined;
          }
          unknown = 0;
          if (opening === undefined) return begin(frame);
          if (!opened) return opening.then(() => take(frame));
          take(frame);
          return undefined;
        },
        onClose: () => {
          clearTimeout(tooLate);
          void opening?.then((line) => line?.closed());
        },
      };
    },
  };
}

function lineOf(socket: Socket, relay: Relay): Line {
  const output = createTextOutput({
    say: (words, allowInterruptions) => socket.send(relay.say(words, !allowInterruptions)),
    endSegment: (allowInterruptions) => socket.send(relay.last(!allowInterruptions)),
    sendKeys: (keys) => socket.send(relay.keys(keys)),
  });
  return {
    playout: createPlayout(output),
    end: (why) => {
      socket.send(relay.end(why));
      socket.close();
    },
  };
}
