import { z } from 'zod';
import { type Decimal } from '../../kernel/money/money';
import { FINALITIES, NATIVE } from '../../parties/chain/port';
import { storedAmount } from '../../parties/protocol/stored';
import { screeningWord } from '../../parties/screening/word';
import type { Situation } from '../engine/record';

export const CHAIN_DEPOSIT_STATUSES = ['confirming', 'credited', 'uncredited'] as const;
export type ChainDepositStatus = (typeof CHAIN_DEPOSIT_STATUSES)[number];

/** Why a deposit is not credited. */
export const CHAIN_DEPOSIT_FAILURES = [
  'not_allocated',
  'wrong_network',
  'below_minimum',
  'account_closed',
  'screening_refused',
  'reversed_on_chain',
] as const;
export type ChainDepositFailure = (typeof CHAIN_DEPOSIT_FAILURES)[number];

/** Integer units of the chain, as text because JSON numbers are not exact. */
const units = z.string().regex(/^\d{1,78}$/);

/** A transfer to our address as it was first seen, with its owner at that time. */
export const chainDepositTerms = z.object({
  chain: z.string(),
  txHash: z.string(),
  /** Position of the log in its receipt. −1 for the native coin; less for a coin that a contract passed on. */
  ordinal: z.number().int(),
  address: z.string(),
  from: z.string(),
  /** The token's contract. Null: the native coin. */
  token: z.string().nullable(),
  /** Ledger currency. */
  asset: z.string(),
  /** Decimals of the asset on this chain. */
  decimals: z.number().int(),
  units,
  /** The part that the ledger can hold. The rest, `dust`, stays on the address. */
  amount: storedAmount,
  dust: units,
  /** The first block of the transfer. Its time decides the owner. */
  blockNumber: z.number().int(),
  blockHash: z.string(),
  blockAt: z.string(),
  /** Block-wide, in that block. Null for the native coin. */
  logIndex: z.number().int().nullable(),
  /** Null when no payer had the wallet at that time. */
  allocationId: z.string().nullable(),
  /** The network that the address was derived for, when the payer has used another one. */
  homeChain: z.string().nullish(),
  /** Null without an account. */
  accountCurrency: z.string().nullable(),
  /** The network's minimum at that time, in the asset. A smaller deposit is not credited. */
  minDeposit: storedAmount,
  /** Blocks that make it final. Its own block counts as one. */
  confirmations: z.number().int().positive(),
  /** What makes its block final. Absent: the confirmations. */
  finality: z.enum(FINALITIES).optional(),
});

export type ChainDepositTerms = z.output<typeof chainDepositTerms>;

/** The nodes' present word about a transfer. */
export const chainDepositWord = z.object({
  version: z.undefined().optional(),
  /**
   * `seen`: in a block. `final`: deep enough, and the nodes agree on its block. `absent`: in no block that the nodes
   * agree on, or changed. `gone`: absent for twice the confirmations.
   */
  state: z.enum(['seen', 'final', 'absent', 'gone']),
  /** The block of the transfer, or the last one that had it. */
  blockNumber: z.number().int(),
  blockHash: z.string(),
  /** Block-wide, as explorers show it. Null for the native coin. */
  logIndex: z.number().int().nullable(),
  units,
  /** Height since which the transfer is absent. Null while a block has it. */
  absentFrom: z.number().int().nullable(),
  /**
   * Price of one unit of the asset in the account's currency, when first final. Null when not needed or not available.
   */
  rate: storedAmount.nullable(),
  /** The screening party's result for these units. Absent before the first final word, and without such a party. */
  screening: screeningWord.optional(),
});

export type ChainDepositWord = z.output<typeof chainDepositWord>;
export type ChainDeposit = Situation<ChainDepositTerms, ChainDepositWord>;

/** The word at the discovery. */
export const firstWord = ({
  blockNumber,
  blockHash,
  units,
  logIndex,
}: ChainDepositTerms): ChainDepositWord => ({
  state: 'seen',
  blockNumber,
  blockHash,
  units,
  logIndex,
  absentFrom: null,
  rate: null,
});

/** The party's refusal in words that name it. Undefined where the party does not refuse. */
export function refusalIn({
  units,
  screening,
}: Pick<ChainDepositWord, 'units' | 'screening'>): string | undefined {
  if (screening?.status !== 'refused') return undefined;
  const { reason, version } = screening;
  return [`${units} units`, reason, version === undefined ? undefined : `version ${version}`]
    .filter((each) => each !== undefined)
    .join(', ');
}

/** The data of a decision on the screening: its units, and the refusal of the party that it answers. */
export function dataOnScreening(
  word: Pick<ChainDepositWord, 'units' | 'screening'>,
): Record<string, unknown> {
  const refusal = refusalIn(word);
  return { units: word.units, ...(refusal === undefined ? {} : { refusal }) };
}

/** Block-wide log index where the transfer was last seen. Null for the native coin. */
export const logIndexOf = ({ word, terms }: ChainDeposit['transfer']): number | null =>
  word?.logIndex ?? terms.logIndex;

/**
 * The permanent name of a transfer. It uses the position in the receipt, because a reorganisation changes the index in
 * the block.
 */
export const chainDepositRef = (
  chain: string,
  { txHash, ordinal }: { txHash: string; ordinal: number },
): string => `${chain}:${txHash}:${ordinal}`;

/**
 * Ordinal of native coin that a contract passed on. Derived from the wallet's index, because one transaction may pay
 * several wallets and no log tells them apart.
 */
export const unshownOrdinal = ({ derivationIndex }: { derivationIndex: number }): number =>
  NATIVE - 1 - derivationIndex;

/** Whether people have recorded the coin, because no transaction shows it. */
export const isUnshown = ({ ordinal }: Pick<ChainDepositTerms, 'ordinal'>): boolean => ordinal < NATIVE;

/** Component and ledger account of the chain's pool addresses. */
export const poolOf = ({ chain }: Pick<ChainDepositTerms, 'chain'>): `pool@${string}` => `pool@${chain}`;

/** Terms fixed when the deposit was first final. */
export interface Agreed {
  /** In the asset. */
  amount: Decimal;
  rate: Decimal | null;
}
