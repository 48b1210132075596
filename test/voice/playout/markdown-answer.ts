import type { Script } from '../../conversations/turns/scripted-responder.ts';

/** An answer in Markdown as models stream it, and the words that a voice says. */
export const MARKDOWN =
  '**Delivery** takes *four* days and you can follow it on the [order page](https://shop.example/orders?id=7).\n\n' +
  '- **Order** it today\n- Pay when it comes 😀';

export const WORDS = [
  'Delivery takes four days and you can follow it on the order page.',
  'Order it today',
  'Pay when it comes',
];

/** Splits a text into tokens of a few characters. */
export const answerInMarkdown: Script = async ({ emitToken }) => {
  for (const token of MARKDOWN.match(/.{1,5}/gsu) ?? []) emitToken(token);
  return { text: MARKDOWN };
};
