import { z } from 'zod';
import { type Decimal } from '../../kernel/money/money';
import { NATIVE } from '../../parties/chain/port';
import { storedAmount } from '../../parties/protocol/stored';
import type { Situation } from '../engine/record';

export const CHAIN_DEPOSIT_STATUSES = ['confirming', 'credited', 'uncredited'] as const;
export type ChainDepositStatus = (typeof CHAIN_DEPOSIT_STATUSES)[number];

/** Whole units of the chain: text, for JSON has no number for them. */
const units = z.string().regex(/^\d{1,78}$/);

/** What was found of a transfer to an address of ours when it was first seen, and whose it was then. */
export const chainDepositTerms = z.object({
  chain: z.string(),
  txHash: z.string(),
  /** Of the log in its transaction's receipt; −1 of the native coin, and less of a coin that a contract has passed on. */
  ordinal: z.number().int(),
  address: z.string(),
  from: z.string(),
  /** The token's contract; null: the native coin. */
  token: z.string().nullable(),
  /** A currency of the ledger. */
  asset: z.string(),
  /** Of the asset on this chain. */
  decimals: z.number().int(),
  units,
  /** What the ledger holds of the units; the rest is {@link dust} and stays on the address. */
  amount: storedAmount,
  dust: units,
  /** The block that it was first seen in, and the block's time: that says whose it is. */
  blockNumber: z.number().int(),
  blockHash: z.string(),
  blockAt: z.string(),
  /** Block-wide, in that block; null of the native coin. */
  logIndex: z.number().int().nullable(),
  /** null: no payer's wallet at that time. */
  allocationId: z.string().nullable(),
  /** null: nobody's. */
  accountCurrency: z.string().nullable(),
  /** Of the network, then: in the asset. Less is not credited. */
  minDeposit: storedAmount,
  /** From so many on it is final; its own block counts one. */
  confirmations: z.number().int().positive(),
});

export type ChainDepositTerms = z.output<typeof chainDepositTerms>;

/** What the nodes say of a transfer now. */
export const chainDepositWord = z.object({
  version: z.undefined().optional(),
  /**
   * `seen`: it is in a block. `final`: so deep that the block counts for good, and the nodes agree on it. `absent`: it is in no
   * block that the nodes agree on, or not what it was. `gone`: it has been so for twice the confirmations.
   */
  state: z.enum(['seen', 'final', 'absent', 'gone']),
  /** Where it is, or was when it was seen last. */
  blockNumber: z.number().int(),
  blockHash: z.string(),
  /** Block-wide, as explorers show it; null of the native coin. */
  logIndex: z.number().int().nullable(),
  units,
  /** The height from which it is absent; null while it is there. */
  absentFrom: z.number().int().nullable(),
  /** What the account's currency pays for one of the asset, taken when it was first final; null where none was needed, or to be had. */
  rate: storedAmount.nullable(),
});

export type ChainDepositWord = z.output<typeof chainDepositWord>;
export type ChainDeposit = Situation<ChainDepositTerms, ChainDepositWord>;

/** As it was when it was found. */
export const firstWord = ({
  blockNumber,
  blockHash,
  units,
  logIndex,
}: ChainDepositTerms): ChainDepositWord => ({
  state: 'seen',
  ...{ blockNumber, blockHash, units, logIndex, absentFrom: null, rate: null },
});

/** What tells a log from others of its block, where it was seen last; nothing of the native coin. */
export const logIndexOf = ({ word, terms }: ChainDeposit['transfer']): number | null =>
  word?.logIndex ?? terms.logIndex;

/** How a transfer on a chain is named for ever: a log's index in its block changes in a reorganisation, this does not. */
export const chainDepositRef = (
  chain: string,
  { txHash, ordinal }: { txHash: string; ordinal: number },
): string => `${chain}:${txHash}:${ordinal}`;

/**
 * The ordinal of the native coin that a contract has passed on to a wallet in a transaction: no log shows it, so the wallet tells it
 * from others of its transaction.
 */
export const unshownOrdinal = ({ derivationIndex }: { derivationIndex: number }): number =>
  NATIVE - 1 - derivationIndex;

/** Whether people have recorded it, for no transaction shows it. */
export const isUnshown = ({ ordinal }: Pick<ChainDepositTerms, 'ordinal'>): boolean => ordinal < NATIVE;

/** The account that stands for what is on the chain's addresses, by the name of its component. */
export const poolOf = ({ chain }: Pick<ChainDepositTerms, 'chain'>): `pool@${string}` => `pool@${chain}`;

/** What was agreed when it was first final. */
export interface Agreed {
  /** In the asset. */
  amount: Decimal;
  rate: Decimal | null;
}
