import { cleaned, linesOf, setMembers, textOfLines } from '../../form/merge.ts';
import type { Form } from '../../form/use-edit-form.ts';
import type { Agent } from '../../data/parley.ts';
import {
  isWrongJson,
  SHAPES,
  type Fallback,
  type Hours,
  type Loose,
  type Tool,
  type Transcriber,
  type Voice,
} from './agent-shapes.ts';

/**
 * Form values of an agent. They have the structure of the API, except that a word list is text with one item per line,
 * and a part that is edited as JSON is a string.
 */
export type AgentValues = ReturnType<typeof valuesOf>;
export type AgentFormProps = { form: Form<AgentValues> };

type RuleValues = AgentValues['escalation']['rules'][number];

export function valuesOf(agent: Partial<Agent>) {
  const { model, knowledge, escalation, judgement, widget } = agent;
  return {
    display_name: agent.display_name ?? '',
    prompt: agent.prompt ?? '',
    first_message: agent.first_message ?? '',
    language: agent.language ?? '',
    publish_policy: agent.publish_policy ?? 'automatic',
    rollout: rolloutValues(agent.rollout),
    model: { ...model, fallback: orJson<Loose<Fallback>[]>(model?.fallback ?? []) },
    knowledge: {
      /** If true, the agent uses all sources, and `sources` is ignored. */
      all: knowledge?.all ?? false,
      /** Selects sources by metadata; null if the agent lists its sources. */
      selector: knowledge?.selector ?? null,
      /** Names of sources, or IDs if the agent refers to its sources by ID. */
      sources: knowledge?.source_ids ?? knowledge?.source_names ?? [],
      top_k: knowledge?.top_k,
      min_score: knowledge?.min_score,
    },
    escalation: {
      ...escalation,
      rules: (escalation?.rules ?? []).map((rule) => ({
        ...rule,
        keywords: textOfLines(rule.keywords),
      })),
      /** Null if human agents are always available. */
      hours: orJson<Loose<Hours> | null>(escalation?.hours ?? null),
      telephone: { to: escalation?.telephone?.to ?? '' },
    },
    limits: { ...agent.limits },
    redaction: agent.redaction ?? [],
    judgement: {
      /** Empty if the agent does not set `judgement.by`. */
      by: judgement?.by ?? ('' as const),
      model: { ...judgement?.model },
      topics: textOfLines(judgement?.topics),
    },
    tools: orJson<Tool[]>(agent.tools ?? []),
    voice: orJson<Loose<Voice>>({ ...agent.voice }),
    transcriber: orJson<Loose<Transcriber>>({ ...agent.transcriber }),
    widget: { ...widget, allowed_origins: textOfLines(widget?.allowed_origins) },
    metadata: textOfJson(agent.metadata),
  };
}

/** Returns the value with a type that also allows the part to be edited as a JSON string. */
function orJson<Value>(value: Value): Value | string {
  return value;
}

/** Returns true if a part that is edited as JSON cannot be saved. */
export function hasWrongJson(values: AgentValues): boolean {
  const { tools, voice, transcriber, model, escalation } = values;
  return (
    isWrongJson(tools, SHAPES.tools) ||
    isWrongJson(voice, SHAPES.voice) ||
    isWrongJson(transcriber, SHAPES.transcriber) ||
    isWrongJson(model.fallback, SHAPES.fallback) ||
    isWrongJson(escalation.hours, SHAPES.hours)
  );
}

/** Returns the fields to write through the API. JSON that does not parse is left out. */
export function fieldsOf(values: AgentValues): { [name: string]: unknown } {
  const { model, knowledge, escalation, judgement, widget, publish_policy: policy } = values;
  const { isDeclared, ...rollout } = values.rollout;
  return {
    ...setMembers({
      ...values,
      rollout: policy === 'progressive' || isDeclared ? rolloutOf(rollout) : undefined,
      model: setMembers({ ...model, fallback: partOf(model.fallback) }),
      knowledge: setMembers(knowledgeOf(knowledge)),
      escalation: setMembers({
        ...escalation,
        rules: escalation.rules.map(ruleOf),
        hours: partOf(escalation.hours),
        telephone: cleaned(escalation.telephone),
      }),
      limits: setMembers(values.limits),
      // The judging model's settings are sent only if a model judges.
      judgement: setMembers({
        by: judgement.by,
        ...(judgement.by === 'model' && {
          model: setMembers(judgement.model),
          topics: linesOf(judgement.topics),
        }),
      }),
      // Tools keep their empty members, because the JSON Schema of a tool may need them.
      tools: typeof values.tools === 'string' ? parsed(values.tools) : values.tools,
      voice: partOf(values.voice),
      transcriber: partOf(values.transcriber),
      widget: setMembers({ ...widget, allowed_origins: linesOf(widget.allowed_origins) }),
    }),
    prompt: values.prompt,
    metadata: parsed(values.metadata) ?? {},
  };
}

const FIRST_ROLLOUT: NonNullable<Agent['rollout']> = {
  steps: [
    { weight: 5, min_conversations: 50 },
    { weight: 25, min_conversations: 150 },
    { weight: 50, min_conversations: 300 },
  ],
  checks: [{ metric: 'escalation_rate', worse_by: 0.05 }],
};

/**
 * Returns the form values of a rollout. The weights and the conversation counts of its steps are two comma-separated
 * lists. An agent without a rollout gets default values.
 */
function rolloutValues(declared: Agent['rollout'] | undefined) {
  const { steps, checks, ...rest } = declared ?? FIRST_ROLLOUT;
  const worseBy: { [metric: string]: number | null } = {};
  for (const { metric, worse_by } of checks) worseBy[metric] = worse_by;
  return {
    ...rest,
    isDeclared: declared !== undefined,
    weights: steps.map(({ weight }) => weight).join(', '),
    conversations: steps.map((step) => step.min_conversations).join(', '),
    checks: worseBy,
  };
}

function rolloutOf({
  weights,
  conversations,
  checks,
  ...rest
}: Omit<AgentValues['rollout'], 'isDeclared'>) {
  const needed = numbersIn(conversations);
  const shares = numbersIn(weights);
  return setMembers({
    ...rest,
    // A step that has only one of the two numbers is sent anyway, so that the API reports the error at that step.
    steps: (shares.length < needed.length ? needed : shares).map((_, at) => ({
      weight: shares[at],
      min_conversations: needed[at],
    })),
    checks: Object.entries(checks).flatMap(([metric, worse_by]) =>
      worse_by === null ? [] : [{ metric, worse_by }],
    ),
  });
}

function numbersIn(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
}

/**
 * Returns the knowledge settings for the API, which accepts only one of `all`, `selector`, `source_ids` and
 * `source_names`.
 */
function knowledgeOf({ all: isAll, selector, sources, ...search }: AgentValues['knowledge']) {
  if (isAll) return { ...search, all: true };
  if (selector) return { ...search, selector };
  const isById = sources.some((source) => source.startsWith('ks_'));
  return { ...search, [isById ? 'source_ids' : 'source_names']: sources };
}

/** Returns whether rules of this kind have a `count`. */
export const isCounted = (when: RuleValues['when']): boolean =>
  when !== 'user_request' && when !== 'keyword';

function ruleOf({ when, keywords, count, ...rest }: RuleValues): object | undefined {
  return setMembers({
    ...rest,
    when,
    keywords: when === 'keyword' ? linesOf(keywords) : undefined,
    count: isCounted(when) ? count : undefined,
  });
}

/** Formats the key-value pairs of a selector for display. */
export function pairsOf(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

/** Returns the agent's current values of the fields that a version contains. */
export function contentOf(agent: Agent): { [name: string]: unknown } {
  const { prompt, voice, tools, first_message, language, model, knowledge, escalation } = agent;
  const { limits, redaction, judgement, transcriber, first_message_interruptible } = agent;
  const content = { prompt, first_message, language, model, knowledge, tools, escalation };
  const speech = { voice, transcriber, first_message_interruptible };
  return { ...content, ...speech, limits, redaction, judgement };
}

/** Returns true if the text is blank or valid JSON, and an error message otherwise. */
export function jsonError(text: string): string | true {
  try {
    if (text.trim() !== '') JSON.parse(text);
    return true;
  } catch (error) {
    return `must be valid JSON: ${(error as Error).message}`;
  }
}

function partOf(part: unknown): unknown {
  return typeof part === 'string' ? parsed(part) : cleaned(part);
}

function parsed(text: string): unknown {
  return text.trim() !== '' && jsonError(text) === true ? JSON.parse(text) : undefined;
}

function textOfJson(value: object | null | undefined): string {
  return value && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : '';
}
