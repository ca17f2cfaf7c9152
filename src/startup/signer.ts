import { join } from 'node:path';
import type { Logger } from 'pino';
import type { SeenList } from '../chain/signing/allow-list';
import { startSigning } from '../chain/signing/process';
import type { Config } from '../kernel/config/config';
import { hearOthers } from '../kernel/db/calls';
import { createDatabase, type Database } from '../kernel/db/database';
import { lookoutOf } from '../kernel/db/lookout';
import { openKeyring } from '../kernel/security/installation-keys';
import { keepKeyring } from '../kernel/security/keep-keyring';
import type { Keyring } from '../kernel/security/keyring';
import { createMasterKeys } from '../kernel/security/master-keys/create';
import type { MasterKeys } from '../kernel/security/master-keys/port';
import { StartupError } from '../kernel/startup-error';
import type { StartRole } from './arguments';
import { readState, writeState } from './embedded/state-file';
import { ensureKeyFile } from './key-file';
import { assertSettings, awaitRights, awaitSchema } from './schema';
import type { Stages } from './stages';

/** File of DATA_DIR with the allow-list that the signing process has accepted last. */
const SEEN_FILE = 'allow-list.json';

/**
 * Refuses keys of the signing process where another process would hold them too, and their lack where it needs them.
 * @throws StartupError
 */
export function assertSignerKeys(role: StartRole, config: Config): void {
  const { signerKeys, signerOperators, stationKeys, masterKeys, mode } = config;
  if (role === 'signer' && (!signerKeys || !masterKeys))
    throw new StartupError('--role signer needs SIGNER_KEYS and MASTER_KEYS.');
  if (signs(role) && signerKeys && !signerOperators && mode === 'live')
    throw new StartupError('MODE=live needs SIGNER_OPERATORS: whose signatures admit what is signed.');
  if (!signs(role) && signerKeys)
    throw new StartupError(
      `SIGNER_KEYS must not be given to --role ${role}: only the signing process opens the wallets' seed.`,
    );
  if (!signs(role) && stationKeys)
    throw new StartupError(
      `STATION_KEYS must not be given to --role ${role}: only the signing process uses the keys of stations.`,
    );
}

const signs = (role: StartRole): boolean => role === 'signer' || role === 'all';

interface Setup {
  config: Config;
  log: Logger;
  stages: Stages;
}

/** Starts the signing process alone. */
export async function startSigner({ config, log, stages }: Setup): Promise<void> {
  const { databaseUrl = '', masterKeys, signerKeys } = config;
  if (!masterKeys || !signerKeys) throw new Error('the keys were checked before');
  const database = createDatabase({
    url: databaseUrl,
    poolSize: config.databasePool,
    name: 'cardwright signer',
  });
  stages.started('database', () => database.close());
  const hearing = hearOthers({ url: databaseUrl, name: 'cardwright signer' }, () =>
    lookoutOf(database).wake(),
  );
  stages.started('calls of other processes', () => hearing.stop());
  await awaitSchema(database, log, stages);
  await awaitRights(database, config.mode, log, stages);
  await assertSettings(database, databaseUrl);
  const keyring = await openKeyring(database, createMasterKeys(masterKeys));
  const kept = keepKeyring(keyring, database, log);
  stages.started('keyring', () => kept.stop());
  await signWith({ config, log, stages }, { database, keyring, signerKeys: createMasterKeys(signerKeys) });
}

/**
 * The keys for the signing process within the process that plays all roles. The embedded sandbox makes them at its first
 * start. Undefined: this process signs nothing.
 * @throws StartupError as ensureKeyFile
 */
export async function signerKeysOfAll(
  role: StartRole,
  { config, log }: Pick<Setup, 'config' | 'log'>,
): Promise<MasterKeys | undefined> {
  if (role !== 'all') return undefined;
  const isEmbedded = config.databaseUrl === undefined && config.mode === 'sandbox';
  const made = isEmbedded ? () => ensureKeyFile(config.dataDir, 'SIGNER_KEYS') : undefined;
  const settings = config.signerKeys ?? (await made?.());
  if (!settings) log.warn('SIGNER_KEYS is not given: nothing is signed for wallets here');
  return settings && createMasterKeys(settings);
}

/** Runs the signing process, in a process of its own or with all roles. */
export async function signWith(
  { config, log, stages }: Setup,
  keys: { database: Database; keyring: Keyring; signerKeys: MasterKeys },
): Promise<void> {
  const path = join(config.dataDir, SEEN_FILE);
  const signing = await startSigning({
    ...keys,
    log,
    operators: config.signerOperators,
    stationKeys: config.stationKeys ?? [],
    seen: {
      read: () => readState<SeenList>(path),
      write: (seen) => writeState(path, seen),
    },
    now: () => new Date(),
  });
  stages.started('signing process', () => signing.stop());
}
