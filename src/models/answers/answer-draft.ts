import { createCallAssembly } from './call-assembly.ts';
import { endingOf, type Ending } from './finish-reason.ts';
import { createGrowingText } from './growing-text.ts';
import type { FinishReason, ModelToolCall, ModelUsage } from '../model.ts';
import { readChunk, type Fields, type Piece } from './read-chunk.ts';
import { createThinkingFilter } from './thinking-filter.ts';

/**
 * Draft of an answer, assembled from the chunks of a stream. The server's data is untrusted: every value is checked for
 * its type, and every part has a size limit.
 */
export type AnswerDraft = {
  /** Adds one chunk of the stream. */
  take: (chunk: unknown, to: TextSink) => Taken;
  /** Marks the draft as full. Called if the stream is too long. */
  cut: () => void;
  /** Ends the draft after the last chunk. `isDone` says whether the server marked the end of its stream. */
  end: (isDone: boolean, to: TextSink) => void;
  readonly text: string;
  /** Whether any part of the answer has arrived, either text or a tool call. */
  readonly hasPart: boolean;
  /** Whether the server reported that the answer is complete. */
  readonly isFinished: boolean;
  /** Classified finish reason; `undefined` if the server sent none. */
  readonly ending: Ending | undefined;
  /** Finish reason as the server sent it. */
  readonly finishWord: string | undefined;
  finishReason: () => FinishReason;
  toolCalls: () => ModelToolCall[];
  /** Other fields of the answer. The provider may require them in later requests, together with the tool calls. */
  extra: () => Fields;
  /** Token counts that the server reported, if any. */
  readonly usage: Omit<ModelUsage, 'estimated'> | undefined;
  /** Whether the text began with reasoning that had a closing tag but no opening tag. */
  readonly beganInThinking: boolean;
};

/** Receiver of streamed text. `takeBack` withdraws all text so far, because it was reasoning. */
export type TextSink = { say: (text: string) => void; takeBack: () => void };

/**
 * `idle`: the chunk was empty. `busy`: it contained reasoning or other hidden text. `part`: it contained a part of the
 * answer. `full`: the draft has reached its size limit and ignores further chunks.
 */
export type Taken = 'idle' | 'busy' | 'part' | 'full';

const MAX_TEXT_CHARS = 256 * 1024;
const MAX_EXTRA_CHARS = 64 * 1024;
const MAX_EXTRA_ITEMS = 2_000;

export function createAnswerDraft({ isHeld = false }: { isHeld?: boolean } = {}): AnswerDraft {
  const calls = createCallAssembly();
  const words = createWords({ isHeld });
  let lastMessage: Piece | undefined;
  let extra: Fields = {};
  let finish: string | undefined;
  let usage: AnswerDraft['usage'];
  let isFull = false;
  let isDone = false;

  const takePiece = (piece: Piece, to: TextSink, isWhole = false): Taken => {
    extra = addExtra(extra, piece.extra);
    const heard = words.take(piece, to);
    isFull ||= words.isFull || !calls.take(piece.calls, isWhole);
    if (isFull) return 'full';
    return piece.calls.length > 0 ? 'part' : heard;
  };
  const hasAny = (): boolean => words.hasRaw || calls.count > 0;

  return {
    take: (value, to) => {
      if (isFull) return 'full';
      const { delta, message, ...chunk } = readChunk(value);
      usage = chunk.usage ?? usage;
      finish = chunk.finish ?? finish;
      if (delta) {
        lastMessage = message ?? lastMessage;
        return takePiece(delta, to);
      }
      return message ? takePiece(newIn(message, words.raw, calls.count), to, true) : 'idle';
    },
    cut: () => {
      isFull = true;
    },
    end: (done, to) => {
      isDone = done;
      // Some servers send empty deltas and put the answer into the last `message` instead.
      if (lastMessage && !hasAny()) takePiece(lastMessage, to, true);
      words.end(to);
    },
    get text() {
      return words.text;
    },
    get hasPart() {
      return words.hasText || calls.count > 0;
    },
    get isFinished() {
      return finish !== undefined || isFull || (isDone && hasAny());
    },
    get ending() {
      return finish === undefined ? undefined : endingOf(finish);
    },
    get finishWord() {
      return finish;
    },
    get usage() {
      return usage;
    },
    get beganInThinking() {
      return words.beganInThinking;
    },
    finishReason: () => (isFull ? 'length' : reasonOf(finish, calls.count)),
    toolCalls: () => calls.finished(),
    extra: () => extra,
  };
}

function reasonOf(finish: string | undefined, callCount: number): FinishReason {
  const ending = finish === undefined ? 'stop' : endingOf(finish);
  if (ending === 'length' || ending === 'content_filter') return ending;
  // Counts the calls instead of trusting the reported reason: some servers report `stop` after tool calls, and others
  // report `tool_calls` without any.
  if (callCount > 0) return 'tool_calls';
  // An answer that ended for an unknown reason may have been truncated, so it is treated like a truncated one.
  return ending === 'unknown' ? 'length' : 'stop';
}

/**
 * Returns the new part of a message that is not a delta. Such a message contains the whole answer, a longer prefix of
 * the answer than the previous message, or only the next piece.
 */
function newIn(message: Piece, raw: string, callCount: number): Piece {
  const isRepeat = raw !== '' && message.text.startsWith(raw);
  const text = isRepeat ? message.text.slice(raw.length) : message.text;
  return { ...message, text, calls: callCount > 0 ? [] : message.calls };
}

/** Collects the text of an answer without its reasoning. */
function createWords({ isHeld }: { isHeld: boolean }) {
  const thinking = createThinkingFilter({ isHeld });
  const said = createGrowingText(MAX_TEXT_CHARS);
  /** The text including reasoning. It is compared with later messages, which may repeat it. */
  const raw = createGrowingText(MAX_TEXT_CHARS);
  let isFull = false;
  const say = (words: string, to: TextSink): void => {
    const fitting = said.add(words);
    if (fitting.length < words.length) isFull = true;
    if (fitting !== '') to.say(fitting);
  };
  return {
    take: (piece: Piece, to: TextSink): Taken => {
      // A server with a separate reasoning field does not put reasoning into the text, so the text no longer needs to
      // be held back.
      if (piece.hasReasoning) say(thinking.release(), to);
      raw.add(piece.text);
      const { text: words, takesBack, isHidden } = thinking.take(piece.text);
      if (takesBack) {
        said.clear();
        to.takeBack();
      }
      say(words, to);
      if (words !== '' || takesBack) return 'part';
      return piece.hasReasoning || isHidden ? 'busy' : 'idle';
    },
    end: (to: TextSink): void => say(thinking.end(), to),
    get text() {
      return said.text;
    },
    get hasText() {
      return said.length > 0;
    },
    get raw() {
      return raw.text;
    },
    get hasRaw() {
      return raw.length > 0;
    },
    get isFull() {
      return isFull;
    },
    get beganInThinking() {
      return thinking.beganInside;
    },
  };
}

/**
 * Adds extra fields. Strings and lists are appended, because they arrive in pieces; any other value replaces the
 * earlier one.
 */
function addExtra(before: Fields, more: Fields): Fields {
  if (Object.keys(more).length === 0) return before;
  const all = { ...before };
  for (const [name, value] of Object.entries(more)) {
    const known = all[name];
    if (typeof known === 'string' && typeof value === 'string') {
      // A string that has reached its limit is not cut again, because each cut would copy the whole string.
      if (known.length < MAX_EXTRA_CHARS) all[name] = (known + value).slice(0, MAX_EXTRA_CHARS);
    } else if (Array.isArray(known) && Array.isArray(value)) {
      const room = MAX_EXTRA_ITEMS - known.length;
      if (room > 0) all[name] = [...known, ...value.slice(0, room)];
    } else all[name] = value;
  }
  return all;
}
