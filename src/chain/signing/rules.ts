import { erc20Transfer, erc20TransferOf } from '../../parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../parties/chain/port';
import type { Authorization } from '../../parties/signer/port';
import { delegateAddress, delegatedCallOf } from '../gas-station/strategies/delegate';

/** Most that may leave own wallets in a UTC day. */
export interface DailySum {
  /** In the asset's smallest unit. */
  units: bigint;
  decimals: number;
}

/** What may be signed on a network. Addresses are checksummed. */
export interface AllowedNetwork {
  chain: string;
  /** EIP-155. */
  chainId: number;
  /** Most that the transactions of a UTC day may cost in gas, in the coin's smallest unit. Null: no limit. */
  dailyFees: bigint | null;
  /** By `native` or the token's contract. An asset without a line has no limit. */
  dailySums?: ReadonlyMap<string, DailySum>;
  treasuries: ReadonlySet<string>;
  tokens: ReadonlySet<string>;
  delegates: ReadonlySet<string>;
}

/** Facts of a transaction that the signing process finds itself. */
export interface OwnFacts {
  /** Whether the seed gives the recipient's key. */
  isOwnRecipient: boolean;
}

/** The network of a chain id. Undefined: nothing is signed for it. */
export const allowedOn = (networks: readonly AllowedNetwork[], chainId: number): AllowedNetwork | undefined =>
  networks.find((each) => each.chainId === chainId);

export const notListed = (chainId: number): string => `No network of the chain id ${chainId} is listed.`;

/**
 * Judges what a transaction does by its fields. Nothing that is not named here is signed.
 * @returns a sentence why it is refused; undefined when it may be signed
 */
export function transactionRefusal(
  transaction: UnsignedTransaction,
  network: AllowedNetwork,
  own: OwnFacts,
): string | undefined {
  const { to, value, data, authorizations = [] } = transaction;
  if (data === '0x') return authorizations.length > 0 ? NO_SWEEP : coinRefusal(transaction, network, own);
  if (value !== 0n) return 'A call with native coin is never signed.';
  if (network.tokens.has(to)) return authorizations.length > 0 ? NO_SWEEP : tokenRefusal(data, network);
  return isDelegatedSweep(transaction, network, own)
    ? authorizations.map((each) => authorizationRefusal(each, network)).find((each) => each !== undefined)
    : `A call of ${to} is none that the list admits.`;
}

const NO_SWEEP = 'Only a delegated sweep carries authorizations.';

/** Native coin: a cancellation, a top-up of an own wallet, or a sweep to the treasury. */
function coinRefusal(
  { from, to, value }: UnsignedTransaction,
  { treasuries }: AllowedNetwork,
  { isOwnRecipient }: OwnFacts,
): string | undefined {
  const isCancellation = to === from && value === 0n;
  if (isCancellation || isOwnRecipient || treasuries.has(to)) return undefined;
  return `Native coin to ${to}, which is neither a listed treasury nor an own wallet.`;
}

/** A listed token: only its transfer to a listed treasury. */
function tokenRefusal(data: string, { treasuries }: AllowedNetwork): string | undefined {
  const transfer = erc20TransferOf(data);
  // Encoded again, because a decoder accepts data with more behind it.
  if (!transfer || erc20Transfer(transfer.to, transfer.units) !== data.toLowerCase())
    return 'A call of a token that is no plain transfer.';
  return treasuries.has(transfer.to)
    ? undefined
    : `Tokens to ${transfer.to}, which is not a listed treasury.`;
}

/**
 * The station's call of a wallet that has delegated, or of the contract for several wallets. The address of the contract
 * follows from its treasury and its caller, so both are proven.
 */
function isDelegatedSweep(
  { from, to, data }: UnsignedTransaction,
  { tokens, delegates, treasuries }: AllowedNetwork,
  { isOwnRecipient }: OwnFacts,
): boolean {
  const call = delegatedCallOf(data);
  if (!call || !tokens.has(call.token)) return false;
  if (isOwnRecipient) return call.of === 'wallet';
  if (call.of !== 'batch' || !delegates.has(to)) return false;
  return [...treasuries].some((treasury) => delegateAddress({ treasury, station: from }) === to);
}

/** @returns a sentence why an authorization is refused; undefined when it may be signed */
export function authorizationRefusal(
  { chainId, contract }: Authorization,
  network: AllowedNetwork,
): string | undefined {
  if (chainId !== network.chainId) return `An authorization for the chain id ${chainId}.`;
  return network.delegates.has(contract)
    ? undefined
    : `A delegation to ${contract}, which is not a listed contract.`;
}
