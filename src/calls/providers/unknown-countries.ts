/** A country that cannot be called, with its place in the list. */

type Refusal = { at: number; detail: string };

/** Returns the codes that no telephone number belongs to, each with its place in the list. */
export async function unknownCountries(codes: readonly string[]): Promise<Refusal[]> {
  if (codes.length === 0) return [];
  // Loaded on first use, because it takes 10 MB and 50 ms. Redaction loads the same edition.
  const { isSupportedCountry } = await import('libphonenumber-js/max');
  return codes.flatMap((code, at) => {
    if (isSupportedCountry(code)) return [];
    const detail = `there is no country ${code} that can be called: use its ISO 3166-1 code, such as GB`;
    return [{ at, detail }];
  });
}
