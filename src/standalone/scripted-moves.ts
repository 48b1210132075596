import { z } from 'zod';

/**
 * Rules by which the scripted model replies in the conversation of examples/shop-assistant.yaml, so that the sample
 * shows tools without a real model. The rules use only the input that any model receives.
 */

export const ChatRequest = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string().nullish(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
  stream: z.boolean().optional(),
});
type Messages = z.output<typeof ChatRequest>['messages'];

export type Move = {
  text: string;
  call?: { name: string; args: Record<string, string> };
};

const ORDER = /\bT-?\d{4}\b/i;
const RETURN = /\b(send|sent|give|bring)\b.*\bback\b|\breturn\b/i;
const GOODBYE = /\b(goodbye|bye)\b/i;

export function nextMove({ messages, tools = [] }: z.output<typeof ChatRequest>): Move {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: fromResult(parse(last.content)) };
  const said = lastSaid(messages);
  const has = (name: string): boolean => tools.some((tool) => tool.function.name === name);
  const order = ORDER.exec(said)?.[0].toUpperCase().replace(/^T-?/, 'T-');
  if (order !== undefined && RETURN.test(said) && has('start_return')) {
    return { text: '', call: { name: 'start_return', args: { order, reason: reasonIn(said) } } };
  }
  if (order !== undefined && has('order_status')) {
    return { text: '', call: { name: 'order_status', args: { order } } };
  }
  if (GOODBYE.test(said) && has('hang_up')) {
    return { text: 'You are welcome. Goodbye!', call: { name: 'hang_up', args: {} } };
  }
  return { text: firstPassage(messages) ?? 'I am sorry, I do not know that.' };
}

/** Returns the text that the user wrote. It is at the end of the message, after the passages from the knowledge. */
function lastSaid(messages: Messages): string {
  const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return said.split('\n\n').at(-1) ?? '';
}

/** Returns the text after the first comma: `it is too small` in “I want to send it back, it is too small”. */
function reasonIn(said: string): string {
  return (/,\s*(.+?)[.!]?$/.exec(said.slice(0, 1_000))?.[1] ?? said).slice(0, 200);
}

const Result = z.object({
  ok: z.boolean(),
  body: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  error: z.string().optional(),
});

/** Returns a reply that reports a tool's result. */
function fromResult(result: unknown): string {
  const { ok, body = {} } = Result.safeParse(result).data ?? { ok: false };
  const of = (name: string): string => String(body[name] ?? '');
  if (!ok) return `That did not work: ${of('error') || 'the shop did not answer'}.`;
  if ('return' in body) {
    return `Your return ${of('return')} for ${of('order')} is started; the label was ${of('label')}.`;
  }
  if ('status' in body) {
    const when = 'expected' in body ? `, expected ${of('expected')}` : '';
    return `Order ${of('order')}, ${of('item')}, is ${of('status')}${when}.`;
  }
  return 'That is done.';
}

/** Returns the first sentence of the passages, which are JSON lines before the user's text. */
function firstPassage(messages: Messages): string | undefined {
  const before = messages.slice(-2).map(({ content }) => content ?? '');
  for (const line of before.join('\n').split('\n')) {
    const { data } = z.object({ text: z.string() }).safeParse(parse(line));
    if (data) return /^.+?[.!?](?=\s|$)/s.exec(data.text)?.[0] ?? data.text;
  }
  return undefined;
}

function parse(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
