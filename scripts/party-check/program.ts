import { CommanderError } from 'commander';
import { isLoopback } from '../support/arguments';
import { checkParty } from './conformance';
import { startListener } from './listener';
import { type CheckOptions, readOptions } from './options';
import { countsOf, lineOf, summaryOf } from './report';

/** @returns the exit code: 0 no check failed, 1 one failed, 2 it was called wrongly */
export async function runPartyCheck(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<number> {
  let options: CheckOptions;
  try {
    options = readOptions(argv, environment);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2; // the message is printed already; --help is no error
  }
  return check(options, say);
}

async function check(options: CheckOptions, say: (line: string) => void): Promise<number> {
  const { protocol, baseUrl, json, seconds, callbackUrl, callbackPort, lineSeconds } = options;
  const lines = lineSeconds > 0 ? (protocol.lines ?? []) : [];
  const host = callbackUrl === undefined ? '127.0.0.1' : '0.0.0.0';
  const listener = await startListener(callbackPort, host, lines);
  const url = callbackUrl ?? (isLoopback(baseUrl) ? listener.url : undefined);
  try {
    if (!json) say(`${protocol.title} at ${baseUrl}\n`);
    for (const path of json ? [] : new Set(lines.map((line) => line.path)))
      say(`Its messages are awaited at ${new URL(path, listener.url).href}.\n`);
    const results = await checkParty({
      ...options,
      patienceMs: seconds * 1000,
      callbacks: url === undefined ? undefined : { url, heard: listener.heard },
      lines: lines.length > 0 ? { ms: lineSeconds * 1000, told: listener.told } : undefined,
      onResult: (result) => (json ? undefined : say(lineOf(result))),
    });
    const counts = countsOf(results);
    say(
      json ? JSON.stringify({ party: protocol.name, url: baseUrl, ...counts, checks: results }, null, 2) : '',
    );
    if (!json) say(summaryOf(counts));
    return counts.failed > 0 ? 1 : 0;
  } finally {
    await listener.close();
  }
}
