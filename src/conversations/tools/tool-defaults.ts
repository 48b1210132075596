import type { AgentContent } from '../../agents/agent.ts';
import type { Parameters } from '../../agents/tools/tool-parameters.ts';
import type { ModelTool } from '../../models/model.ts';

export type Tool = NonNullable<AgentContent['tools']>[number];

const NOTHING: Parameters = { type: 'object', properties: {}, additionalProperties: false };

const REASON: Parameters = {
  type: 'object',
  properties: {
    reason: { type: 'string', maxLength: 256, description: 'Why, in a few words.' },
  },
  additionalProperties: false,
};

/** Descriptions and parameters that the model receives for tools that declare none. */
const DEFAULTS: Record<Tool['type'], { description?: string; parameters: Parameters }> = {
  webhook: { parameters: NOTHING },
  knowledge_search: {
    description:
      'Searches what is known about the business for an answer. Use it before you answer a question of fact.',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          maxLength: 1_000,
          description: 'What to look for, as a question.',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  handoff: {
    description:
      'Hands the conversation to a colleague who knows more about this. Use it instead of a reply.',
    parameters: REASON,
  },
  end_call: {
    description:
      'Ends the conversation after your next words. Use it when the user has said goodbye or needs nothing more.',
    parameters: REASON,
  },
  transfer_call: {
    description:
      'Asks a human colleague to take over after your next words. Use it when the user wants a human or you cannot help.',
    parameters: REASON,
  },
};

export function parametersOf({ type, parameters }: Tool): Parameters {
  return parameters ?? DEFAULTS[type].parameters;
}

export function describeTool(tool: Tool): ModelTool {
  const description = tool.description ?? DEFAULTS[tool.type].description;
  return {
    name: tool.name,
    ...(description !== undefined && { description }),
    parameters: { ...parametersOf(tool) },
  };
}
