import { ApiError, reasonOf } from '../errors.ts';
import type {
  Opened,
  Socket,
  SocketHandlers,
  SocketRoute,
} from '../platform/http/sockets/sockets.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { MessageBody } from '../conversations/record/conversation.view.ts';
import { textProblem } from '../platform/http/json-text.ts';
import { admitTalk, type AdmitDeps } from './admit-talk.ts';
import { openChat, type ChatDeps } from './chat-line.ts';
import type { OpenedTalk, TalkToOpen } from './opened-talk.ts';
import { createTalkCaptions } from './talk-captions.ts';
import { readPageFrame, type PageFrame, type SendFrame, type StartFrame } from './talk-frames.ts';
import { createVoiceTalks, type VoiceTalkDeps, type VoiceTalks } from './voice-line.ts';

export const TALK_PATH = '/v1/talk';

const FRAME_BYTES_MAX = 64 * 1024;
/** A quarter of a second. */
const SOUND_BYTES_MAX = 8 * 1024;
/** Who has a token shows it at once. */
const START_MS = 5_000;
/** Frames that say nothing we know, one after the other. */
const UNKNOWN_MAX = 50;
/** Of what comes while a talk is opened; of sound the newest is kept. */
const EARLY_MAX = 100;
/** Of the sockets of a process: strangers leave room for telephones. */
const OPEN_MAX = 1_000;

export type TalkSocketDeps = AdmitDeps & ChatDeps & VoiceTalkDeps & { log: Logger };

/** The socket of a web page (contract §4, talks): nothing is read before a first frame with a token. */
export function talkSocket(deps: TalkSocketDeps): SocketRoute {
  const voices = createVoiceTalks(deps);
  return {
    path: TALK_PATH,
    frameBytesMax: FRAME_BYTES_MAX,
    openMax: OPEN_MAX,
    accept: (socket, opened) => accept({ ...deps, voices }, socket, opened),
  };
}

type Incoming = PageFrame | Buffer;

function accept(
  deps: TalkSocketDeps & { voices: VoiceTalks },
  socket: Socket,
  opened: Opened,
): SocketHandlers {
  const { log } = deps;
  let opening: Promise<void> | undefined;
  let talk: OpenedTalk | undefined;
  let early: Incoming[] = [];
  let unknown = 0;
  let closedBy: number | undefined;
  const send: SendFrame = (frame) => socket.send(JSON.stringify(frame));
  const fail = (error: unknown): void => refuse(deps, socket, error);
  const tooLate = setTimeout(() => fail(badStart('no start within 5 s')), START_MS);

  function take(frame: Incoming): void {
    if (!talk) return;
    if (Buffer.isBuffer(frame)) return takeSound(talk, frame, fail);
    if (frame.type === 'message') {
      const problem = problemOf(frame);
      if (problem) return fail(problem);
      talk.write(frame.text);
    } else if (frame.type === 'played') talk.played(frame.name);
    else if (frame.type === 'end') {
      talk.end().catch((error: unknown) => {
        // Of one that has ended the page is told by its end.
        if (!(error instanceof ApiError)) fail(error);
      });
    } else fail(badStart('a talk is started once'));
  }

  async function open(start: StartFrame): Promise<void> {
    const captions = createTalkCaptions(send);
    const about: Omit<TalkToOpen, 'admitted'> = {
      captions,
      send,
      sendSound: socket.sendBytes,
      finish: () => {
        const reason = captions.endedReason();
        if (reason === undefined) return fail(elsewhere());
        send({ type: 'ended', reason });
        socket.close();
      },
      leave: () => fail(elsewhere()),
    };
    const admitted = await admitTalk(deps, start, opened);
    if (closedBy !== undefined) return;
    if (admitted.over !== undefined) {
      send({ type: 'ended', reason: admitted.over });
      return socket.close();
    }
    const toOpen = { ...about, admitted };
    talk = await (start.mode === 'chat' ? openChat(deps, toOpen) : deps.voices.open(toOpen));
    early.forEach(take);
    early = [];
  }

  function onFrame(frame: Incoming): void {
    if (talk) return take(frame);
    if (opening) {
      early.push(frame);
      if (early.length > EARLY_MAX) early.shift();
      return;
    }
    clearTimeout(tooLate);
    if (Buffer.isBuffer(frame) || frame.type !== 'start') {
      return fail(badStart('the first frame is a start with a token'));
    }
    opening = open(frame).catch(fail);
  }

  return {
    onText: (text) => {
      const frame = readPageFrame(text);
      if (frame) {
        unknown = 0;
        return onFrame(frame);
      }
      if (!opening) return fail(badStart('the first frame is a start with a token'));
      unknown += 1;
      if (unknown >= UNKNOWN_MAX) fail(new WrongFrames('nobody knows these frames'));
    },
    onBytes: (bytes) => onFrame(bytes),
    onClose: (code) => {
      closedBy = code;
      clearTimeout(tooLate);
      void opening
        ?.then(() => talk?.closed(code === 1000 || code === 1001))
        .catch((error: unknown) => {
          // Its lease runs out, or its silence does.
          log.warn({ reason: reasonOf(error) }, 'a talk could not be closed');
        });
    },
  };
}

function takeSound(talk: OpenedTalk, bytes: Buffer, fail: (error: unknown) => void): void {
  if (!talk.hear) return fail(new WrongFrames('sound is for talks by voice'));
  if (bytes.length % 2 !== 0 || bytes.length > SOUND_BYTES_MAX) {
    const detail = `sound is PCM16 of an even length up to ${SOUND_BYTES_MAX} bytes, not ${bytes.length}`;
    return fail(new WrongFrames(detail));
  }
  talk.hear(bytes);
}

/** As a message by REST has to be. */
function problemOf({ text }: Extract<PageFrame, { type: 'message' }>): ApiError | undefined {
  const issue = MessageBody.safeParse({ text }).error?.issues[0]?.message;
  const problem = issue ?? textProblem(text);
  return problem === undefined ? undefined : new ApiError('invalid_body', `text: ${problem}`);
}

class WrongFrames extends Error {
  override readonly name = 'WrongFrames';
}

const badStart = (detail: string): ApiError => new ApiError('malformed_request', detail);
const elsewhere = (): ApiError =>
  new ApiError('not_found', 'this talk goes on elsewhere, or is gone');

/** Says why, and closes: 1003 for frames nobody knows, 1013 for what may go well later, else 1008. */
function refuse({ log }: { log: Logger }, socket: Socket, error: unknown): void {
  const say = (code: string, detail: string, closeWith: number): void => {
    socket.send(JSON.stringify({ type: 'error', code, detail }));
    socket.close(closeWith, code);
  };
  if (error instanceof WrongFrames) return say('malformed_request', error.message, 1003);
  if (error instanceof ApiError) {
    return say(error.code, error.message, error.retryAfterSec === undefined ? 1008 : 1013);
  }
  log.error({ reason: reasonOf(error) }, 'a talk could not be held');
  say('unavailable', 'something went wrong here: try again', 1013);
}
