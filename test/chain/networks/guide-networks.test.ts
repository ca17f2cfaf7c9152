/** @long */
import { readFileSync } from 'node:fs';
import { type Address, type Hex, parseEther } from 'viem';
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import { advanceGasOperation } from '../../../src/chain/gas-station/operations/steps/advance';
import { compareNow } from '../../../src/chain/reconciliation/compare-now';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { depositStatuses, posted, readBlocks } from '../gas-station/operations/support';
import { deployDelegate, GATHERED_MS } from '../gas-station/strategies/delegated-station';

/**
 * Plays the networks of docs/guides/real-networks.md on a local node with the same chain id, and with a token at each
 * address that the network lists. Only the addresses of the nodes are replaced.
 */

interface Asset {
  symbol: string;
  contract?: Address;
  decimals: number;
  minDeposit: string;
}
interface Configuration {
  chainId: number;
  confirmations: number;
  assets: Asset[];
}

const fileOf = <T>(name: string): T =>
  JSON.parse(readFileSync(`docs/guides/networks/${name}.json`, 'utf8')) as T;

/** Converts an amount with at most the asset's decimals into its smallest units. */
const unitsOf = ({ decimals }: Asset, amount: string): bigint =>
  parseEther(amount) / 10n ** BigInt(18 - decimals);

/** Puts the test token at an address where no transaction can deploy it. */
async function placeToken(chain: TestChain, address: Address, decimals: number): Promise<void> {
  const made = await chain.token({ decimals });
  const bytecode = (await chain.client.getCode({ address: made })) as Hex;
  await chain.client.setCode({ address, bytecode });
  await chain.mined(await chain.write(address, 'TestUsdt', 'mint', [chain.payer, 10n ** 15n]));
}

describe.each(['sepolia', 'ethereum'])('the network %s of the guide', (name) => {
  const network = fileOf<Configuration>(name);
  const station = fileOf<{ minSweepAmount: Record<string, string> }>(`${name}.station`);
  const wallets: { id: string; asset: Asset; address: Address }[] = [];
  let chain: TestChain;
  let api: TestApi;
  let admin: Client;
  let client: Client;
  let ahead = 0;

  beforeAll(async () => {
    chain = await startTestChain({ chainId: network.chainId });
    const now = () => new Date(Date.now() + ahead);
    api = await testApi({ now });
    [admin, client] = [await api.client('admin'), await api.client()];
    for (const { contract, decimals } of network.assets)
      if (contract) await placeToken(chain, contract, decimals);
  });
  afterAll(() => Promise.all([api.close(), chain.stop()]));

  async function put(path: string, body: object): Promise<any> {
    const answer = await admin.call('PUT', path, body);
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    return answer.body;
  }
  async function mine(blocks: number): Promise<void> {
    await chain.client.mine({ blocks });
    await readBlocks(api.services, name);
  }
  const statusesOf = (address: string) => depositStatuses(api.services, address);

  it('is accepted with its assets, its station and its contract of delegated sweeps', async () => {
    const saved = await put(`/v1/networks/${name}`, { ...network, rpcUrls: [chain.url] });
    expect(saved.assets.map(({ symbol }: Asset) => symbol)).toEqual(
      network.assets.map(({ symbol }) => symbol),
    );
    const { address } = await posted(admin, '/v1/gas-station/wallet/generate', { chain: name });
    await mine(1); // reading begins at the head
    await chain.pay(null, address, parseEther('1'));
    await mine(network.confirmations);
    const treasury = '0x1111111111111111111111111111111111111111';
    const path = `/v1/gas-station/config/${name}`;
    const { version } = await put(path, { ...station, treasuryAddress: treasury });
    await deployDelegate(chain, { treasury, station: address });
    // The guide switches automatic sweeps on when the first one has succeeded by hand.
    await put(path, { autoSweep: true, version });
    const { body } = await admin.call('GET', `/v1/gas-station/status/${name}`);
    expect(body).toMatchObject({ delegation: { ready: true }, gasBooked: true });
  });

  it('credits each asset when it is final, and not below its smallest deposit', async () => {
    for (const asset of network.assets) {
      const { symbol, contract = null, minDeposit } = asset;
      const { account } = await api.database.transaction((tx) =>
        openMasterAccount(tx, client.clientId, symbol),
      );
      const terms = { chain: name, asset: symbol, accountId: account.id, reference: symbol, permanent: true };
      const { address } = await posted(client, '/v1/wallets/allocate', terms);
      const [row] = await api.database.query<{ id: string }>('select id from wallets where address = $1', [
        address,
      ]);
      wallets.push({ id: row!.id, asset, address });
      await chain.pay(contract, address, unitsOf(asset, minDeposit) - 1n);
      const swept = unitsOf(asset, station.minSweepAmount[symbol]!);
      await chain.pay(contract, address, 2n * swept);
    }
    const paid = 2 * network.assets.length; // blocks, one for each payment
    await mine(network.confirmations - paid - 1);
    for (const { address } of wallets)
      expect(await statusesOf(address)).toEqual(['confirming', 'confirming']);
    await mine(paid);
    for (const { address } of wallets) expect(await statusesOf(address)).toEqual(['uncredited', 'credited']);
  });

  it('collects each asset in the treasury, and its books agree with the chain', async () => {
    for (const { id: walletId, asset, address } of wallets) {
      const { symbol: currency, contract } = asset;
      // A wallet that holds native coin sends it by itself.
      const ask = { walletId, asset: currency };
      const { id } = await posted(admin, '/v1/gas-station/operations', ask);
      let isOpen = true;
      for (let turns = 0; isOpen && turns < 12; turns += 1) {
        ahead += GATHERED_MS;
        isOpen = (await advanceGasOperation(api.services, id)).open;
        await mine(network.confirmations);
      }
      const { body } = await admin.call('GET', `/v1/gas-station/operations/${id}`);
      expect(body).toMatchObject({ status: 'completed', strategy: contract ? 'delegated' : 'transfer' });
      expect(await statusesOf(address)).toEqual(['uncredited', 'credited']);
    }
    const compared = await compareNow(api.services, name);
    expect(compared.length).toBeGreaterThan(network.assets.length);
    expect(compared.map((row) => [row.asset, row.compared?.difference.toFixed()])).toEqual(
      compared.map((row) => [row.asset, '0']),
    );
  });
});
