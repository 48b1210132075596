import { z } from 'zod';
import { verifyBody, verifyStandard } from '../../../src/platform/egress/signature.ts';

/** Records the received webhooks and verifies their signatures. */
export type Hooks = {
  /** Sets the secret that the webhooks must be signed with. */
  expect: (secret: string) => void;
  /** Records a delivery and returns whether its signature is valid. If it is not, the server responds with 401. */
  take: (headers: Record<string, string | string[] | undefined>, body: Buffer) => boolean;
  /** Returns the types of a conversation's events, in the order of first delivery. */
  of: (conversationId: string) => readonly string[];
  /** `doubled` counts repeated deliveries of an event, and `forged` counts deliveries with an invalid signature. */
  doubled: () => number;
  forged: () => number;
};

const Event = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ conversation_id: z.string().optional() }),
});

export function createHooks(): Hooks {
  const events: { id: string; type: string; conversationId: string | undefined }[] = [];
  let secret = '';
  let doubled = 0;
  let forged = 0;
  return {
    expect: (given) => {
      secret = given;
    },
    take: (headers, body) => {
      const header = (name: string): string => String(headers[name] ?? '');
      const timestampSec = Number(header('webhook-timestamp'));
      const message = { id: header('webhook-id'), timestampSec, body };
      const isGenuine =
        verifyBody(secret, body, header('parley-signature')) &&
        verifyStandard(secret, message, header('webhook-signature'));
      if (!isGenuine) {
        forged += 1;
        return false;
      }
      const { id, type, data } = Event.parse(JSON.parse(body.toString('utf8')));
      if (events.some((event) => event.id === id)) doubled += 1;
      else events.push({ id, type, conversationId: data.conversation_id });
      return true;
    },
    of: (conversationId) =>
      events.filter((event) => event.conversationId === conversationId).map(({ type }) => type),
    doubled: () => doubled,
    forged: () => forged,
  };
}
