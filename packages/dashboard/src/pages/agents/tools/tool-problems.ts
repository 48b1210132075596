import type { ToolDraft } from './tool-draft.ts';
import { isWrongSchema } from './sample-arguments.ts';

/** What is missing in a tool, by its field. The API checks everything else when the agent is saved. */
export type ToolProblems = Partial<
  Record<'name' | 'url' | 'agent' | 'parameters' | 'secret_ref' | 'signing_secret_ref', string>
>;

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

export function problemsOf(draft: ToolDraft, taken: readonly string[]): ToolProblems {
  const { type, name, url, agent, parameters } = draft;
  const isWebhook = type === 'webhook';
  const all: ToolProblems = {
    ...(!NAME.test(name) && {
      name: 'The name needs letters, digits, underscores or hyphens, and begins with a letter.',
    }),
    ...(taken.includes(name) && { name: `The agent already has a tool ${name}.` }),
    ...(isWebhook && !url?.trim() && { url: 'The tool needs the URL of your service.' }),
    ...(type === 'handoff' && !agent && { agent: 'Choose the agent that takes over.' }),
    ...parameterProblem(parameters),
  };
  for (const field of ['secret_ref', 'signing_secret_ref'] as const) {
    const ref = draft[field];
    if (isWebhook && ref && Boolean(ref.name.trim()) !== Boolean(ref.key.trim())) {
      all[field] = 'A Secret needs its name and the key in it.';
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
  return twice === undefined ? {} : { parameters: `There are two parameters ${twice}.` };
}
