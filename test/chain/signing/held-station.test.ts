/** @long */
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { StationKeySetting } from '../../../src/kernel/config/station-keys';
import { listBreaks } from '../../../src/process/breaks/operations';
import { type KmsDouble, startKmsDouble } from '../../support/outside/kms-server';
import { startWeb3Signer, type Web3SignerDouble } from '../../support/outside/web3signer';
import { fundNative } from '../gas-station/operations/support';
import { type SigningWorld, signingWorld } from './support';

/** A station whose key another system holds, on a real node, under a signed list. */
describe.each(['kms', 'web3signer'] as const)('a station whose key %s holds', (provider) => {
  const privateKey = generatePrivateKey();
  const { address } = privateKeyToAccount(privateKey);
  let kms: KmsDouble;
  let web3signer: Web3SignerDouble;
  let world: SigningWorld;
  const before = { ...process.env };

  beforeAll(async () => {
    kms = await startKmsDouble();
    Object.assign(process.env, kms.environment);
    web3signer = await startWeb3Signer([privateKey]);
    const place = provider === 'kms' ? kms.addSigningKey(privateKey) : web3signer.url;
    world = await signingWorld([{ address, provider, place } satisfies StationKeySetting]);
    await world.serving.check();
    await fundNative(world.chain, address, parseEther('10'));
    const set = await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address });
    expect([set.status, set.body.address]).toEqual([200, address]);
    await world.allow();
    world.serve();
  }, 60_000);
  afterAll(async () => {
    await world.close();
    for (const name of Object.keys(kms.environment)) delete process.env[name];
    Object.assign(process.env, before);
    await Promise.all([kms.close(), web3signer.close()]);
  });

  const done = async (id: string) =>
    expect(await world.lead(id)).toMatchObject({ status: 'completed', open: false });
  const breaks = async () =>
    (await listBreaks(world.db.database, { limit: 50 }))
      .filter(({ kind, resolvedAt }) => kind.startsWith('signing_key') && resolvedAt === null)
      .map(({ kind, subject, detail }) => [kind, subject, detail]);

  it('tops wallets of the seed up, and they sweep to the treasury', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n);
    await done((await world.topup(wallet!.id)).id);
    await done((await world.sweep(wallet!.id)).id);
    expect(await world.tokens(world.treasury)).toBe(5_000_000n);
  }, 60_000);

  it('waits with a break while its provider denies the key, and goes on without a loss', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n);
    if (provider === 'kms') kms.faults.push(...Array(50).fill('AccessDeniedException'));
    else web3signer.faults.push(...Array(50).fill(403));
    const { id } = await world.topup(wallet!.id);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'signer' });
    expect(await breaks()).toEqual([['signing_key_away', `address:${address}`, 'refused']]);
    kms.faults.splice(0);
    web3signer.faults.splice(0);
    await done(id);
    expect(await breaks()).toEqual([]);
  }, 60_000);
});
