import type { Sql } from '../../kernel/db/database';
import type { SigningRequest } from '../../parties/signer/requests';
import { indexOfAddress } from '../wallets/operations';
import { createFeeCount } from './fees';
import type { Allowing } from './in-force';
import { allowedOn, authorizationRefusal, notListed, transactionRefusal } from './rules';
import type { Judge } from './serve';
import type { SigningSums } from './sums';

export interface JudgeOptions {
  database: Sql;
  allowing: Allowing;
  /** The address of a wallet as the seed gives it. Stored public keys prove nothing. */
  addressOf(index: number): Promise<string>;
  /** Whether another system holds the key of an address for this process. */
  isHeld(address: string): boolean;
  /** The day's sums, which outlive the process. */
  sums: SigningSums;
  /** The machine's time. */
  now: () => Date;
}

/** Judges requests by what may be signed now. Nothing in the database is taken for a fact. */
export function createJudge({ database, allowing, addressOf, isHeld, sums, now }: JudgeOptions): Judge {
  const fees = createFeeCount(now);

  /** The stored index only tells where to look: the seed gives the address. */
  async function isOwn(address: string): Promise<boolean> {
    if (isHeld(address)) return true;
    const index = await indexOfAddress(database, address);
    return index !== undefined && (await addressOf(index)) === address;
  }

  return async (request: SigningRequest) => {
    const networks = await allowing.allowed();
    if (typeof networks === 'string') return networks;
    if (request.kind === 'authorization') {
      const { authorization } = request;
      const network = allowedOn(networks, authorization.chainId);
      return network ? authorizationRefusal(authorization, network) : notListed(authorization.chainId);
    }
    const { transaction, index } = request;
    const network = allowedOn(networks, transaction.chainId);
    if (!network) return notListed(transaction.chainId);
    if (!isHeld(transaction.from) && (await addressOf(index)) !== transaction.from)
      return 'The sender is not the wallet with that index.';
    const facts = { isOwnRecipient: await isOwn(transaction.to) };
    return (
      transactionRefusal(transaction, network, facts) ??
      fees.take(network, transaction) ??
      sums.take(network, transaction, facts)
    );
  };
}
