import { type Hex, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { StationKeySetting } from '../../../src/kernel/config/station-keys';
import { createHeldKeys } from '../../../src/parties/signer/held/create';
import { keptSignatures } from '../../../src/parties/signer/held/kept';
import { createHeldSigner } from '../../../src/parties/signer/held/signer';
import { testDatabase } from '../../support/database';
import { startKmsDouble } from '../../support/outside/kms-server';
import { startWeb3Signer } from '../../support/outside/web3signer';

/** The keys of the first addresses of a mnemonic. */
export const keysOf = (mnemonic: string, count: number): { address: string; privateKey: Hex }[] =>
  Array.from({ length: count }, (_, addressIndex) => {
    const account = mnemonicToAccount(mnemonic, { addressIndex });
    return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
  });

const KEYS = 10;

/** A signer with keys that AWS KMS holds. Its SDK finds the double by the environment. */
export async function kmsSigner(mnemonic: string) {
  const { database, drop } = await testDatabase();
  const kms = await startKmsDouble();
  Object.assign(process.env, kms.environment);
  const settings = keysOf(mnemonic, KEYS).map(
    ({ address, privateKey }): StationKeySetting => ({
      address,
      provider: 'kms',
      place: kms.addSigningKey(privateKey),
    }),
  );
  const keys = createHeldKeys(settings);
  return {
    kms,
    keys,
    settings,
    database,
    signer: createHeldSigner(keys, keptSignatures(database)),
    async close() {
      for (const name of Object.keys(kms.environment)) delete process.env[name];
      await kms.close();
      await drop();
    },
  };
}

/** A signer with keys that a Web3Signer holds. */
export async function web3Signer(mnemonic: string) {
  const { database, drop } = await testDatabase();
  const known = keysOf(mnemonic, KEYS);
  const double = await startWeb3Signer(known.map(({ privateKey }) => privateKey));
  const settings = known.map(
    ({ address }): StationKeySetting => ({ address, provider: 'web3signer', place: double.url }),
  );
  const keys = createHeldKeys(settings);
  return {
    double,
    keys,
    settings,
    database,
    signer: createHeldSigner(keys, keptSignatures(database)),
    async close() {
      await double.close();
      await drop();
    },
  };
}
