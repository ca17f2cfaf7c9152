/** @long */
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress } from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { createMasterKeys } from '../../../src/kernel/security/master-keys/create';
import type { UnsignedTransaction } from '../../../src/parties/chain/port';
import { createLocalSigner } from '../../../src/parties/signer/local';
import type { Signer } from '../../../src/parties/signer/port';
import { replaceSeed } from '../../../src/parties/signer/seed';
import { testStation } from '../../chain/gas-station/operations/support';
import { deployDelegate, GATHERED_MS } from '../../chain/gas-station/strategies/delegated-station';
import { testDatabase } from '../../support/database';
import { seedKeys, testKeyring } from '../../support/keyring';
import { startKmsDouble } from '../../support/outside/kms-server';
import { startCustody } from './custody';
import { kmsSigner, web3Signer } from './held';

/** The contract of every signer: the local one, keys of AWS KMS and of a Web3Signer, and a custody service. */

const JUNK = `${'test '.repeat(11)}junk`;
const CONTRACT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The seed is opened by Decrypt of AWS KMS. */
async function localByKms() {
  const { database, drop } = await testDatabase();
  const kms = await startKmsDouble();
  Object.assign(process.env, kms.environment);
  const signerKeys = createMasterKeys([{ kind: 'kms', id: `kms:${kms.keyArn}`, keyName: kms.keyArn }]);
  const keys = { ...seedKeys(testKeyring(Buffer.alloc(32, 7))), signerKeys };
  await replaceSeed(database, keys, JUNK);
  return {
    signer: createLocalSigner({ database, ...keys }),
    async close() {
      for (const name of Object.keys(kms.environment)) delete process.env[name];
      await kms.close();
      await drop();
    },
  };
}

async function local() {
  const { database, drop } = await testDatabase();
  const keys = seedKeys(testKeyring(Buffer.alloc(32, 7)));
  await replaceSeed(database, keys, JUNK);
  return { signer: createLocalSigner({ database, ...keys }), close: drop };
}

describe.each<[string, () => Promise<{ signer: Signer; close(): Promise<unknown> }>]>([
  ['the local signer', local],
  ['the local signer with a seed that AWS KMS opens', localByKms],
  ['keys of AWS KMS', () => kmsSigner(JUNK)],
  ['keys of a Web3Signer', () => web3Signer(JUNK)],
  ['a custody service', () => startCustody(JUNK)],
])('%s', (_, open) => {
  let opened: Awaited<ReturnType<typeof open>>;
  let signer: Signer;
  beforeAll(async () => {
    opened = await open();
    signer = opened.signer;
  });
  afterAll(() => opened.close());

  const transaction = (from: string, nonce = 3): UnsignedTransaction => ({
    chainId: 31_337,
    nonce,
    from,
    to: CONTRACT,
    value: 10n ** 17n,
    data: '0xabcd',
    gas: 25_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  const senderOf = (raw: string) => recoverTransactionAddress({ serializedTransaction: raw as never });

  it('returns the addresses of indices in their order, always the same', async () => {
    const [one, two, ...more] = await signer.addresses('evm', [9, 0]);
    expect([one, two, more]).toEqual([
      ...['0xa0Ee7A142d267C1f36714E4a8F75612F20a79720', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', []],
    ]);
    expect(await signer.addresses('evm', [0, 9])).toEqual([two, one]);
    expect(await signer.addresses('evm', [])).toEqual([]);
  });

  it('signs exactly the given transaction, with the same bytes and their hash each time', async () => {
    const [from = ''] = await signer.addresses('evm', [4]);
    const asked = transaction(from);
    const { raw, hash } = await signer.sign(4, asked);
    expect([await senderOf(raw), hash]).toEqual([from, keccak256(raw as Hex)]);
    const { from: _, to, ...fields } = asked;
    expect(parseTransaction(raw as Hex)).toMatchObject({ ...fields, type: 'eip1559', to: to.toLowerCase() });
    expect(await signer.sign(4, asked)).toEqual({ raw, hash });
    expect((await signer.sign(4, transaction(from, 4))).hash).not.toBe(hash);
  });

  it('signs for many wallets at once, each with its own key', async () => {
    const places = [0, 1, 2, 3, 4, 5, 6, 7];
    const addresses = await signer.addresses('evm', places);
    const signed = await Promise.all(
      places.map((place) => signer.sign(place, transaction(addresses[place] as string))),
    );
    expect(await Promise.all(signed.map(({ raw }) => senderOf(raw)))).toEqual(addresses);
  });

  it('refuses a transaction whose sender is not the wallet at that index', async () => {
    const [from = ''] = await signer.addresses('evm', [4]);
    await expect(signer.sign(5, transaction(from))).rejects.toThrow('not the sender');
  });

  it('authorizes a contract as the wallet at that index, on one chain only (EIP-7702)', async () => {
    const [from = '', station = ''] = await signer.addresses('evm', [4, 5]);
    const given = { chainId: 31_337, contract: CONTRACT, nonce: 0 };
    const authorization = await signer.signAuthorization(4, given);
    expect(authorization).toMatchObject(given);
    expect(await signer.signAuthorization(4, given)).toEqual(authorization);
    const { contract, r, s, ...rest } = authorization;
    const signed = { ...rest, address: contract as Hex, r: r as Hex, s: s as Hex };
    expect(await recoverAuthorizationAddress({ authorization: signed })).toBe(from);
    await expect(signer.signAuthorization(4, { ...given, chainId: 0 })).rejects.toThrow(
      'needs a chain id above 0',
    );
    const { raw } = await signer.sign(5, { ...transaction(station), authorizations: [authorization] });
    expect(await senderOf(raw)).toBe(station);
    expect(parseTransaction(raw as Hex)).toMatchObject({
      type: 'eip7702',
      authorizationList: [{ nonce: 0, r, s }],
    });
  });
});

it('a custody service can replace the local signer: wallets are made, topped up and swept without our keys', async () => {
  const custody = await startCustody(JUNK);
  const config = { autoSweep: true };
  const world = await testStation({ config, wiring: { parties: { signer: custody.signer } } });
  const [station] = await custody.signer.addresses('evm', [0]);
  expect(world.station).toBe(station);
  const [first, second] = await world.wallets(2, 5_000_000n);
  const done = async ({ id }: { id: string }) =>
    expect(await world.lead(id)).toMatchObject({ status: 'completed', open: false });
  await done(await world.topup(first!.id));
  await done(await world.sweep(first!.id));
  // The station sends the authorization that the wallet has signed.
  await deployDelegate(world.chain, world);
  await world.configure({ sweepStrategy: 'delegated' });
  const { id } = await world.sweep(second!.id);
  world.later(GATHERED_MS); // other sweeps may share its transaction
  await done({ id });
  expect(await world.tokens(world.treasury)).toBe(10_000_000n);
  expect(await world.held('treasury', 'USDT')).toBe('10');
  expect(await world.services.database.query('select id from wallet_seeds')).toEqual([]);
  await world.close();
  await custody.close();
});
