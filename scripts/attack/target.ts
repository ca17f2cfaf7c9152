import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { cardwright } from '../../client/src';
import { addOperator } from '../../src/desk/operators/operations';
import { type InstallationSession, openInstallation } from '../../src/installation/session';
import { readConfig } from '../../src/kernel/config/config';
import { partySecret } from '../../src/parties/sandbox/mount';
import { DESK_FILE } from '../../src/startup/desk-file';
import { readState, writeState } from '../../src/startup/embedded/state-file';
import { placeOf } from '../../src/startup/installation/run';
import { asking } from '../../test/support/ask';
import { readCredentials } from '../support/api';
import { operatorJson } from '../support/operator';
import { ownTenant } from '../support/tenant';
import { loopbackUrl } from './options';
import { type KnownIds, makeRecords, recordsFrom } from './records';
import { clientOf, made, type Person, type Target } from './world';

interface OpenTarget {
  target: Target;
  known: KnownIds;
  close(): Promise<void>;
}

/** Prepares the running `npm start` of DATA_DIR: a tenant with records and money, and a second operator. */
export async function openTarget(): Promise<OpenTarget> {
  const config = readConfig();
  const credentials = readCredentials(config.dataDir);
  const api = loopbackUrl(credentials.baseUrl);
  const found = await readState<{ url: string }>(join(config.dataDir, DESK_FILE));
  if (!found)
    throw new Error(`No desk listens in ${config.dataDir}: run \`npm start\` in another terminal first.`);
  const desk = loopbackUrl(found.url);
  await assertSandbox(api);
  const installation = await openInstallation(await placeOf(config));
  const { database, keyring, close } = installation;
  const { name, operatorSecret: secret } = credentials.operator;
  const chief = { name, secret };
  const deputy = await deputyIn(config.dataDir, installation);
  const [client, admin] = [await ownTenant('Attack'), await ownTenant('Attack', 'admin')];
  await operatorJson('iban', 'enable', client.clientId);
  const set = ['rateLimit.perSecond=100000', 'rateLimit.burst=100000'];
  for (const setting of set) await operatorJson('client', 'settings', client.clientId, '--set', setting);
  const callers = {
    client: cardwright({ baseUrl: api, ...client }),
    admin: cardwright({ baseUrl: api, ...admin }),
  };
  const known = await makeRecords(callers, client.clientId);
  const headers = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
  const caller = clientOf({ clientId: client.clientId, headers, ask: asking(api, headers) });
  return {
    target: {
      api,
      desk,
      database,
      partySecret: (party) => partySecret(keyring, party),
      people: { chief, deputy },
      records: recordsFrom(known, caller),
      isWhole: true,
    },
    known,
    close,
  };
}

/**
 * The second operator, who is kept in a file (0600) for later attacks: once there are two, nobody is admitted by the first
 * alone.
 */
async function deputyIn(dataDir: string, { database, keyring }: InstallationSession): Promise<Person> {
  const path = join(dataDir, 'attack.json');
  const kept = await readState<Person>(path);
  if (kept) return kept;
  const name = `attack-${randomUUID().slice(0, 8)}`;
  const { operatorId, operatorSecret: secret } = await database.transaction((tx) =>
    addOperator(tx, keyring, { name, createdBy: 'applicant' }),
  );
  await operatorJson('operator', 'admit', operatorId);
  await writeState(path, { name, secret });
  return { name, secret };
}

/** @throws Error when no sandbox answers */
async function assertSandbox(api: string): Promise<void> {
  const answer = await asking(api)('GET', '/openapi.json');
  if (answer.status === 0)
    throw new Error(`No Cardwright answers at ${api}: run \`npm start\` in another terminal first.`);
  if (!made(answer).paths['/sandbox/transactions'])
    throw new Error('An attack needs a sandbox; this installation is live.');
}
