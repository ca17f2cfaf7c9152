import type { Sql } from '../../kernel/db/database';
import { requireGasConfig } from '../gas-station/config/operations';
import { tokensInRecovery } from '../gas-station/recoveries/read';
import { delegateAddress } from '../gas-station/strategies/delegate';
import { listNetworks } from '../networks/operations';
import type { Network } from '../networks/record';
import { namedAddresses } from '../wallets/operations';
import type { AllowedNetwork } from './rules';

/**
 * Reads the addresses that the configuration of networks and gas stations names. A sandbox without SIGNER_OPERATORS judges by it,
 * and operators start a list from it. Former treasuries and stations are included, because transactions for them may
 * still be replaced. So are unlisted tokens that two operators recover now.
 */
export async function configuredNetworks(sql: Sql): Promise<AllowedNetwork[]> {
  const networks = await listNetworks(sql);
  return Promise.all(networks.map((network) => configuredNetwork(sql, network)));
}

async function configuredNetwork(sql: Sql, network: Network): Promise<AllowedNetwork> {
  const { chain, chainId, assets } = network;
  const { treasuryAddress, nextTreasuryAddress, stationAddress } = await requireGasConfig(sql, network);
  const named = await namedAddresses(sql, chain);
  const recovered = await tokensInRecovery(sql, chain);
  const treasuries = new Set([...named.treasury, treasuryAddress, nextTreasuryAddress].filter(isGiven));
  const stations = new Set([...named.station, stationAddress].filter(isGiven));
  const delegates = [...treasuries].flatMap((treasury) =>
    [...stations].map((station) => delegateAddress({ treasury, station })),
  );
  return {
    chain,
    chainId,
    dailyFees: null,
    treasuries,
    tokens: new Set([...assets.map(({ contract }) => contract).filter(isGiven), ...recovered]),
    delegates: new Set(delegates),
  };
}

const isGiven = (address: string | null): address is string => address !== null;
