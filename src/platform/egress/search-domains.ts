/**
 * Search domains of /etc/resolv.conf, as described in resolv.conf(5). In a pod, names such as `rx.default.svc` need
 * them.
 */
export type SearchDomains = {
  domains: readonly string[];
  /**
   * Minimum number of dots of a name that is first tried unchanged. A name with fewer dots is first tried with the
   * domains.
   */
  ndots: number;
};

/** Parses the file. If there are several `search` or `domain` lines, the last one counts. */
export function parseSearch(text: string): SearchDomains {
  let domains: string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search') domains = values;
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options') {
      const given = values.findLast((value) => /^ndots:\d+$/.test(value));
      if (given !== undefined) ndots = Number(given.slice('ndots:'.length));
    }
  }
  const normal = domains.map((domain) => domain.toLowerCase().replace(/\.$/, ''));
  return { domains: normal.filter((domain) => domain !== ''), ndots };
}

/** Returns the names to look up, in order. */
export function candidates(name: string, { domains, ndots }: SearchDomains): string[] {
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
