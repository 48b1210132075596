import { linesOf, setMembers, textOfLines } from '../../form/merge.ts';
import type { Form } from '../../form/use-edit-form.ts';
import type { Agent } from '../../data/parley.ts';

/**
 * Form values of an agent. They are structured as in the API, but word lists and JSON are the texts that the user
 * types.
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
    model: { ...model, fallback: textOfJson(model?.fallback) },
    knowledge: {
      /** Selects all sources; `sources` is then ignored. */
      all: knowledge?.all ?? false,
      /** Selects sources by metadata, or null if sources are named. */
      selector: knowledge?.selector ?? null,
      /** Names of sources, or ids if the agent refers to its sources by id. */
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
      hours: textOfJson(escalation?.hours),
    },
    limits: { ...agent.limits },
    redaction: agent.redaction ?? [],
    judgement: {
      /** Empty if the agent does not declare `by`. */
      by: judgement?.by ?? ('' as const),
      model: { ...judgement?.model },
      topics: textOfLines(judgement?.topics),
    },
    tools: textOfJson(agent.tools),
    voice: textOfJson(agent.voice),
    widget: { ...widget, allowed_origins: textOfLines(widget?.allowed_origins) },
    metadata: textOfJson(agent.metadata),
  };
}

/** Returns the fields to write through the API. JSON that does not parse is left out. */
export function fieldsOf(values: AgentValues): { [name: string]: unknown } {
  const { model, knowledge, escalation, judgement, widget } = values;
  return {
    ...setMembers({
      ...values,
      model: setMembers({ ...model, fallback: parsed(model.fallback) }),
      knowledge: setMembers(knowledgeOf(knowledge)),
      escalation: setMembers({
        ...escalation,
        rules: escalation.rules.map(ruleOf),
        hours: parsed(escalation.hours),
      }),
      limits: setMembers(values.limits),
      // The settings of the judging model count only if a model judges.
      judgement: setMembers({
        by: judgement.by,
        ...(judgement.by === 'model' && {
          model: setMembers(judgement.model),
          topics: linesOf(judgement.topics),
        }),
      }),
      tools: parsed(values.tools),
      voice: parsed(values.voice),
      widget: setMembers({ ...widget, allowed_origins: linesOf(widget.allowed_origins) }),
    }),
    prompt: values.prompt,
    metadata: parsed(values.metadata) ?? {},
  };
}

/** Returns the selected sources in one of four forms, because the API accepts only one form at a time. */
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

/** Formats the pairs of a selector for display. */
export function pairsOf(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

/** Returns the fields of the current declaration that are part of a version. */
export function contentOf(agent: Agent): { [name: string]: unknown } {
  const { prompt, voice, tools, first_message, language, model, knowledge, escalation } = agent;
  const { limits, redaction, judgement, transcriber, first_message_interruptible } = agent;
  const content = { prompt, first_message, language, model, knowledge, tools, escalation };
  const speech = { voice, transcriber, first_message_interruptible };
  return { ...content, ...speech, limits, redaction, judgement };
}

/** Returns the error of a text that is not JSON. */
export function jsonError(text: string): string | true {
  try {
    if (text.trim() !== '') JSON.parse(text);
    return true;
  } catch (error) {
    return `must be valid JSON: ${(error as Error).message}`;
  }
}

function parsed(text: string): unknown {
  return text.trim() !== '' && jsonError(text) === true ? JSON.parse(text) : undefined;
}

function textOfJson(value: object | null | undefined): string {
  return value && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : '';
}
