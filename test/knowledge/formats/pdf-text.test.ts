import { expect, test } from 'vitest';
import { markdownOfPages, type PdfLine } from '../../../src/knowledge/formats/pdf-text.ts';

/** Lines of one paragraph, all of the same width. */
const lines = (...texts: string[]): PdfLine[] =>
  texts.map((text, at) => ({ text, x: 72, y: 700 - at * 13, right: 500, size: 11, turn: 0 }));

test.each([
  [
    'erstatten wir die gesamten Hin-',
    'und Rückfahrtkosten.',
    'die gesamten Hin- und Rückfahrtkosten.',
  ],
  ['Gebühr für die Bearbeitungs-', 'oder Versandkosten.', 'Bearbeitungs- oder Versandkosten.'],
  ['The price holds for three-', 'and four-day tickets.', 'three- and four-day tickets.'],
  ['Schreiben Sie uns mit einer E-', 'mail an den Dienst.', 'einer E-mail an'],
  ['We ask for a deposit for each non-', 'EU guest.', 'each non-EU guest.'],
  ['Das gilt auch für Baden-', 'Württemberg.', 'für Baden-Württemberg.'],
  ['The tour is for groups of 12-', 'year olds.', 'of 12-year olds.'],
  ['beside the recep-', 'tion of the house.', 'the reception of the house.'],
  ['neben der Rezep-', 'tion des Hauses.', 'der Rezeption des Hauses.'],
  ['beside the recep\u2010', 'tion of the house.', 'the reception of the house.'],
  ['beside the recep\u00ad', 'tion of the house.', 'the reception of the house.'],
  ['Today a well-known house, a very well-', 'known one.', 'very well-known one.'],
  ['The checkin is at noon, and the check-', 'in at ten too.', 'the checkin at ten'],
  ['The list ends with a dash -', 'and goes on.', 'a dash - and goes on.'],
])(
  'a hyphen at the end of a line goes where the word goes on, and there alone: %s %s',
  (first, second, expected) => {
    expect(markdownOfPages([lines(first, second)])).toContain(expected);
  },
);

test('what stands for a word depends on the language', () => {
  const french =
    'Nous vous prions de ne pas oublier que les prix de la liste sont pour une personne et les avant-';
  expect(markdownOfPages([lines(french, 'et après-ventes.')])).toContain('avant- et après-ventes.');
  const german =
    'Die Karte ist für alle Gäste in dem Hotel, die nicht mit der Bahn kommen, ein Kabinett-';
  expect(markdownOfPages([lines(german, 'et cetera.')])).toContain('Kabinettet cetera.');
});

test('lines that run in two directions are two texts', () => {
  const [level, upright] = lines('We open at nine', 'Form 12');
  expect(markdownOfPages([[level!, { ...upright!, turn: 90 }]])).toBe('We open at nine\n\nForm 12');
});
