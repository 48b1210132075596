/**
 * Texts of the drill. They were selected in tests so that even a small recognizer transcribes them word for word when
 * the drill's voice speaks them over a telephone line (docs/fire-drill.md).
 */

export const GREETING = 'Hello, this is the bicycle shop. How can I help you?';

/**
 * Topic that the agent's knowledge covers. `answer` is the expected reply. The caller says `ask` after a reply has
 * ended, and `interrupt` to interrupt a reply.
 */
export type Topic = { heading: string; ask: string; interrupt: string; answer: string };

export const TOPICS: readonly Topic[] = [
  {
    heading: 'Opening hours',
    ask: 'Tell me about the opening hours.',
    interrupt: 'Please stop. Tell me about the opening hours.',
    answer:
      'The shop is open on every day but Sunday. It opens in the morning and closes in the evening. Please bring back the bicycle before the shop closes in the evening.',
  },
  {
    heading: 'Repairs',
    ask: 'Tell me about the repairs.',
    interrupt: 'No, tell me about the repairs.',
    answer:
      'A small repair is done while you wait, and you can drink a coffee in the meantime. We call you when the bicycle is ready, and we keep it for a month.',
  },
  {
    heading: 'Delivery',
    ask: 'Tell me about the delivery.',
    interrupt: 'Sorry, tell me about the delivery.',
    answer:
      'We deliver to every house in the city and to the villages around it. The van leaves the shop every morning and comes back in the afternoon. The driver calls you before he comes, and carries the bicycle to your door. If nobody is at home, he comes again on the next day.',
  },
  {
    heading: 'Insurance',
    ask: 'Tell me about the insurance.',
    interrupt: 'Stop it. Tell me about the insurance.',
    answer:
      'The insurance pays when somebody takes your bicycle from a locked room. It does not pay for a tire that is flat, because that can happen to anybody. You pay for the insurance once a year, and you can stop at any time.',
  },
  {
    heading: 'Returns',
    ask: 'Can I return a bicycle?',
    interrupt: 'Hold on. Can I return a bicycle?',
    answer:
      'You can bring a bicycle back within a month, and we return all of the money. The bicycle has to be clean, and nothing on it may be broken. Please bring the paper that you were given when you bought it. The money is on your account after a few days.',
  },
  {
    heading: 'Guided tours',
    ask: 'Tell me about the guided tours.',
    interrupt: 'Wait. Tell me about the guided tours.',
    answer:
      'The guided tour starts at the old bridge and follows the river to the sea. In the middle of the tour there is a long break with bread and soup. After the tour you can take the train home.',
  },
];

/** The caller's backchannel, which must not interrupt the agent. */
export const LISTENING = 'Yeah.';

/** Keys that the caller presses, and the user message that Parley stores for them. */
export const KEYS = '4711#';
export const KEYED = '4711';

/** All sentences that callers say. */
export const SAYINGS: readonly string[] = [
  ...TOPICS.flatMap(({ ask, interrupt }) => [ask, interrupt]),
  LISTENING,
];
