/** What is said in the scene of the pictures. */

export const OPENING = 'Hello, I help you to find your size. What are you looking at?';

/** Of the versions, one after the other. */
export const PROMPTS = [
  'You advise customers of Fellside on sizes of boots and jackets.\nAnswer in two sentences.',
  'You advise customers of Fellside on sizes of boots and jackets.\nAsk for the length of the foot first.\nAnswer in two sentences, and only from the size guide.',
  'You advise customers of Fellside on sizes of boots and jackets.\nAsk for the length of the foot first.\nIn doubt, suggest to order two sizes and to send one back.\nAnswer in two sentences, and only from the size guide.',
];

export const RETURNS = `# Size guide

## Boots
Measure the foot in the evening, from heel to toe. Add one centimetre for hiking boots: a foot of 26 cm
takes a boot of 27 cm, which is size 43.

## Jackets
A shell jacket is worn over a fleece. Take your usual size; between two sizes take the larger one.

## Wide feet
The models Ridge and Tarn come in a wide fit, marked W.
`;

export const SIZES = [
  ['Which size of hiking boots do I take for a foot of 26 cm?'],
  ['I am between two sizes of a jacket. Which one?', 'Thanks, that helps.'],
];

export const SHOP_TALKS = [
  'Where is my order T-1001?',
  'I want to send T-1001 back, it is too small.',
];

type Talk = { texts: string[]; csat: number | null };

export const SUPPORT_TALKS: Talk[] = [
  { texts: ['How much is Tide 500?', 'Thank you, that is what I wanted.'], csat: 5 },
  { texts: ['Why is my first bill higher?', 'Great, thanks.'], csat: 4 },
  { texts: ['The light on my router is orange. What now?'], csat: 4 },
  { texts: ['Do you have a shop in Bristol?'], csat: 2 },
  { texts: ['Can I pay by cheque?', 'Do you sell mobile phones?'], csat: null },
  { texts: ['Do you sell mobile phones?'], csat: 3 },
  { texts: ['Is there a discount for students?'], csat: null },
  { texts: ['Where is the password of my wifi?', 'Perfect, thanks!'], csat: 5 },
];
