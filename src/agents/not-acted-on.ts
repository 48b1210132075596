import type { AgentSpec } from './agent.ts';
import { contentOf } from './content-hash.ts';
import { providersOf, type Models } from './references/missing-providers.ts';

/**
 * What is declared, kept and shown, and changes nothing that the agent does (contract §4): `not acted on by
 * this version: voice (speed), transcriber`, and where no model answers `…: tools (refund, hang_up), voice
 * (speed), language, model, the escalation rule tool_failure`; undefined when there is no such thing. Who declares
 * it is told, and does not wait for it.
 */
export function notActedOn(spec: AgentSpec, models: Models): string | undefined {
  const content = contentOf(spec);
  const names = hasModel(content, models) ? unspoken(content) : withoutModel(content);
  return names.length > 0 ? `not acted on by this version: ${names.join(', ')}` : undefined;
}

/** What a carrier that speaks by itself is not told. */
const OWN_SPEECH = ['model', 'speed', 'fallback'] as const;

/**
 * Of how it speaks and hears: all is acted on where both name a provider, which may be ones of the namespace.
 * Else a carrier hears and speaks, and is told of the voice its provider, id and language.
 */
function unspoken({ transcriber, voice }: Content): string[] {
  if (voice?.provider !== undefined && transcriber?.provider !== undefined) return [];
  const unsaid = OWN_SPEECH.filter((field) => voice?.[field] !== undefined);
  return [
    ...(unsaid.length > 0 ? [`voice (${unsaid.join(', ')})`] : []),
    ...(transcriber ? ['transcriber'] : []),
  ];
}

type Content = ReturnType<typeof contentOf>;

/** Whether a model answers, not whether it can be reached; a fallback alone is one. */
function hasModel(content: Content, { hasDefaultModel, isSample }: Models): boolean {
  const isNamed = providersOf(content.model).length > 0;
  return hasDefaultModel || isNamed || (isSample?.(content) ?? false);
}

function withoutModel(content: Content): string[] {
  const tools = (content.tools ?? []).map(({ name }) => name);
  // Which numbers are ones to call depends on the region.
  const isForPhones = content.redaction?.includes('phone') ?? false;
  const fields = (['language', 'model'] as const).filter(
    (field) => content[field] && !(field === 'language' && isForPhones),
  );
  const isJudged = content.judgement?.by === 'model' && !content.judgement.model?.provider;
  const isRule = content.escalation?.rules?.some(({ when }) => when === 'tool_failure') ?? false;
  return [
    ...(tools.length > 0 ? [`tools (${listed(tools)})`] : []),
    ...unspoken(content),
    ...fields,
    ...(isRule ? ['the escalation rule tool_failure'] : []),
    ...(isJudged ? ['judgement'] : []),
  ];
}

const NAMED_MAX = 10;

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return [...names.slice(0, NAMED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
