import {
  echo,
  type Script,
  type scriptedResponder,
} from '../../conversations/turns/scripted-responder.ts';
import type { MediaPhone } from './media-phone.ts';
import type { MediaFixture } from './media-setup.ts';
import { GREETING } from './phone-setup.ts';

/** Sentences of a reply that is long enough to be interrupted. It takes about seven seconds to say. */
export const STORY = Array.from(
  { length: 10 },
  (_, at) =>
    `This is the long sentence number ${at + 10} that is told at leisure until somebody falls in.`,
);

const tell: Script = async ({ emitToken }) => {
  const text = STORY.join(' ');
  emitToken(text);
  return { text };
};

/** Rings the agent and has it tell the story. Resolves while the second sentence is playing. */
export async function startStory(
  phones: MediaFixture,
  responder: ReturnType<typeof scriptedResponder>,
): Promise<{ phone: MediaPhone; call: { id: string; conversation_id: string } }> {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  responder.play(tell);
  await phone.say('Tell me a story.');
  await phone.hears(STORY[1]!);
  responder.play(echo);
  return { phone, call: await phones.callWhen(phone.sid) };
}
