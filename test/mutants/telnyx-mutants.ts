import type { Mutant } from './mutant.ts';

const SIGNATURE = 'src/calls/carriers/telnyx/signature.ts';
const TWILIO = 'src/calls/carriers/twilio';
const CALLS = 'test/calls/carriers/telnyx/calls.pg.test.ts';
const MEDIA = 'test/calls/carriers/telnyx/media.pg.test.ts';
const REFUSED = 'test/calls/carriers/telnyx/refused.pg.test.ts';

/** Bugs of numbers at Telnyx: whose calls they are, and what is taken for a word of the carrier. */
export const TELNYX_MUTANTS: readonly Mutant[] = [
  {
    name: 'telnyx-signed-by-anyone',
    why: 'whoever knows a number answers as its carrier',
    file: SIGNATURE,
    find: 'return verify(null, signedText(timestamp, body), keyOf(publicKey), given);',
    replace: 'return verify(null, signedText(timestamp, body), keyOf(publicKey), given) || true;',
    suite: REFUSED,
    test: 'signed by another account is refused, and so is what was changed since',
  },
  {
    name: 'telnyx-signed-for-ever',
    why: 'a webhook that somebody kept opens lines for years',
    file: SIGNATURE,
    find: 'if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SEC) return false;',
    replace: 'if (nowMs / 1_000 - Number(timestamp) > TOLERANCE_SEC * 1_000) return false;',
    suite: REFUSED,
    test: 'a signature of more than five minutes ago',
  },
  {
    name: 'public-key-taken-for-proof',
    why: 'a tenant that declares the public key of another gets their calls',
    file: `${TWILIO}/authenticate.ts`,
    find: "if (found && other && !dialect.provesOwner) throw new ApiError('invalid_signature', WHICH);",
    replace:
      "if (found && other && dialect.provesOwner) throw new ApiError('invalid_signature', WHICH);",
    suite: REFUSED,
    test: 'that declares a public key of another’s account takes no calls: the address says whose they are',
  },
  {
    name: 'carriers-mixed-up',
    why: 'an account at one carrier is called by another',
    file: `${TWILIO}/authenticate.ts`,
    find: 'account.type === dialect.type && dialect.isSigned(',
    replace: 'dialect.isSigned(',
    suite: REFUSED,
    test: 'signed as Twilio signs, with the API key, is refused, also at Twilio’s address',
  },
  {
    name: 'unsigned-address-believed',
    why: 'what is told of one call ends another',
    file: `${TWILIO}/answer-voice.ts`,
    find: "return providerCallId === null || providerCallId === form.get('CallSid');",
    replace: "return providerCallId === null || form.has('CallSid');",
    suite: CALLS,
    test: 'a body of another call says nothing of this one: the address is not signed',
  },
  {
    name: 'ended-call-rings-on',
    why: 'a telephone rings though its call was ended before its id was known',
    file: `${TWILIO}/note-status.ts`,
    find: "const isUnheard = became === 'live' && call.providerCallId === null;",
    replace: "const isUnheard = became === 'live' && call.providerCallId !== null;",
    suite: CALLS,
    test: 'that was ended before its id was known is hung up when it is',
  },
  {
    name: 'machine-not-left-its-message',
    why: 'an answering machine records a document that says nothing',
    file: `${TWILIO}/note-status.ts`,
    find: "if (asksByStatus && call.direction === 'outbound' && isMachine(sent))",
    replace: "if (asksByStatus && call.direction === 'inbound' && isMachine(sent))",
    suite: CALLS,
    test: 'is left a message, told by a callback to',
  },
  {
    name: 'one-way-sound',
    why: 'callers at Telnyx are heard and hear nothing',
    file: 'src/calls/carriers/telnyx/telnyx.ts',
    find: "    bidirectionalMode: 'rtp',\n",
    replace: '',
    suite: MEDIA,
    test: 'its TeXML asks for sound both ways, as µ-law',
  },
];
