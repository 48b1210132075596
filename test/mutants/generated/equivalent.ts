/** Mutants that no test can find because nothing that is promised changes: the id, and the reason. Never drawn. */
export const EQUIVALENT: Record<string, string> = {
  // src/agents
  fd698300da: 'the tools of an agent have different names',
  f03f9248fe: 'the keys of an object are different',
  '6cdc2cb520': 'one more slice, which is empty',
  '139b569acf': 'of activations that are not before the moment, that one is the first anyway',
  '06b705d10e': 'of activations that are not before the moment, that one is the first anyway',
  // src/access
  '7a24534666': 'a statement more, about no key',
  '477d9feb89': 'remembers one key more before it forgets all',
  '3dbe5c082e': 'remembers one key more before it forgets all',
  '70a1933456': 'remembers one session more before it forgets all',
  d295f33b7b: 'two readings of the clock, which do not meet',
  be3f4b0dae: 'two readings of the clock, which do not meet',
  f5b2048591: 'a time by the clock of the database, to the microsecond',
  // src/events
  '05629e926c': 'the lowest id of a millisecond, which no event has',
  '7f9faecc28': 'the lowest id of a millisecond, which no event has',
  '08fcfa21b8': 'the lowest id of a millisecond, which no event has',
  b314145b61: 'the lowest id of a millisecond, which no event has',
  '6f870a9636': 'the lowest id of a millisecond, which no event has',
  '0842474597': 'the lowest id of a millisecond, which no event has',
  '1afc36072c': 'asks who is silent when nothing waits for that',
  '9a87589fb6': 'asks who is silent when nothing waits for that',
  '8a4283a04d': 'asks who is silent when nothing waits for that',
  a782e81f36: 'asks who is silent when nothing waits for that',
  // src/models
  bb5ae3b709: 'one more part, which is empty and as long as none',
  '987835a970': 'the first opening and the last closing bracket are never one character',
  '5c5229a039': 'without earlier turns nothing is left out',
  ba8b569b1a: 'without earlier turns nothing is left out',
  // src/webhooks/queue/delivery-queue.sql.ts
  '7793e89dce': 'the join with the results has the same ids; this lets the planner use the index',
  '0a415a5156': 'bounds that leave partitions out; the event itself is chosen by its id',
  '458318e97e': 'the lowest id of a millisecond, which no event has',
  '25a6af2293': 'bounds that leave partitions out; the event itself is chosen by its id',
  '83e9237d32': 'the lowest id of a millisecond, which no event has',
  '689711b2a6': 'without a conversation no row equals it, so that nothing exists before it',
  '35d95c1b73': 'without a conversation no row equals it, so that nothing exists before it',
  aede1b2628: 'the bodies are looked up by the id of the event; more of them are read',
  '8cec784119': 'the join and its conditions choose the same rows; this reads fewer',
  '65162edfb9': 'the join has the same condition; this reads fewer rows',
  c675aa7718: 'the join has the same condition; this reads fewer rows',
  de995e1d39: 'writes the same values more often',
  '9e17374ae5': 'two readings of the clock, which do not meet at a microsecond',
  '5d6799d537': 'two readings of the clock, which do not meet at a microsecond',
  // src/conversations
  bc8dcb3f7a: 'of exactly so many characters the tokens are counted, and are no more than that',
  // src/knowledge
  e6391cb778: 'the one text that is refused is asked for once more, and refused again',
  // src/calls
  '0325eee268': 'takes away a lease that is not there',
  bdde45442a: 'a token opens one call, and the call has the condition of the token too',
  '5168f5753c': 'the call has the same condition; this locks fewer rows',
  '6efe2c1aca': 'the row that is locked first has the same condition',
};
