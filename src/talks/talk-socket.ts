import { clearTimeout, setTimeout } from '../clock.ts';
import { readConversation } from '../conversations/record/conversations.sql.ts';
import { ApiError, reasonOf } from '../errors.ts';
import type {
  Opened,
  Socket,
  SocketHandlers,
  SocketRoute,
} from '../platform/http/sockets/sockets.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { admitTalk, type AdmitDeps } from './admit-talk.ts';
import { openChat, type ChatDeps } from './chat-line.ts';
import type { OpenedTalk } from './opened-talk.ts';
import { badStart, elsewhere, refuseTalk, WrongFrames } from './refuse-talk.ts';
import { createFrameTaker, type Incoming } from './take-frame.ts';
import { createTalkCaptions } from './talk-captions.ts';
import { readPageFrame, TALK_PATH, type SendFrame, type StartFrame } from './talk-frames.ts';
import { tokenKey } from './talk-token.ts';
import { createTalkWindows, type TalkWindows } from './talk-windows.ts';
import { createVoiceTalks, type VoiceTalkDeps, type VoiceTalks } from './voice-line.ts';

const FRAME_BYTES_MAX = 64 * 1024;
/** Maximum number of bytes of text in one burst. It is several times what the message limits allow. */
const BURST_BYTES = 512 * 1024;
/** Maximum wait in ms for the first frame. A page that has a token sends this frame immediately. */
const START_MS = 5_000;
/** Number of consecutive unknown frames after which the socket is closed. */
const UNKNOWN_MAX = 50;
/** Maximum number of sockets per process, so that anonymous visitors leave capacity for phone calls. */
const OPEN_MAX = 1_000;
/** Close codes which mean that the page was left or closed the socket deliberately (RFC 6455 §7.4.1). */
const ORDERLY: readonly number[] = [1000, 1001];

export type TalkSocketDeps = AdmitDeps &
  Omit<ChatDeps, 'windows'> &
  VoiceTalkDeps & { log: Logger };

/**
 * Creates the socket route for web pages (contract/talks.md#socket). The first frame must be a `start` frame with a
 * token.
 */
export function talkSocket(deps: TalkSocketDeps): SocketRoute {
  const voices = createVoiceTalks(deps);
  const windows = createTalkWindows();
  return {
    path: TALK_PATH,
    frameBytesMax: FRAME_BYTES_MAX,
    burstBytes: BURST_BYTES,
    openMax: OPEN_MAX,
    accept: (socket, opened) => accept({ ...deps, voices, windows }, socket, opened),
  };
}

type AcceptDeps = TalkSocketDeps & { voices: VoiceTalks; windows: TalkWindows };

function accept(deps: AcceptDeps, socket: Socket, opened: Opened): SocketHandlers {
  let opening: Promise<void> | undefined;
  let talk: OpenedTalk | undefined;
  let takeNext: ReturnType<typeof createFrameTaker> | undefined;
  let unknown = 0;
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    refuseTalk(deps, socket, error);
    // Closes the talk immediately. The page may take a second to close the socket, and messages that are still queued
    // must not be stored during that time.
    closeTalk({ isOrderly: false });
  };
  let isClosed = false;
  function closeTalk({ isOrderly }: { isOrderly: boolean }): void {
    if (isClosed) return;
    isClosed = true;
    void opening
      ?.then(() => talk?.closed(isOrderly))
      .catch((error: unknown) => {
        // If closing fails, the talk ends when its lease or its silence timeout expires.
        deps.log.warn({ reason: reasonOf(error) }, 'could not close a talk');
      });
  }
  const tooLate = setTimeout(() => fail(badStart('Send a `start` frame within 5 s.')), START_MS);

  async function open(start: StartFrame): Promise<void> {
    talk = await openTalk(deps, socket, { start, opened, fail, isGone: () => isOver });
    if (!talk) return;
    const messages = deps.limits.messagesOf(tokenKey(start.token));
    const { takeNoMore } = socket;
    takeNext = createFrameTaker(talk, { messages, fail, takeNoMore });
  }

  function take(frame: Incoming): Promise<void> | undefined {
    if (isOver) return undefined;
    if (takeNext) {
      takeNext(frame);
      return undefined;
    }
    if (Buffer.isBuffer(frame) || frame.type !== 'start') {
      fail(badStart(NO_START));
      return undefined;
    }
    clearTimeout(tooLate);
    opening = open(frame).catch(fail);
    return opening;
  }

  function takeText(text: string): Promise<void> | undefined {
    if (isOver) return undefined;
    const frame = readPageFrame(text);
    unknown = frame ? 0 : unknown + 1;
    if (frame) return take(frame);
    if (!opening) fail(badStart(NO_START));
    else if (unknown >= UNKNOWN_MAX) fail(new WrongFrames('The frames have an unknown format.'));
    return undefined;
  }

  /** Wraps a handler so that frames after `start` wait, unparsed, until the talk is open. */
  function onceOpen<T>(takeOne: (what: T) => Promise<void> | undefined) {
    return (what: T): Promise<void> | undefined => {
      if (!opening || takeNext) return takeOne(what);
      return opening.then(() => (takeNext ? takeOne(what) : undefined));
    };
  }

  return {
    onText: onceOpen(takeText),
    onBytes: onceOpen(take),
    onClose: (code) => {
      isOver = true;
      clearTimeout(tooLate);
      closeTalk({ isOrderly: ORDERLY.includes(code) });
    },
  };
}

const NO_START = 'The first frame must be a `start` frame with a token.';

type Opening = {
  start: StartFrame;
  opened: Opened;
  fail: (error: unknown) => void;
  isGone: () => boolean;
};

/**
 * Opens a talk. Returns undefined if the page has disconnected or the talk has already ended.
 * @throws ApiError as thrown by `admitTalk` and by the function that opens a talk in this mode
 */
async function openTalk(
  deps: AcceptDeps,
  socket: Socket,
  { start, opened, fail, isGone }: Opening,
): Promise<OpenedTalk | undefined> {
  const send: SendFrame = (frame) => socket.send(JSON.stringify(frame));
  const sayEnd = (reason: string): void => {
    send({ type: 'ended', reason });
    socket.close();
  };
  const admitted = await admitTalk(deps, start, opened);
  if (isGone()) return undefined;
  if (!socket.admit(admitted.token.namespace)) throw noPlace();
  if (admitted.over !== undefined) {
    sayEnd(admitted.over);
    return undefined;
  }
  const captions = createTalkCaptions(send);
  const leave = (): void => fail(elsewhere());
  const finish = (id: string | undefined, known?: string): void => {
    const told = captions.endedReason() ?? known;
    if (told !== undefined) return sayEnd(told);
    void whyEnded(deps, admitted.token.namespace, id).then((reason) =>
      reason === undefined ? leave() : sayEnd(reason),
    );
  };
  const about = { admitted, captions, send, sendSound: socket.sendBytes, finish, leave };
  return start.mode === 'chat' ? openChat(deps, about) : deps.voices.open(about);
}

function noPlace(): ApiError {
  const detail = 'This namespace has too many open talks on this server. Try again in 10 seconds.';
  return new ApiError('unavailable', detail, { retryAfterSec: 10 });
}

/** Returns why a conversation ended, or undefined if it continues elsewhere or the reason is unknown. */
async function whyEnded(
  { pool }: Pick<AcceptDeps, 'pool'>,
  namespace: string,
  id: string | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  try {
    // An erased conversation no longer has a row.
    const row = await readConversation(pool, { namespace, id });
    return row ? (row.endedReason ?? undefined) : 'deleted';
  } catch {
    return undefined;
  }
}
