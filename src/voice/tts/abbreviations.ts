/**
 * English and German abbreviations, in lower case and without the final period. A period after them does not end a
 * sentence.
 */
export const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    'mr mrs ms dr prof rev hon st ave blvd rd mt ft vs e.g i.e approx dept est gen gov sen rep lt col capt sgt ' +
    'jr sr jan feb mar apr jun jul aug sept oct nov dec inc ltd co corp ' +
    'hr fr str bzw ca ggf evtl inkl exkl zzgl usw z.b d.h u.a o.ä s.o s.u v.a bspw vgl dipl ing mag tel ' +
    'z.hd abs art bd min max mind'
  ).split(' '),
);

/**
 * Abbreviations that are also ordinary words, as in "I said no." They are treated as abbreviations only before a
 * number.
 */
export const ONLY_BEFORE_NUMBERS: ReadonlySet<string> = new Set(
  'no nos nr fig p pp vol ch sec s art.nr'.split(' '),
);
