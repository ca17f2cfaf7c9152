import type { Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import type { Services } from '../../../services';
import { nodeOf } from '../../networks/nodes/nodes';
import type { Network } from '../../networks/record';
import { deriveWallets, keepRole, lockDerivation, stationWalletOf } from '../../wallets/operations';
import type { Wallet } from '../../wallets/record';
import { lockGasConfig, updateStation } from '../config/operations';
import type { GasConfig } from '../config/record';
import { addressOf } from '../config/rules';
import { assertNeverWas } from '../roles';
import { beginScan } from '../station-topups/seen';

type Changed = { before: GasConfig; after: GasConfig };

/**
 * The newest block, at which the scan begins. Undefined while no node answers, because a station can be set without it.
 */
export async function headOf(
  services: Pick<Services, 'keyring' | 'parties' | 'database'>,
  chain: string,
): Promise<number | undefined> {
  const { node } = await nodeOf(services, services.database, chain);
  return node.head().then(
    ({ number }) => number,
    () => undefined,
  );
}

/**
 * Sets the address that pays for gas: our station wallet, also one whose key another system holds for the signing
 * process, or an address whose key is elsewhere, which then signs exports.
 * @param head later arrivals are found by a scan
 * @throws Problem 400 naming `address` for an invalid address, a pool wallet, or a present, former or next treasury;
 *   409 `invalid_transition` for a disabled wallet, and for a held key that is a station of another network
 */
export async function setStation(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Tx,
  network: Network,
  { address: text, head }: { address: string; head: number | undefined },
): Promise<Changed> {
  const address = addressOf(network, text, 'address');
  await lockDerivation(tx, network.kind);
  const wallet = await stationWalletOf(keyring, tx, network, address);
  if (wallet?.purpose === 'pool') throw invalid('address must not be a wallet of the pool.', 'address');
  if (wallet?.status === 'disabled')
    throw conflict('invalid_transition', 'The wallet is disabled.', 'address');
  const before = await lockGasConfig(tx, network);
  if (address === before.nextTreasuryAddress)
    throw invalid('address must not be the next treasury of the chain.', 'address');
  await assertNeverWas(tx, 'treasury', { chain: network.chain, address, field: 'address' });
  const after = await takeStation(tx, network, { address, walletId: wallet?.id ?? null, head });
  return { before, after };
}

/** Derives a station wallet. It becomes the station when the chain has none. */
export async function generateStation(
  services: Pick<Services, 'parties' | 'keyring'>,
  tx: Tx,
  network: Network,
  head: number | undefined,
): Promise<{ wallet: Wallet } & Changed> {
  const { chain, kind } = network;
  const [wallet] = await deriveWallets(services, tx, { chain, kind, count: 1, purpose: 'station' });
  if (!wallet) throw new Error('no wallet was derived');
  const before = await lockGasConfig(tx, network);
  if (before.stationAddress !== null) {
    await beginScan(tx, { chain, address: wallet.address, head });
    return { wallet, before, after: before };
  }
  const after = await takeStation(tx, network, { address: wallet.address, walletId: wallet.id, head });
  return { wallet, before, after };
}

async function takeStation(
  tx: Tx,
  { chain }: Network,
  { address, walletId, head }: { address: string; walletId: string | null; head: number | undefined },
): Promise<GasConfig> {
  await keepRole(tx, { chain, address, role: 'station' });
  await beginScan(tx, { chain, address, head });
  return updateStation(tx, chain, { stationAddress: address, stationWalletId: walletId });
}
