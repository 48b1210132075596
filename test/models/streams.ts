import { asking, plainModel, stubModel } from './model-harness.ts';

/** Streams as servers write them, chunk by chunk. */

export type Fields = Record<string, unknown>;

export const DONE = 'data: [DONE]\n\n';
export const event = (choice: Fields): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
export const delta = (fields: Fields, finish: string | null = null): string =>
  event({ delta: fields, finish_reason: finish });
export const says = (...texts: unknown[]): string =>
  texts.map((content) => delta({ content })).join('');
export const stops = (reason: string | null = 'stop'): string => delta({}, reason) + DONE;
export const call = (fields: Fields): string => delta({ tool_calls: [fields] });
export const order = (text: string, more: Fields = {}): string =>
  call({ ...more, type: 'function', function: { name: 'order_status', arguments: text } });

/** Returns what one model makes of each stream, one after the other. */
export async function answersTo(streams: readonly string[]) {
  const stub = await stubModel();
  stub.script(...streams.map((events) => ({ events })));
  const model = await plainModel(stub.url);
  const answers: { text: string; heard: string }[] = [];
  for (const _ of streams) {
    const { request, texts } = asking();
    const { text } = await model(request);
    answers.push({ text, heard: texts.join('') });
  }
  return answers;
}

export async function answerTo(...streams: string[]) {
  const stub = await stubModel();
  stub.script(...streams.map((events) => ({ events })));
  const { request, texts } = asking();
  const reply = await (await plainModel(stub.url))(request);
  return { reply, texts, heard: texts.join(''), requests: stub.requests.length };
}
