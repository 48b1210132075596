/** Mutants that no test can find because nothing that is promised changes: the id, and the reason. Never drawn. */
export const EQUIVALENT: Record<string, string> = {
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
  // src/speech
  '62008cf934': 'a level is a real number that does not meet the limit',
  '1861cf5e08': 'a level is a real number that does not meet the limit',
  f59e504c15: 'a likeness is a real number that does not meet the limit',
  '6e8a59210f': 'a level is a real number that does not meet the limit',
  db3845075e: 'a likeness is a real number that does not meet the limit',
  '8a2c016737': 'only loud windows are counted; this computes fewer pitches',
  '10230c417e': 'a clause and a sentence end with different marks, so never at the same place',
  '1866fb7138': 'the text is trimmed, so that its first character is no space',
  '3c43856ba8': 'a level that is equal stays as it is by either way',
  c9854694f0: 'what is written behind the end of a typed array is dropped',
  // src/calls
  '0325eee268': 'takes away a lease that is not there',
  bdde45442a: 'a token opens one call, and the call has the condition of the token too',
  '5168f5753c': 'the call has the same condition; this locks fewer rows',
  '6efe2c1aca': 'the row that is locked first has the same condition',
};
