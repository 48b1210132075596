import type { AgentSpec } from './agent.ts';
import { contentOf } from './content-hash.ts';
import { providersOf, type Models } from './references/missing-providers.ts';

/**
 * Returns a message that lists all declared settings without effect, grouped by reason. Returns `undefined` if all
 * settings have an effect (contract/agents.md#settings-without-effect). Example: `no effect without a model (…):
 * prompt, tools (refund, hang_up), model, the escalation rule tool_failure; no effect when the carrier provides speech:
 * voice (speed), transcriber`. Such settings do not prevent the agent from being ready. If the voice and the
 * transcriber both name a provider, `whyCarrier` says why the carrier provides transcription and speech anyway.
 */
export function notActedOn(
  spec: AgentSpec,
  models: Models,
  whyCarrier?: string,
): string | undefined {
  const content = contentOf(spec);
  const reasons = [
    [`without a model (${MODEL_CURE})`, hasModel(content, models) ? [] : withoutModel(content)],
    [
      `when the carrier provides speech${whyCarrier === undefined ? '' : ` (${whyCarrier})`}`,
      unspoken(content, whyCarrier !== undefined),
    ],
  ] as const;
  const said = reasons.filter(([, names]) => names.length > 0);
  if (said.length === 0) return undefined;
  return said.map(([where, names]) => `no effect ${where}: ${names.join(', ')}`).join('; ');
}

const MODEL_CURE = 'name a ModelProvider in model.provider, or set PARLEY_MODEL_URL';

/** Voice settings that are not sent to a carrier that provides the agent's speech. */
const OWN_SPEECH = ['model', 'speed', 'fallback'] as const;

/**
 * Returns the settings of `voice` and `transcriber` that have no effect. All have an effect if both name a provider and
 * `isCarrier` is false. Otherwise the carrier provides transcription and speech, and receives only the provider, ID and
 * language of the voice.
 */
function unspoken({ transcriber, voice }: Content, isCarrier: boolean): string[] {
  const areNamed = voice?.provider !== undefined && transcriber?.provider !== undefined;
  if (areNamed && !isCarrier) return [];
  const unsaid = OWN_SPEECH.filter((field) => voice?.[field] !== undefined);
  return [
    ...(unsaid.length > 0 ? [`voice (${unsaid.join(', ')})`] : []),
    ...(transcriber ? ['transcriber'] : []),
  ];
}

type Content = ReturnType<typeof contentOf>;

/** Returns true if a model is configured, even if it is unreachable. A fallback model alone is enough. */
function hasModel(content: Content, { hasDefaultModel, isSample }: Models): boolean {
  const isNamed = providersOf(content.model).length > 0;
  return hasDefaultModel || isNamed || (isSample?.(content) ?? false);
}

function withoutModel(content: Content): string[] {
  const tools = (content.tools ?? []).map(({ name }) => name);
  const isJudged = content.judgement?.by === 'model' && !content.judgement.model?.provider;
  const isRule = content.escalation?.rules?.some(({ when }) => when === 'tool_failure') ?? false;
  return [
    'prompt', // Every agent declares one.
    ...(tools.length > 0 ? [`tools (${listed(tools)})`] : []),
    ...(content.model ? ['model'] : []),
    ...(isRule ? ['the escalation rule tool_failure'] : []),
    ...(isJudged ? ['judgement'] : []),
  ];
}

const NAMED_MAX = 10;

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return [...names.slice(0, NAMED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
