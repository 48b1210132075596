import { monotonicMs } from '../../clock.ts';
import { ApiError, type FieldError } from '../../errors.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import { missingAgent, missingAgents } from '../references/missing-agents.ts';
import { readRecalledByName } from '../recalls/recalls.sql.ts';
import { COMPILE_MS, compileParameters } from './tool-parameters.ts';

/** Problems with declared tools, as REST errors and as conditions. */

/** Fields of a tool that have the same name in REST and in manifests. */
export type DeclaredTool = {
  name: string;
  url?: string | undefined;
  parameters?: Readonly<Record<string, unknown>> | undefined;
  type: string;
  agent?: string | undefined;
  version?: number | undefined;
};

/** Problem with a declared tool. `pointer` starts at the list of tools, as in `/0/parameters/type`. */
export type ToolProblem = { name: string; pointer: string; detail: string };

/**
 * Returns a problem for each tool whose parameters are not a valid JSON Schema or are too large. `COMPILE_MS` limits
 * the total time to compile all schemas of an agent. After each schema, the event loop may run other work, so that one
 * request does not block others.
 */
export async function parameterProblems(tools: readonly DeclaredTool[]): Promise<ToolProblem[]> {
  const problems: ToolProblem[] = [];
  let leftMs = COMPILE_MS;
  for (const [at, { name, parameters }] of tools.entries()) {
    if (!parameters) continue;
    await giveWay();
    const startedMs = monotonicMs();
    const compiled = compileParameters(parameters, { compileMs: Math.ceil(Math.max(1, leftMs)) });
    leftMs -= monotonicMs() - startedMs;
    if (!('problem' in compiled)) continue;
    const { pointer, detail } = compiled.problem;
    problems.push({ name, pointer: `/${at}/parameters${pointer}`, detail });
  }
  return problems;
}

/**
 * Returns a problem for each tool with a forbidden URL. The same rules apply as for webhook endpoints
 * (contract/webhooks.md#addresses).
 */
export function urlProblems(tools: readonly DeclaredTool[], guard: AddressGuard): ToolProblem[] {
  return tools.flatMap(({ name, url }, at) => {
    if (url === undefined) return [];
    const checked = checkUrl(url, guard);
    return 'problem' in checked ? [{ name, pointer: `/${at}/url`, detail: checked.problem }] : [];
  });
}

/** Returns a problem for each handoff to an agent that does not exist in the namespace. Costs one read per agent. */
export async function handoffProblems(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  tools: readonly DeclaredTool[],
): Promise<ToolProblem[]> {
  const handoffs = tools.flatMap(({ type, name, agent }, at) =>
    type === 'handoff' && agent !== undefined ? [{ name, agent, at }] : [],
  );
  const named = handoffs.map(({ agent }) => agent);
  const missing = await missingAgents(store, namespace, named);
  return handoffs
    .filter(({ agent }) => missing.has(agent))
    .map(({ name, agent, at }) => {
      return { name, pointer: `/${at}/agent`, detail: missingAgent(agent) };
    });
}

/** Returns a problem for each handoff to a recalled version. Costs one read if a handoff names a version. */
export async function recalledHandoffs(
  pool: Pool,
  namespace: string,
  tools: readonly DeclaredTool[],
): Promise<ToolProblem[]> {
  const handoffs = tools.flatMap(({ type, name, agent, version }, at) =>
    type === 'handoff' && agent !== undefined && typeof version === 'number'
      ? [{ name, agent, version, at }]
      : [],
  );
  const names = handoffs.map(({ agent }) => agent);
  const recalled = await readRecalledByName(pool, { namespace, names });
  return handoffs
    .filter(({ agent, version }) =>
      recalled.some((one) => one.agent === agent && one.version === version),
    )
    .map(({ name, agent, version, at }) => {
      const detail = `version ${version} of agent "${agent}" was recalled; name another version, or omit \`version\` to use the live one`;
      return { name, pointer: `/${at}/version`, detail };
    });
}

/** Returns the condition message for a problem. */
export function messageOf({ name, pointer, detail }: ToolProblem): string {
  const place = pointer.replace(/^\/\d+\//, '');
  return `tool "${name}": ${place}: ${detail}`;
}

/**
 * Rejects a request if one of its tools could never work: its parameters or URL are invalid, or it hands over to an
 * unknown agent or a recalled version.
 * @throws ApiError invalid_body
 */
export async function requireTools(
  { guard, store, pool }: { guard: AddressGuard; store: Pick<ResourceStore, 'get'>; pool: Pool },
  namespace: string,
  { tools }: { tools?: unknown },
): Promise<void> {
  // The body is validated, but a merge patch may contain `null`.
  const declared = (tools ?? []) as readonly DeclaredTool[];
  const as = (code: string, problems: readonly ToolProblem[]): FieldError[] =>
    problems.map(({ pointer, detail }) => ({ pointer: `/tools${pointer}`, code, detail }));
  const errors = [
    ...as('invalid_value', await parameterProblems(declared)),
    ...as('invalid_url', urlProblems(declared, guard)),
    ...as('unknown_agent', await handoffProblems(store, namespace, declared)),
    ...as('version_recalled', await recalledHandoffs(pool, namespace, declared)),
  ];
  const [first] = errors;
  if (first) throw new ApiError('invalid_body', first.detail, { errors });
}
