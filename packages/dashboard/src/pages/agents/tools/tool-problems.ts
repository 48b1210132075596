import type { ToolDraft } from './tool-draft.ts';
import { isWrongSchema } from './sample-arguments.ts';

/** Missing and invalid values of a tool, by field. The API checks everything else when the agent is saved. */
export type ToolProblems = Partial<
  Record<'name' | 'url' | 'agent' | 'parameters' | 'secret_ref' | 'signing_secret_ref', string>
>;

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

export function problemsOf(draft: ToolDraft, taken: readonly string[]): ToolProblems {
  const { type, name, url, agent, parameters } = draft;
  const isWebhook = type === 'webhook';
  const all: ToolProblems = {
    ...(!NAME.test(name) && {
      name: 'Use letters, digits, underscores and hyphens. Begin with a letter or underscore.',
    }),
    ...(taken.includes(name) && { name: `The agent already has a tool named ${name}.` }),
    ...(isWebhook && !url?.trim() && { url: 'The tool needs the URL of your service.' }),
    ...(type === 'handoff' && !agent && { agent: 'Choose the agent that takes over.' }),
    ...parameterProblem(parameters),
  };
  for (const field of ['secret_ref', 'signing_secret_ref'] as const) {
    const ref = draft[field];
    if (isWebhook && ref && Boolean(ref.name.trim()) !== Boolean(ref.key.trim())) {
      all[field] = 'Enter both the name of the Secret and the key in it.';
    }
  }
  return all;
}

function parameterProblem(parameters: ToolDraft['parameters']): ToolProblems {
  if (isWrongSchema(parameters)) return { parameters: 'The parameters must be a JSON Schema.' };
  if (typeof parameters === 'string') return {};
  const names = parameters.rows.map(({ name }) => name.trim());
  if (names.includes('')) return { parameters: 'Each parameter needs a name.' };
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? {} : { parameters: `Two parameters are named ${twice}.` };
}
