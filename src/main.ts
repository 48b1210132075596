import { Command } from 'commander';
import { VERSION } from './commands/version.ts';
import { readConfig, type Config } from './config.ts';
import { StartupError } from './errors.ts';
import type { DrillArguments } from '../packages/drill/src/command.ts';
import { armFailpoints } from './failpoints.ts';

/** Command line of the program. Each command's code is imported on demand, so a role loads only what it needs. */

const program = new Command('parley')
  .description('Conversational agents with versions you can roll back and events you cannot lose.')
  .version(VERSION, '-V, --version', 'print the version')
  .showHelpAfterError();

program
  .command('start')
  .description('everything in one process, with its own PostgreSQL unless DATABASE_URL is set')
  .action(async () => (await import('./standalone/run.ts')).runStart(configured()));

for (const role of ['operator', 'api', 'delivery'] as const) {
  program
    .command(role)
    .description(`the ${role} role alone, as in a pod`)
    .action(async () => (await import('./commands/run-role.ts')).runRole(role, configured()));
}

program
  .command('migrate')
  .description('bring the database schema up to date')
  .action(async () => (await import('./commands/migrate.ts')).runMigrate(configured()));

program
  .command('reseal')
  .description('seal with PARLEY_ENCRYPTION_KEY what the previous key sealed')
  .action(async () => (await import('./commands/reseal.ts')).runReseal(configured()));

program
  .command('keys')
  .description('API keys')
  .command('create')
  .description('make a key and print it; it is shown once')
  .requiredOption('-n, --namespace <namespace>', 'the namespace the key belongs to')
  .option('--scopes <scopes>', 'comma-separated: read,write,publish,replay,keys (default: all)')
  .option('--name <name>', 'to know it again')
  .option('--expires <end>', 'when it ends: 90d, 12h, or a date as 2027-01-31 (default: never)')
  .action(
    async (options: { namespace: string; scopes?: string; name?: string; expires?: string }) => {
      const { createKey } = await import('./commands/keys.ts');
      const { namespace, scopes, name, expires } = options;
      await createKey(configured(), { namespace, scopes, name, expires });
    },
  );

program
  .command('drill')
  .description('ring an agent with recorded voices, break in, and check what was heard and stored')
  .requiredOption('--url <url>', 'where the API is reached')
  .option('--base-url <url>', 'its PARLEY_BASE_URL, which carriers sign (default: as --url)')
  .requiredOption('--key-file <file>', 'a file with an API key')
  .requiredOption('--token-file <file>', 'a file with the token that the Secret has')
  .requiredOption('--secret <name/key>', 'of the namespace of the key, for a TelephonyProvider')
  .option('--host <host>', 'how Parley reaches this process (default: the name of this machine)')
  .option('--port <port>', 'where it listens for that', '0')
  .option('--interruptions <count>', 'how often callers break in', '10')
  .option('--at-once <calls>', 'how many calls go on at once', '2')
  .option('--retranscribe', "set the transcriber's option retranscribe_interrupted")
  .action(async (options: DrillArguments) => {
    await (await import('../packages/drill/src/command.ts')).runDrillCommand(options);
  });

function configured(): Config {
  const config = readConfig();
  armFailpoints(config.failpoints);
  return config;
}

try {
  await program.parseAsync();
} catch (error) {
  // A user's mistake is printed as one line, our own with its stack trace.
  const isMistake = error instanceof StartupError;
  const text = isMistake ? error.message : error instanceof Error ? error.stack : String(error);
  for (const line of (text ?? '').split('\n')) process.stderr.write(`parley: ${line}\n`);
  process.exit(1);
}
