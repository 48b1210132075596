import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { StartupError } from '../../../src/errors.ts';
import { runDrill } from './run-drill.ts';
import { createStandIn } from './stand-in/stand-in.ts';

export type DrillArguments = {
  url: string;
  baseUrl?: string | undefined;
  keyFile: string;
  tokenFile: string;
  secret: string;
  host?: string | undefined;
  port: string;
  interruptions: string;
  atOnce: string;
  retranscribe?: boolean | undefined;
};

/** Runs `parley drill` with recorded callers. The exit code is 1 if a check fails. */
export async function runDrillCommand(given: DrillArguments): Promise<void> {
  const { url, baseUrl = url, host = hostname() } = given;
  const [name, key, ...more] = given.secret.split('/');
  if (!name || !key || more.length > 0) {
    throw new StartupError('--secret must be NAME/KEY, such as voice-drill/auth-token');
  }
  const standIn = createStandIn();
  const isRight = await runDrill({
    url: bare(url, '--url'),
    baseUrl: bare(baseUrl, '--base-url'),
    apiKey: await textOf(given.keyFile, '--key-file'),
    token: await textOf(given.tokenFile, '--token-file'),
    tokenFrom: { name, key },
    voiceAt: standIn.voiceAt,
    serves: [standIn.serve],
    listen: { host: '::', port: wholeOf(given.port, '--port', 0, 65_535), name: host },
    interruptions: wholeOf(given.interruptions, '--interruptions', 0, 1_000),
    atOnce: wholeOf(given.atOnce, '--at-once', 1, 100),
    retranscribes: given.retranscribe === true,
    write: (line) => void process.stdout.write(`${line}\n`),
  });
  process.exitCode = isRight ? 0 : 1;
}

function bare(url: string, option: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new StartupError(`${option} must be a URL such as http://parley-api:8080`);
  }
  return url.replace(/\/+$/, '');
}

function wholeOf(text: string, option: string, min: number, max: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(number >= min && number <= max)) {
    throw new StartupError(`${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}

async function textOf(file: string, option: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new StartupError(`${option}: ${String(error)}`);
  }
}
