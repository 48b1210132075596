import { matcherOf, spelled } from './path-patterns.ts';
import { pathOf } from './site-address.ts';

/** The rules of a robots.txt for one robot (RFC 9309). */
export type RobotsRules = {
  isAllowed: (url: URL) => boolean;
  crawlDelaySec: number;
  sitemaps: string[];
};

/**
 * Limits for patterns. Each address is compared with every pattern that contains a `*`, so these patterns are limited
 * in number. An `Allow` beyond the limits is ignored. A `Disallow` beyond them counts only up to its first `*`, and at
 * most up to its 512th character.
 */
const PATTERN_CHARS_MAX = 512;
const STARS_MAX = 20;
const STAR_RULES_MAX = 500;
/** Maximum length of an address. Longer addresses count as forbidden. */
const ADDRESS_CHARS_MAX = 2_048;

export function readRobotsRules(origin: string, text: string, agent: string): RobotsRules {
  const { groups, sitemaps } = readGroups(text, [agent, '*']);
  const { patterns, delaySec } = groups.get(agent) ?? groups.get('*') ?? newGroup();
  const strongest = compile(patterns);
  return {
    isAllowed: (url) => {
      if (url.origin !== origin) return true;
      const path = pathOf(url);
      return path.length <= ADDRESS_CHARS_MAX && isAllowing(strongest(upperCodes(path)));
    },
    crawlDelaySec: delaySec,
    sitemaps,
  };
}

/** A group of rules. `patterns` maps each pattern to true for `Allow` and false for `Disallow`. */
type Group = { patterns: Map<string, boolean>; delaySec: number };

function newGroup(): Group {
  return { patterns: new Map(), delaySec: 0 };
}

/** Returns the groups of rules for the robots in `agents`. Several groups for the same robot are merged. */
function readGroups(
  text: string,
  agents: readonly string[],
): { groups: ReadonlyMap<string, Group>; sitemaps: string[] } {
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  const current = new Set<string>();
  let isNaming = false;
  for (const [name, value] of directivesIn(text)) {
    const isAgent = name === 'user-agent';
    if (isAgent && !isNaming) current.clear();
    isNaming = isAgent;
    if (name === 'sitemap' && value !== '') sitemaps.push(value);
    // `Parley/1.0` names the robot `parley`.
    const agent = isAgent ? value.split('/', 1)[0]!.trim().toLowerCase() : '';
    if (agents.includes(agent)) {
      groups.set(agent, groups.get(agent) ?? newGroup());
      current.add(agent);
    }
    // Each agent in `current` has a group, because both are set together above.
    for (const one of current) addTo(groups.get(one)!, name, value);
  }
  return { groups, sitemaps };
}

function* directivesIn(text: string): Generator<[name: string, value: string]> {
  for (const line of text.split(/[\r\n]+/)) {
    const [rule = ''] = line.split('#', 1);
    const colon = rule.indexOf(':');
    if (colon < 0) continue;
    const name = rule.slice(0, colon).trim().toLowerCase();
    if (name !== '') yield [name, rule.slice(colon + 1).trim()];
  }
}

function addTo(group: Group, name: string, value: string): void {
  if (name === 'crawl-delay' && !Number.isNaN(Number(value))) group.delaySec = Number(value);
  if ((name !== 'allow' && name !== 'disallow') || value === '') return;
  const pattern = spelled(value);
  // If `Allow` and `Disallow` have the same pattern, the `Allow` counts.
  group.patterns.set(pattern, name === 'allow' || group.patterns.get(pattern) === true);
}

/**
 * Strength that applies if no rule matches. The strength of a rule is twice its length, plus one for `Allow`, so an odd
 * strength allows the address. The highest strength wins: the longest rule or, of two equally long rules, the `Allow`.
 */
const NO_RULE = 1;

function isAllowing(strength: number): boolean {
  return strength % 2 === 1;
}

/** Returns a function that computes the strength of the strongest rule that matches a path. */
function compile(patterns: ReadonlyMap<string, boolean>): (path: string) => number {
  const starts = new Map<string, number>();
  const wholes = new Map<string, number>();
  const starred: { matches: (path: string) => boolean; strength: number }[] = [];
  for (const [pattern, isAllow] of patterns) {
    const strength = 2 * pattern.length + (isAllow ? 1 : 0);
    const parts = partsOf(pattern);
    const first = parts[0]!; // `partsOf` returns at least one part.
    const isShort = pattern.length <= PATTERN_CHARS_MAX;
    const isStart = parts.length === 2 && parts[1] === '';
    const isStarred = parts.length > 1 && !isStart;
    const isFew = parts.length <= STARS_MAX + 2 && starred.length < STAR_RULES_MAX;
    if (!isShort || (isStarred && !isFew)) {
      if (!isAllow) strengthen(starts, first.slice(0, PATTERN_CHARS_MAX), strength);
    } else if (isStarred) starred.push({ matches: matcherOf(parts), strength });
    else strengthen(isStart ? starts : wholes, first, strength);
  }
  const lengths = [...new Set([...starts.keys()].map((start) => start.length))];
  return (path) => {
    let strongest = Math.max(NO_RULE, wholes.get(path) ?? 0);
    for (const length of lengths) {
      if (length > path.length) continue;
      strongest = Math.max(strongest, starts.get(path.slice(0, length)) ?? 0);
    }
    for (const { matches, strength } of starred) {
      if (strength > strongest && matches(path)) strongest = strength;
    }
    return strongest;
  };
}

function strengthen(rules: Map<string, number>, key: string, strength: number): void {
  rules.set(key, Math.max(strength, rules.get(key) ?? 0));
}

/**
 * Returns the parts of a pattern between its `*`. A pattern without a final `$` is treated as if it ended with `*`,
 * because it matches any ending.
 */
function partsOf(pattern: string): string[] {
  const whole = pattern.endsWith('$') ? pattern.slice(0, -1) : `${pattern}*`;
  const parts = whole.split('*');
  const last = parts.length - 1;
  return parts.filter((part, at) => part !== '' || at === 0 || at === last);
}

function upperCodes(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}
