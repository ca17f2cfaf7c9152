import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { beginSession, type Credentials, deskClient } from '../../desk/cli/client';
import type { Console } from '../../desk/cli/console';
import { joinByLink } from '../../desk/cli/join';
import type { Place } from '../../desk/cli/session-program';
import { ConfigError } from '../../kernel/config/config';
import type { PersonConfig } from '../../kernel/config/person';
import { StartupError } from '../../kernel/startup-error';
import { readDemoCredentials } from '../demo-credentials';
import { DESK_FILE } from '../desk-file';
import { readState, writeState } from '../embedded/state-file';
import { signingKeys } from './signing-key';

/** The session that `operator login` keeps, readable by its owner only. */
interface KeptSession {
  url: string;
  token: string;
}

const sessionPath = ({ operatorSession }: PersonConfig): string =>
  operatorSession ?? join(homedir(), '.cardwright', 'session.json');

/**
 * The desk of DESK_URL, or of a running `npm start`. The operator is the one of OPERATOR_NAME and OPERATOR_SECRET, the one
 * of `operator login`, or the sandbox's own.
 */
export function deskPlace(config: () => PersonConfig, console: Console): Place {
  return {
    signingKeys: signingKeys(config),
    async open() {
      const given = config();
      const url = await urlOf(given);
      const kept = await readState<KeptSession>(sessionPath(given));
      const credentials =
        credentialsOf(given) ?? (kept?.url === url ? undefined : await sandboxOperator(given));
      if (!credentials) {
        if (kept?.url !== url)
          throw new StartupError('Sign in first: operator login, or OPERATOR_NAME and OPERATOR_SECRET.');
        return { client: deskClient(url, kept.token), close: async () => undefined };
      }
      const client = deskClient(url, await beginSession(url, credentials));
      // A session that does not end now ends by its rest.
      return { client, close: () => client.delete('/sessions/current').catch(() => undefined) };
    },
    async login({ name, code }) {
      const given = config();
      const url = await urlOf(given);
      const operator = name ?? given.operatorName;
      if (operator === undefined) throw new ConfigError('OPERATOR_NAME: must be given, or --name.');
      const secret = given.operatorSecret ?? (await console.read?.())?.trim() ?? '';
      const token = await beginSession(url, { name: operator, secret, code: code ?? given.operatorCode });
      const path = sessionPath(given);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeState(path, { url, token } satisfies KeptSession);
      return operator;
    },
    async join({ token, code }) {
      const given = config();
      const secret = async () => given.operatorSecret ?? (await console.read?.())?.trim() ?? '';
      return joinByLink(await urlOf(given), { token, code, secret });
    },
    async logout() {
      const path = sessionPath(config());
      const kept = await readState<KeptSession>(path);
      if (!kept) return;
      await deskClient(kept.url, kept.token).delete('/sessions/current');
      await rm(path, { force: true });
    },
  };
}

async function urlOf({ deskUrl, dataDir }: PersonConfig): Promise<string> {
  const url = deskUrl ?? (await readState<{ url: string }>(join(dataDir, DESK_FILE)))?.url;
  if (url === undefined)
    throw new StartupError(
      `There is no desk in ${dataDir}. Start one with "npm start" in another terminal, name its folder in DATA_DIR, or ` +
        'give the address of the desk in DESK_URL.',
    );
  return url;
}

/** @throws ConfigError for a secret without a name */
function credentialsOf({ operatorName: name, operatorSecret: secret, operatorCode: code }: PersonConfig) {
  if (secret === undefined) return undefined;
  if (name === undefined) throw new ConfigError('OPERATOR_NAME: must be given with OPERATOR_SECRET.');
  return { name, secret, code } satisfies Credentials;
}

/** Everybody who can read the folder of an embedded sandbox is its operator. */
async function sandboxOperator({ deskUrl, dataDir }: PersonConfig): Promise<Credentials | undefined> {
  if (deskUrl !== undefined) return undefined;
  const operator = (await readDemoCredentials(dataDir))?.operator;
  return operator && { name: operator.name, secret: operator.operatorSecret };
}
