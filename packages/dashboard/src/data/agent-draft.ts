/** One difference between two values. `path` is a JSON Pointer (RFC 6901) into them. */
export type Change = { path: string; before?: unknown; after?: unknown };

/** The editable fields of an agent. A field that is not set is null or missing. */
export type AgentFields = {
  display_name?: string | null;
  prompt?: string | null;
  first_message?: string | null;
  language?: string | null;
  publish_policy?: 'automatic' | 'manual';
  model?: {
    provider?: string;
    name?: string;
    temperature?: number;
    max_tokens?: number;
    fallback?: readonly unknown[];
  } | null;
  knowledge?: {
    all?: boolean;
    selector?: { match_metadata: Readonly<Record<string, string>> };
    source_ids?: readonly string[];
    source_names?: readonly string[];
    top_k?: number;
    min_score?: number;
  } | null;
  escalation?: {
    rules?: readonly Rule[];
    timeout_sec?: number;
    team?: string;
    fallback_team?: string;
    hours?: object;
  } | null;
  limits?: { max_duration_sec?: number; silence_timeout_sec?: number } | null;
  redaction?: readonly RedactionKind[] | null;
  judgement?: {
    by: 'rule' | 'model';
    model?: { provider?: string; name?: string };
    topics?: readonly string[];
  } | null;
  tools?: readonly unknown[] | null;
  voice?: object | null;
  transcriber?: object | null;
  widget?: { allowed_origins?: readonly string[]; max_concurrent?: number } | null;
  metadata?: object;
};

export type RedactionKind = 'card' | 'email' | 'phone' | 'iban';

type Rule = {
  when: RuleDraft['when'];
  keywords?: readonly string[];
  count?: number;
  reason?: string;
  team?: string;
};

/** An agent as the form holds it: text as typed, and JSON where a form would get in the way. */
export type Draft = {
  display_name: string;
  prompt: string;
  first_message: string;
  language: string;
  publish_policy: 'automatic' | 'manual';
  model_provider: string;
  model_name: string;
  temperature: string;
  max_tokens: string;
  /** Selects all sources; `sources` is then ignored. */
  all_sources: boolean;
  /** Metadata pairs that select sources, or null if sources are named. */
  selector: Readonly<Record<string, string>> | null;
  /** Names of sources, or ids if the agent refers to its sources by id. */
  sources: readonly string[];
  top_k: string;
  min_score: string;
  rules: readonly RuleDraft[];
  timeout_sec: string;
  team: string;
  fallback_team: string;
  /** JSON text of the hours. */
  hours: string;
  max_duration_sec: string;
  silence_timeout_sec: string;
  redaction: readonly RedactionKind[];
  /** How conversations are judged. Empty if the agent does not set it. */
  judged_by: '' | 'rule' | 'model';
  judge_provider: string;
  judge_model: string;
  /** Topics of the judgement, one per line. */
  judge_topics: string;
  tools: string;
  fallback: string;
  voice: string;
  /** Origins of the pages that may embed the widget, one per line. */
  origins: string;
  widget_max: string;
  metadata: string;
};

export type RuleDraft = {
  when: 'user_request' | 'keyword' | 'tool_failure' | 'low_confidence' | 'mood' | 'turn_limit';
  /** Keywords, one per line. */
  keywords: string;
  count: string;
  reason: string;
  team: string;
};

export type Problem = { pointer: string; detail: string };
type Plain = { [name: string]: unknown };

export const EMPTY_DRAFT: Draft = draftOf({});

export function draftOf(agent: AgentFields): Draft {
  const { model, knowledge, escalation, limits, judgement } = agent;
  return {
    display_name: agent.display_name ?? '',
    prompt: agent.prompt ?? '',
    first_message: agent.first_message ?? '',
    language: agent.language ?? '',
    publish_policy: agent.publish_policy ?? 'automatic',
    model_provider: model?.provider ?? '',
    model_name: model?.name ?? '',
    temperature: text(model?.temperature),
    max_tokens: text(model?.max_tokens),
    all_sources: knowledge?.all ?? false,
    selector: knowledge?.selector?.match_metadata ?? null,
    sources: knowledge?.source_ids ?? knowledge?.source_names ?? [],
    top_k: text(knowledge?.top_k),
    min_score: text(knowledge?.min_score),
    rules: (escalation?.rules ?? []).map(({ when, keywords, count, reason, team }) => ({
      when,
      keywords: (keywords ?? []).join('\n'),
      count: text(count),
      reason: reason ?? '',
      team: team ?? '',
    })),
    timeout_sec: text(escalation?.timeout_sec),
    team: escalation?.team ?? '',
    fallback_team: escalation?.fallback_team ?? '',
    hours: json(escalation?.hours),
    max_duration_sec: text(limits?.max_duration_sec),
    silence_timeout_sec: text(limits?.silence_timeout_sec),
    redaction: agent.redaction ?? [],
    judged_by: judgement?.by ?? '',
    judge_provider: judgement?.model?.provider ?? '',
    judge_model: judgement?.model?.name ?? '',
    judge_topics: (judgement?.topics ?? []).join('\n'),
    tools: json(agent.tools),
    fallback: json(model?.fallback),
    voice: json(agent.voice),
    origins: (agent.widget?.allowed_origins ?? []).join('\n'),
    widget_max: text(agent.widget?.max_concurrent),
    metadata: json(agent.metadata),
  };
}

/** Returns the fields to write through the REST API, and the JSON fields that do not parse. */
export function writableOf(draft: Draft): { fields: Plain; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const parsed = (pointer: string, value: string): unknown => {
    if (value.trim() === '') return undefined;
    try {
      return JSON.parse(value);
    } catch (error) {
      problems.push({ pointer, detail: `must be valid JSON: ${(error as Error).message}` });
      return undefined;
    }
  };
  const fields = {
    display_name: word(draft.display_name),
    prompt: draft.prompt,
    first_message: word(draft.first_message),
    language: word(draft.language),
    publish_policy: draft.publish_policy,
    model: group({
      provider: word(draft.model_provider),
      name: word(draft.model_name),
      temperature: number(draft.temperature),
      max_tokens: number(draft.max_tokens),
      fallback: parsed('/model/fallback', draft.fallback),
    }),
    knowledge: group({
      ...sourcesOf(draft),
      top_k: number(draft.top_k),
      min_score: number(draft.min_score),
    }),
    escalation: group({
      rules: some(draft.rules.map(ruleOf)),
      timeout_sec: number(draft.timeout_sec),
      team: word(draft.team),
      fallback_team: word(draft.fallback_team),
      hours: parsed('/escalation/hours', draft.hours),
    }),
    limits: group({
      max_duration_sec: number(draft.max_duration_sec),
      silence_timeout_sec: number(draft.silence_timeout_sec),
    }),
    redaction: some(draft.redaction),
    judgement: judgementOf(draft),
    tools: parsed('/tools', draft.tools),
    voice: parsed('/voice', draft.voice),
    widget: group({
      allowed_origins: some(linesOf(draft.origins)),
      max_concurrent: number(draft.widget_max),
    }),
    metadata: parsed('/metadata', draft.metadata) ?? {},
  };
  return { fields, problems };
}

/** Omits the settings of the judging model unless a model judges. */
function judgementOf(draft: Draft): Plain | undefined {
  if (draft.judged_by !== 'model') return group({ by: word(draft.judged_by) });
  return group({
    by: draft.judged_by,
    model: group({ provider: word(draft.judge_provider), name: word(draft.judge_model) }),
    topics: some(linesOf(draft.judge_topics)),
  });
}

const linesOf = (value: string): string[] =>
  value
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean);

/** Returns one way to select sources, because the API accepts only one of the four. */
function sourcesOf({ all_sources: isAll, selector, sources }: Draft): Plain {
  if (isAll) return { all: true };
  if (selector) return { selector: { match_metadata: selector } };
  const isById = sources.some((source) => source.startsWith('ks_'));
  return { [isById ? 'source_ids' : 'source_names']: some(sources) };
}

/** Returns whether a rule of this kind counts something. */
export const isCounted = (when: RuleDraft['when']): boolean =>
  when !== 'user_request' && when !== 'keyword';

function ruleOf({ when, keywords, count, reason, team }: RuleDraft): Plain {
  return given({
    when,
    keywords: when === 'keyword' ? linesOf(keywords) : undefined,
    count: isCounted(when) ? number(count) : undefined,
    reason: word(reason),
    team: word(team),
  });
}

/** Formats the pairs of a selector for display. */
export function pairsOf(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

/** Returns the fields of the agent as declared now that make up a version. */
export function contentOf(agent: AgentFields): Plain {
  const { prompt, voice, tools, first_message, language, model, knowledge, escalation } = agent;
  const { limits, redaction, judgement, transcriber } = agent;
  const content = { prompt, first_message, language, model, knowledge, tools, escalation };
  return { ...content, limits, redaction, judgement, voice, transcriber };
}

/** Compares field by field and omits equal fields. */
export function changesBetween(before: Plain, after: Plain): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !isSame(before[name], after[name]))
    .map((name) => ({ path: `/${name}`, before: before[name], after: after[name] }));
}

/**
 * Returns the JSON merge patch (RFC 7386) that turns `before` into `after`, or undefined if they are the
 * same.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (isSame(before, after)) return undefined;
  if (!isPlain(before) || !isPlain(after)) return after ?? null;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = names.map((name) => [name, mergePatch(before[name], after[name])] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
}

/** Merges two people's changes to the same draft. A field that only one of them changed keeps that change. */
export function mergeDrafts(
  base: Draft,
  { mine, theirs, winner }: { mine: Draft; theirs: Draft; winner: 'mine' | 'theirs' },
): Draft {
  const won = winner === 'mine' ? mine : theirs;
  const merged = draftFields(base).map((name) => {
    if (isSame(mine[name], base[name])) return [name, theirs[name]];
    return [name, isSame(theirs[name], base[name]) ? mine[name] : won[name]];
  });
  return Object.fromEntries(merged) as Draft;
}

/** Returns the fields that both people changed to different values. */
export function conflictsOf(base: Draft, mine: Draft, theirs: Draft): (keyof Draft)[] {
  return draftFields(base).filter(
    (name) =>
      !isSame(mine[name], base[name]) &&
      !isSame(theirs[name], base[name]) &&
      !isSame(mine[name], theirs[name]),
  );
}

function draftFields(draft: Draft): (keyof Draft)[] {
  return Object.keys(draft) as (keyof Draft)[];
}

/** Compares deeply. Ignores the order of members and treats a missing member as null. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, at) => isSame(one, b[at]));
  }
  if (!isPlain(a) || !isPlain(b)) return (a ?? null) === (b ?? null);
  return [...Object.keys(a), ...Object.keys(b)].every((name) => isSame(a[name], b[name]));
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function json(value: unknown): string {
  const isNothing = value === null || value === undefined || isSame(value, {});
  return isNothing ? '' : JSON.stringify(value, null, 2);
}

function word(value: string): string | undefined {
  return value.trim() === '' ? undefined : value;
}

function number(value: string): number | undefined {
  return value.trim() === '' ? undefined : Number(value);
}

function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Removes unset members. Returns undefined if no member is set. */
function group(members: Plain): Plain | undefined {
  const set = given(members);
  return Object.keys(set).length === 0 ? undefined : set;
}

function given(members: Plain): Plain {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
