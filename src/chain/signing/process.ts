import type { Logger } from 'pino';
import type { SignerOperator } from '../../kernel/config/signer-operators';
import type { StationKeySetting } from '../../kernel/config/station-keys';
import type { Database } from '../../kernel/db/database';
import { StartupError } from '../../kernel/startup-error';
import type { PublicKeys } from '../../parties/signer/derivation';
import { signerBeside } from '../../parties/signer/held/beside';
import { createHeldKeys } from '../../parties/signer/held/create';
import { forgetOldSignatures, keptSignatures } from '../../parties/signer/held/kept';
import { createHeldSigner } from '../../parties/signer/held/signer';
import { addressAt, createLocalSigner } from '../../parties/signer/local';
import { ensureSeed, findSeed, type SeedKeys, seedReader } from '../../parties/signer/seed';
import { hasWallets } from '../wallets/operations';
import { heldKeyCheck } from './held-keys';
import { allowedByConfiguration, allowedBySignedLists, keptBriefly, type SeenLists } from './in-force';
import { createJudge } from './judge';
import { type ServingOptions, serveSigning } from './serve';
import { createSums } from './sums';

export interface SigningOptions extends SeedKeys {
  database: Database;
  log: Logger;
  /** Absent: the configuration of networks and gas stations decides, which a live installation refuses. */
  operators: readonly SignerOperator[] | undefined;
  seen: SeenLists;
  /** Keys of stations that other systems hold. */
  stationKeys?: readonly StationKeySetting[];
  /** The machine's time. */
  now: () => Date;
}

/**
 * Starts the signing process, which alone can open the seed. Makes the seed where there is none.
 * @throws StartupError when there are wallets without a seed, when SIGNER_KEYS do not open the seed, and when the stored
 *   public keys are not the seed's
 */
export async function startSigning(options: SigningOptions): Promise<{ stop(): Promise<void> }> {
  return serveSigning(await servingOf(options));
}

/** What {@link startSigning} serves by. */
export async function servingOf(options: SigningOptions): Promise<ServingOptions> {
  const { database, log, signerKeys, keyring, operators, seen, stationKeys = [], now } = options;
  const publicKeys = seedReader(database, signerKeys);
  const checkSeed = () => assertSeed(options, publicKeys);
  await checkSeed();
  const addressOf = async (index: number) => addressAt({ publicKeys: await publicKeys() }, 'evm', index);
  const allowing = operators
    ? allowedBySignedLists({ database, operators, seen, firstAddress: () => addressOf(0), now })
    : allowedByConfiguration(database);
  const briefly = keptBriefly(allowing);
  const held = createHeldKeys(stationKeys);
  const checkHeld = heldKeyCheck({ database, log, now }, held);
  const own = createLocalSigner({ database, keyring, signerKeys });
  const sums = createSums({ database, keyring, now });
  const isHeld = (address: string) => held.some((key) => key.address === address);
  return {
    database,
    log,
    signer: signerBeside(own, createHeldSigner(held, keptSignatures(database)), held),
    judge: createJudge({ database, allowing: briefly, addressOf, isHeld, sums, now }),
    now,
    faulty: new Set(),
    async check() {
      // Tells operators which list is in force, also while nobody asks for a signature.
      await briefly.allowed();
      await checkSeed();
      await checkHeld();
      if (held.length > 0) await forgetOldSignatures(database);
    },
  };
}

async function assertSeed(
  { database, keyring, signerKeys }: SigningOptions,
  publicKeys: () => Promise<PublicKeys>,
): Promise<void> {
  const stored = await findSeed(database, keyring);
  // A new seed would give new addresses, and nobody would notice that the keys of the old ones are gone.
  if (!stored && (await hasWallets(database)))
    throw new StartupError("There are wallets and no seed. Restore the database's table wallet_seeds.");
  const { publicKeys: told } = stored ?? (await ensureSeed(database, { keyring, signerKeys }));
  if (told.evm !== (await publicKeys()).evm)
    throw new StartupError(
      "The stored public keys are not those of the wallets' seed: addresses derived from them may be another's.",
    );
}
