/** What stands in the way on this machine: shown as one line, without a stack. */
export class SetupError extends Error {}

/** One line for a person. Never stdout: a program may be reading that. */
export function say(line) {
  process.stderr.write(`parley: ${line}\n`);
}
