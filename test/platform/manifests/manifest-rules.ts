import type { FieldError } from '../../../src/errors.ts';
import { KINDS } from '../../../src/roles/kinds.ts';
import { isRecord } from '../../../src/platform/resources/schema/prepare.ts';
import type { Validate, Validator } from '../../../src/platform/resources/schema/validate.ts';

/** A stand-in for the CRD's rules: few rules, but with the same form of pointers. */
const judge: Validate = (_kind, given) => {
  const spec = isRecord(given) ? given : {};
  const errors: FieldError[] = [];
  const add = (pointer: string, detail: string) => errors.push({ pointer, code: 'x', detail });
  if (spec['prompt'] === undefined) add('/spec/prompt', 'is required');
  if (spec['speed'] === 9) add('/spec/speed', 'must be at most 4');
  if ('promt' in spec) add('/spec/promt', 'is unknown; remove it');
  const tools: unknown[] = Array.isArray(spec['tools']) ? spec['tools'] : [];
  tools.forEach((tool, index) => {
    if (tool === null) add(`/spec/tools/${index}/url`, 'is required');
    else if (typeof tool !== 'object' || !('url' in tool)) return;
    else if (tool.url === 'bad') add(`/spec/tools/${index}/url`, 'must be a URL');
  });
  return errors.length > 0 ? { errors } : { spec: { ...spec, defaulted: true }, declared: spec };
};
export const validate: Validator = Object.assign(judge, {
  kinds: KINDS.map(({ kind }) => kind),
});

export function agent(name: string, spec: string = `prompt: I am ${name}`): string {
  return `apiVersion: parley.dev/v1alpha1\nkind: Agent\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;
}
