import { Command } from 'commander';
import { settingsHelp } from './commands/settings-help.ts';
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
  .description('run everything in one process, with its own PostgreSQL unless DATABASE_URL is set')
  .addHelpText('after', settingsHelp('start'))
  .action(async () => (await import('./standalone/run.ts')).runStart(configured()));

for (const role of ['operator', 'api', 'delivery'] as const) {
  program
    .command(role)
    .description(`run only the ${role} role, as in a pod`)
    .addHelpText('after', settingsHelp('role'))
    .action(async () => (await import('./commands/run-role.ts')).runRole(role, configured()));
}

program
  .command('migrate')
  .description('bring the database schema up to date')
  .action(async () => (await import('./commands/migrate.ts')).runMigrate(configured()));

program
  .command('reseal')
  .description('encrypt stored secrets with PARLEY_ENCRYPTION_KEY instead of the previous key')
  .action(async () => (await import('./commands/reseal.ts')).runReseal(configured()));

program
  .command('keys')
  .description('manage API keys')
  .command('create')
  .description('create a key and print it; it is shown only once')
  .requiredOption('-n, --namespace <namespace>', 'namespace of the key')
  .option('--scopes <scopes>', 'comma-separated: read,write,publish,replay,keys (default: all)')
  .option('--name <name>', 'display name of the key')
  .option('--expires <end>', 'expiry: 90d, 12h, or a date such as 2027-01-31 (default: never)')
  .action(
    async (options: { namespace: string; scopes?: string; name?: string; expires?: string }) => {
      const { createKey } = await import('./commands/keys.ts');
      const { namespace, scopes, name, expires } = options;
      await createKey(configured(), { namespace, scopes, name, expires });
    },
  );

program
  .command('drill')
  .description(
    'call an agent with recorded voices, interrupt it, and check what was played and stored',
  )
  .requiredOption('--url <url>', 'URL of the API')
  .option(
    '--base-url <url>',
    'PARLEY_BASE_URL of the API, used in carrier signatures (default: same as --url)',
  )
  .requiredOption('--key-file <file>', 'file with an API key')
  .requiredOption('--token-file <file>', 'file with the carrier token that --secret contains')
  .requiredOption(
    '--secret <name/key>',
    'Secret with the carrier token, in the namespace of the API key',
  )
  .option(
    '--host <host>',
    'host name at which Parley reaches this process (default: the name of this machine)',
  )
  .option('--port <port>', 'port on which this process listens for Parley', '0')
  .option('--interruptions <count>', 'number of interruptions by callers', '10')
  .option('--at-once <calls>', 'number of concurrent calls', '2')
  .option('--retranscribe', 'set the transcriber option retranscribe_interrupted')
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
  // A mistake by the user is printed without a stack trace, and a bug in Parley with one.
  const isMistake = error instanceof StartupError;
  const text = isMistake ? error.message : error instanceof Error ? error.stack : String(error);
  for (const line of (text ?? '').split('\n')) process.stderr.write(`parley: ${line}\n`);
  process.exit(1);
}
