/** @isolated replaces functions of modules. */
import { createDecipheriv, type DecipherGCM } from 'node:crypto';
import { inspect } from 'node:util';
import { HDKey } from '@scure/bip32';
import { type Hex, parseTransaction, recoverTransactionAddress } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { MasterKeys } from '../../../src/kernel/security/master-keys/port';
import type { UnsignedTransaction } from '../../../src/parties/chain/port';
import { createLocalSigner, ensureSeed } from '../../../src/parties/signer/local';
import { replaceSeed } from '../../../src/parties/signer/seed';
import { type TestDatabase, testDatabase } from '../../support/database';
import { masterKeysOf, masterKeysText, seedKeys, testKeyring } from '../../support/keyring';

/** A published vector of BIP-39. The addresses are those that every wallet derives from it. */
const ABANDON = `${'abandon '.repeat(11)}about`;
/** The development mnemonic of Hardhat and anvil. */
const JUNK = `${'test '.repeat(11)}junk`;

const keys = seedKeys(testKeyring(Buffer.alloc(32, 7)));

const transaction = (from: string): UnsignedTransaction => ({
  chainId: 31_337,
  nonce: 3,
  from,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10n ** 17n,
  data: '0x',
  gas: 21_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
});

describe('the local signer', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase();
  });
  afterEach(() => db.drop());

  const signer = () => createLocalSigner({ database: db.database, ...keys });

  it('gives the published addresses of a mnemonic: BIP-39, BIP-44, EIP-55', async () => {
    await replaceSeed(db.database, keys, JUNK);
    expect(await signer().addresses('evm', [0, 1, 9])).toEqual([
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    ]);
    await replaceSeed(db.database, keys, ABANDON);
    expect(await signer().addresses('evm', [0])).toEqual(['0x9858EfFD232B4033E47d90003D41EC34EcaEda94']);
  });

  it('signs as the wallet at that index, with the same bytes each time', async () => {
    await replaceSeed(db.database, keys, JUNK);
    const [from = ''] = await signer().addresses('evm', [4]);
    const asked = transaction(from);
    const { raw, hash } = await signer().sign(4, asked);
    const { from: _, ...fields } = asked;
    const expected = await mnemonicToAccount(JUNK, { addressIndex: 4 }).signTransaction({
      ...fields,
      type: 'eip1559',
      to: asked.to as Hex,
      data: '0x',
    });
    expect(raw).toBe(expected);
    expect(await signer().sign(4, asked)).toEqual({ raw, hash });
    expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(from);
    expect(parseTransaction(raw as Hex)).toMatchObject({
      nonce: 3,
      value: asked.value,
      to: asked.to.toLowerCase(),
    });
  });

  it('wipes the key and everything that it was derived from, also after a failed signature', async () => {
    await replaceSeed(db.database, keys, JUNK);
    const [from = ''] = await signer().addresses('evm', [4]);
    const { privateKey } = mnemonicToAccount(JUNK, { addressIndex: 4 }).getHdKey();
    const { seen, watched, restore } = keyBytes();
    const signing = createLocalSigner({ database: db.database, ...keys, signerKeys: watched });
    await signing.sign(4, transaction(from));
    await expect(signing.sign(5, transaction(from))).rejects.toThrow('not the sender');
    restore();
    // Opened entropy and its part, seed, master key, five levels, and a copy of the last.
    expect(seen.length).toBeGreaterThanOrEqual(2 * 10);
    expect(seen.map(({ was }) => was)).toContain(Buffer.from(privateKey as Uint8Array).toString('hex'));
    expect(seen.filter(({ bytes }) => bytes.some((byte) => byte !== 0)).map(({ was }) => was)).toEqual([]);
  });

  it('makes one seed when several calls arrive together', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => ensureSeed(db.database, keys)));
    expect(new Set(made.map(({ publicKeys }) => JSON.stringify(publicKeys))).size).toBe(1);
    expect(await db.database.query('select id from wallet_seeds')).toEqual([{ id: 'main' }]);
    expect(await signer().addresses('evm', [0])).toEqual(await signer().addresses('evm', [0]));
  });

  it('opens the seed only with the key that sealed it', async () => {
    const [from = ''] = await signer().addresses('evm', [0]);
    await signer().sign(0, transaction(from));
    const other = createLocalSigner({
      database: db.database,
      ...keys,
      signerKeys: masterKeysOf(masterKeysText(Buffer.alloc(32, 8), 'signer')),
    });
    await expect(other.sign(0, transaction(from))).rejects.toThrow('"signer" does not open');
  });

  it('puts neither words nor keys into the database or an error', async () => {
    await replaceSeed(db.database, keys, JUNK);
    const dump = inspect(await db.database.query('select * from wallet_seeds'), { depth: 9 });
    const [stored] = await db.database.query<{ sealed: Buffer }>('select sealed from wallet_seeds');
    expect(dump).not.toMatch(/xprv|junk/);
    // The entropy that the words encode.
    expect(stored?.sealed.toString('hex')).not.toContain('df9bf37e6fcdf9bf37e6fcdf9bf37e3c');
    const refused = await replaceSeed(db.database, keys, `${JUNK} junk`).catch((error: Error) => error);
    expect(inspect(refused)).not.toContain('junk');
    const failed = await signer()
      .sign(1, transaction('0x0'))
      .catch((error: Error) => error);
    expect(inspect(failed)).not.toContain('59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
  });
});

/** Records all buffers that hold entropy, seeds or keys from now on, with their content. */
function keyBytes() {
  const seen: { bytes: Uint8Array; was: string }[] = [];
  const see = <Bytes extends Uint8Array | null | undefined>(bytes: Bytes): Bytes => {
    if (bytes?.length) seen.push({ bytes, was: Buffer.from(bytes).toString('hex') });
    return bytes;
  };
  const ofKey = (key: HDKey): HDKey => {
    see((key as unknown as { _privateKey: Uint8Array })._privateKey);
    return key;
  };
  const { fromMasterSeed } = HDKey;
  const { derive } = HDKey.prototype;
  const deciphers = Object.getPrototypeOf(
    createDecipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)),
  ) as DecipherGCM;
  const { update } = deciphers;
  const copied = Object.getOwnPropertyDescriptor(HDKey.prototype, 'privateKey')?.get as () => Uint8Array;
  const spies = [
    jest
      .spyOn(HDKey, 'fromMasterSeed')
      .mockImplementation((seed, ...more) => ofKey(fromMasterSeed.call(HDKey, see(seed), ...more))),
    jest.spyOn(HDKey.prototype, 'derive').mockImplementation(function (this: HDKey, path) {
      return ofKey(derive.call(this, path));
    }),
    jest.spyOn(HDKey.prototype, 'privateKey', 'get').mockImplementation(function (this: HDKey) {
      return see(copied.call(this));
    }),
    jest.spyOn(deciphers, 'update').mockImplementation(function (this: DecipherGCM, ...given: unknown[]) {
      return see(Reflect.apply(update, this, given));
    } as never),
  ];
  const [key] = keys.signerKeys;
  const watched: MasterKeys = [{ ...key, open: async (...given) => see(await key.open(...given)) }];
  return {
    seen,
    watched,
    restore: () => spies.forEach((spy) => void spy.mockRestore()),
  };
}
