import type { Reply, ResponderRequest } from '../../../src/conversations/turns/responder.ts';
import type { WhoReplies } from '../../../src/conversations/turns/who-replies.ts';

/** A responder that takes its time, told by a test what to do for each message. */
export type Script = (request: ResponderRequest) => Promise<Reply>;

export type Scripted = WhoReplies & {
  /** What it does from now on. */
  play: (script: Script) => void;
  /** What it was asked, in order. */
  asked: ResponderRequest[];
};

export function scriptedResponder(): Scripted {
  let script: Script = echo;
  const asked: ResponderRequest[] = [];
  return {
    asked,
    play: (next) => {
      script = next;
    },
    takesTime: async () => true,
    respond: (request) => {
      asked.push(request);
      return script(request);
    },
  };
}

/** Says what it heard. */
export const echo: Script = async ({ text, emitToken }) => {
  emitToken(`You said: ${text}`);
  return { text: `You said: ${text}` };
};

/** Says a little, and then nothing until nobody wants it any more. */
export const hesitate: Script = async ({ emitToken, signal }) => {
  emitToken('Well, ');
  await aborted(signal);
  return { text: 'Well, ', interrupted: true };
};

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A call of a tool as it is noted, with its result or without. */
export function toolTurn(name: string, content?: string) {
  return {
    text: '',
    toolCall: { id: `call_${name}`, name, arguments: { order: 7 } },
    toolResult: content === undefined ? null : { ok: true, content, duration_ms: 3 },
  };
}
