/** Problem with this machine's setup. It is printed as one line, without a stack trace. */
export class SetupError extends Error {}

/** Prints a message for the user to stderr, because a program may be reading stdout. */
export function say(line) {
  process.stderr.write(`parley: ${line}\n`);
}
