import { monotonicMs } from '../../clock.ts';
import { errorTypeOf, inSpan, SpanKind, type OpenSpan } from './trace-context.ts';
import type { Metrics } from './metrics.ts';

/**
 * Spans and metrics that follow OpenTelemetry's conventions for generative AI (`gen_ai.*`, status: in development).
 * Only this file contains the names of these conventions, so only this file must change if OpenTelemetry renames
 * something. Spans and metrics never contain prompts, replies, arguments or results, nor anything that identifies a
 * person, a key or an address.
 */
export type GenAi = ReturnType<typeof createGenAi>;

/** Properties of a model's response. */
export type AnsweredModel = {
  provider: string;
  model: string;
  finishReason: string;
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number };
  timeToFirstTokenMs: number | null;
};

type GenAiMetrics = Pick<
  Metrics,
  'modelDuration' | 'modelTokens' | 'modelFirstChunk' | 'toolDuration'
>;

/** Label value, defined by OpenTelemetry, for all names beyond the limit `NAMES_MAX`. */
const OTHER = '_OTHER';
/** Maximum number of distinct names per label. Tenants choose the names, and each name costs a dozen time series. */
const NAMES_MAX = 100;

export function createGenAi(metrics: GenAiMetrics) {
  const pairs = createLabels();
  const toolNames = createLabels();
  return {
    /** Records a turn: all the work of an agent for one reply. Ids are in the form that the REST API shows. */
    invokeAgent: <T>(
      about: { agentId: string; agentVersion: number; conversationId: string },
      run: (span: OpenSpan) => Promise<T>,
    ): Promise<T> =>
      inSpan(
        {
          name: 'invoke_agent',
          kind: SpanKind.INTERNAL,
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.agent.id': about.agentId,
            'gen_ai.agent.version': String(about.agentVersion),
            'gen_ai.conversation.id': about.conversationId,
          },
        },
        run,
      ),

    /**
     * Records a request to a model, including its fallbacks. `run` must call `told` with the response, even if the
     * response was interrupted after its first part. An error thrown by `run` is counted by its code.
     */
    chat: <T>(
      asked: { provider: string; model: string | undefined },
      run: (told: (answer: AnsweredModel) => void) => Promise<T>,
    ): Promise<T> => {
      const startedMs = monotonicMs();
      let answer: AnsweredModel | undefined;
      const observe = (errorType?: string): void => {
        const { provider, model } = answer ?? { ...asked, model: asked.model ?? OTHER };
        const labels = modelLabels(pairs, provider, model);
        const failed = errorType === undefined ? {} : { error_type: errorType };
        const seconds = (monotonicMs() - startedMs) / 1_000;
        metrics.modelDuration.observe({ ...labels, ...failed }, seconds);
        if (answer) observeAnswer(metrics, labels, answer);
      };
      return inSpan(modelSpan('chat', asked), async (span) => {
        try {
          const result = await run((told) => {
            answer = told;
            span.set(answerAttributes(told));
          });
          observe();
          return result;
        } catch (error) {
          observe(errorTypeOf(error));
          throw error;
        }
      });
    },

    embeddings: createEmbeddings(metrics, pairs),

    /** Records a tool call. `run` must not reject: if the call fails, `ok` in its result is false. */
    executeTool: <T extends { ok: boolean }>(
      { name, callId }: { name: string | undefined; callId: string },
      run: () => Promise<T>,
    ): Promise<T> => {
      const startedMs = monotonicMs();
      return inSpan(toolSpan(name ?? OTHER, callId), async (span) => {
        const outcome = await run();
        const failed = outcome.ok ? {} : { error_type: 'tool_failed' };
        if (!outcome.ok) span.fail('tool_failed');
        metrics.toolDuration.observe(
          { gen_ai_tool_name: toolNames(name ?? OTHER)[0], ...failed },
          (monotonicMs() - startedMs) / 1_000,
        );
        return outcome;
      });
    },
  };
}

/** Creates the function that records requests for embeddings. An error thrown by `run` is counted by its code. */
function createEmbeddings(metrics: GenAiMetrics, pairs: Labels) {
  return <T extends { tokens: number }>(
    asked: { provider: string; model: string },
    run: () => Promise<T>,
  ): Promise<T> => {
    const startedMs = monotonicMs();
    const labels = modelLabels(pairs, asked.provider, asked.model, 'embeddings');
    const observe = (failed: { error_type?: string }): void => {
      const seconds = (monotonicMs() - startedMs) / 1_000;
      metrics.modelDuration.observe({ ...labels, ...failed }, seconds);
    };
    return inSpan(modelSpan('embeddings', asked), async (span) => {
      try {
        const result = await run();
        span.set({ 'gen_ai.usage.input_tokens': result.tokens });
        observe({});
        metrics.modelTokens.observe({ ...labels, gen_ai_token_type: 'input' }, result.tokens);
        return result;
      } catch (error) {
        observe({ error_type: errorTypeOf(error) });
        throw error;
      }
    });
  };
}

type Operation = 'chat' | 'embeddings';

function modelSpan(
  operation: Operation,
  { provider, model }: { provider: string; model: string | undefined },
) {
  return {
    name: model === undefined ? operation : `${operation} ${model}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      ...(model !== undefined && { 'gen_ai.request.model': model }),
    },
  };
}

function answerAttributes({ model, provider, finishReason, usage }: AnsweredModel) {
  return {
    'gen_ai.provider.name': provider,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
  };
}

function toolSpan(name: string, callId: string) {
  return {
    name: `execute_tool ${name}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': callId,
    },
  };
}

type ModelLabels = ReturnType<typeof modelLabels>;

function modelLabels(
  bounded: Labels,
  provider: string,
  model: string,
  gen_ai_operation_name: Operation = 'chat',
) {
  const [gen_ai_provider_name, gen_ai_request_model] = bounded(provider, model);
  return { gen_ai_operation_name, gen_ai_provider_name, gen_ai_request_model };
}

function observeAnswer(metrics: GenAiMetrics, labels: ModelLabels, answer: AnsweredModel): void {
  const { usage, timeToFirstTokenMs } = answer;
  metrics.modelTokens.observe({ ...labels, gen_ai_token_type: 'input' }, usage.inputTokens);
  metrics.modelTokens.observe({ ...labels, gen_ai_token_type: 'output' }, usage.outputTokens);
  if (timeToFirstTokenMs !== null)
    metrics.modelFirstChunk.observe(labels, timeToFirstTokenMs / 1_000);
}

/**
 * Limits the number of label values. Returns the first `NAMES_MAX` combinations of names unchanged, and `_OTHER` for
 * all others.
 */
type Labels = <N extends string[]>(...names: N) => N;

function createLabels(): Labels {
  const known = new Set<string>();
  return (...names) => {
    const key = JSON.stringify(names);
    if (known.size < NAMES_MAX) known.add(key);
    return known.has(key) ? names : (names.map(() => OTHER) as typeof names);
  };
}
