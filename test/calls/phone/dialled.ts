import { randomBytes } from 'node:crypto';
import type { Verb } from './read-twiml.ts';
import { ACCOUNT } from './account.ts';
import { type Posted, type StandIn } from './stand-in-carrier.ts';

/** A number that the carrier rings for a transfer (`<Dial>`), and its result. */
export type Dialled = {
  to: string;
  /** Attributes of `<Dial>`. */
  attributes: Record<string, string>;
  /** Picks up. The carrier reports this as a separate call. */
  pickUp: (form?: Record<string, string>) => Promise<Posted>;
  /**
   * Ends the ringing or the talk with the carrier's status (`completed`, `busy`, `no-answer`, `failed`, `canceled`).
   * `CallStatus` is the status of the caller, who by default is still there.
   */
  over: (DialCallStatus: string, CallStatus?: string) => Promise<Posted>;
};

/** Rings the number of an answer. */
export function dialled(
  carrier: Pick<StandIn, 'post'>,
  sid: string,
  verbs: readonly Verb[],
): Dialled {
  const [dial] = verbs;
  const [number] = dial?.inside ?? [];
  if (dial?.name !== 'Dial' || number?.name !== 'Number') {
    throw new Error(`the answer rings nobody: ${JSON.stringify(verbs)}`);
  }
  const theirs = `CA${randomBytes(16).toString('hex')}`;
  const { statusCallback = '', statusCallbackEvent = 'completed' } = number.attributes;
  return {
    to: number.text,
    attributes: dial.attributes,
    pickUp: async (form = {}) => {
      if (!statusCallbackEvent.split(' ').includes('answered'))
        throw new Error('nobody wants to be told when it is answered');
      return carrier.post(statusCallback, {
        AccountSid: ACCOUNT,
        CallSid: theirs,
        ParentCallSid: sid,
        Direction: 'outbound-dial',
        From: dial.attributes['callerId'] ?? '',
        To: number.text,
        CallStatus: 'in-progress',
        CallbackSource: 'call-progress-events',
        SequenceNumber: '2',
        ...form,
      });
    },
    over: (DialCallStatus, CallStatus = 'in-progress') =>
      carrier.post(dial.attributes['action'] ?? '', {
        AccountSid: ACCOUNT,
        CallSid: sid,
        CallStatus,
        DialCallSid: theirs,
        DialCallStatus,
        DialBridged: String(DialCallStatus === 'completed'),
      }),
  };
}
