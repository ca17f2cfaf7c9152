import { type Address, createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { NATIVE_DECIMALS, toUnits } from '../../src/chain/networks/rules';
import { Decimal } from '../../src/kernel/money/money';
import { localChainUrl } from '../../src/startup/embedded/chain/server';
import { payLocally, TEST_USDT, TEST_USDT_DECIMALS } from '../../src/startup/embedded/chain/token';

/** The local chain of a running `npm start`, seen from outside: pays, and reads balances. */
export interface LocalChain {
  /** @returns the transaction's hash */
  pay(asset: 'USDT' | 'ETH', to: string, amount: string): Promise<Hex>;
  /** Balance in the smallest unit of test USDT. */
  usdtOf(address: string): Promise<bigint>;
}

/** @throws Error when no local chain runs */
export async function localChain(dataDir: string): Promise<LocalChain> {
  const url = await localChainUrl(dataDir);
  if (url === undefined)
    throw new Error('There is no local chain: run `npm start` in another terminal first, without CHAIN=off.');
  const client = createPublicClient({ transport: http(url) });
  const decimals = { USDT: TEST_USDT_DECIMALS, ETH: NATIVE_DECIMALS.evm };
  return {
    pay: (asset, to, amount) =>
      payLocally(url, asset, to as Address, toUnits(new Decimal(amount), decimals[asset])),
    usdtOf: (address) =>
      client.readContract({
        address: TEST_USDT,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address as Address],
      }),
  };
}

/** Returns an address whose key is discarded, so that money on it stays there. */
export const freshAddress = (): Address => privateKeyToAddress(generatePrivateKey());
