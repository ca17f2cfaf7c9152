import { setTimeout as sleep } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { readConfig } from '../src/kernel/config/config';
import { outliveOutput } from '../src/startup/output';
import { type Listening, listen } from './listen/listen';
import { type Credential, readCredentials } from './support/api';
import { httpUrl } from './support/arguments';

/**
 * `npm run listen -- --forward http://localhost:3000/webhooks` posts a tenant's events to a local port, with the tenant's
 * signature. No webhook URL is registered or changed. Exits with 1 when the API refuses, 2 when it was called wrongly.
 */

outliveOutput();

function read(argv: readonly string[]): Listening {
  const options = new Command('listen')
    .description("posts a tenant's events to a local port, signed, without a registered webhook URL")
    .requiredOption('--forward <url>', 'where to post, such as http://localhost:3000/webhooks', httpUrl)
    .option('--type <type>', 'only events of this webhook type, such as card')
    .option('--api <url>', 'base URL of the API; default: that of credentials.json', httpUrl)
    .option('--client-id <id>', 'default: the client of credentials.json; the secret is CLIENT_SECRET')
    .exitOverride()
    .parse(argv, { from: 'user' })
    .opts<{ forward: string; type?: string; api?: string; clientId?: string }>();
  const { api, clientId, ...rest } = options;
  if (api !== undefined && clientId !== undefined)
    return { ...rest, api, credential: given(clientId), say: console.log };
  const credentials = readCredentials(readConfig().dataDir);
  const credential = clientId === undefined ? credentials.client : given(clientId);
  return { ...rest, api: api ?? credentials.baseUrl, credential, say: console.log };
}

/** The secret comes by the environment, because the arguments of a process are public on its machine. */
function given(clientId: string): Credential {
  const { CLIENT_SECRET: clientSecret } = process.env;
  if (!clientSecret) throw new Error('CLIENT_SECRET is missing: the secret of --client-id.');
  return { clientId, clientSecret };
}

async function main(): Promise<void> {
  const listening = listen(read(process.argv.slice(2)));
  process.once('SIGINT', () => listening.stop());
  process.once('SIGTERM', () => listening.stop());
  await listening.ended;
}

main().catch(async (error: Error) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  process.stderr.write(`${error.message}\n`);
  await sleep(0);
  process.exit(1);
});
