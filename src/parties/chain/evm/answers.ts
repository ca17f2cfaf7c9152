import { z } from 'zod';
import type { Block } from '../port';

/**
 * Schemas of nodes' answers, after the execution API (ethereum/execution-apis), limited to the fields in use. viem's
 * formatters check nothing: they would accept a block without a hash.
 */

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((text) => BigInt(text));

/** A height or an index, within the safe integers of JavaScript. */
const count = quantity.refine((units) => units <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number);

const seconds = quantity.refine((units) => units < 8_640_000_000_000n); // the last second that a Date can hold

const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase());

/** In lower case. The adapter returns addresses with their checksum. */
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => text.toLowerCase());

const bytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform((text) => text.toLowerCase());

const header = z.object({ number: count, hash, parentHash: hash, timestamp: seconds });

const sent = z.object({ hash, from: address, to: address.nullish(), value: quantity });

const log = z.object({
  address,
  topics: z.array(hash),
  data: bytes,
  blockHash: hash.nullish(),
  transactionHash: hash,
  logIndex: count.nullish(),
  removed: z.boolean().nullish(),
});

const receipt = z.object({
  transactionHash: hash,
  blockHash: hash,
  from: address,
  to: address.nullish(),
  status: count,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  /** Fee that the sender paid on the chain below, on a chain that settles on another one (OP stack). */
  l1Fee: quantity.nullish(),
  logs: z.array(log.extend({ logIndex: count })),
});

export const answers = {
  quantity,
  count,
  hash,
  bytes,
  /** Null: the node has no such block. */
  header: header.nullable(),
  fullBlock: header.extend({ transactions: z.array(sent) }).nullable(),
  transaction: sent.extend({ nonce: count, blockHash: hash.nullish(), input: bytes.nullish() }).nullable(),
  receipt: receipt.nullable(),
  logs: z.array(log),
  /** The last entry belongs to the next block. */
  baseFees: z.object({ baseFeePerGas: z.array(quantity).min(1) }),
};

export type Header = z.output<typeof header>;
export type Sent = z.output<typeof sent>;
/** A transaction that a node returns by its hash, in a block or not. */
export type KnownTransaction = NonNullable<z.output<typeof answers.transaction>>;
export type Log = z.output<typeof log>;
export type Receipt = z.output<typeof receipt>;

export const blockOf = ({ number, hash, parentHash, timestamp }: Header): Block => ({
  number,
  hash,
  parentHash,
  at: new Date(Number(timestamp) * 1000),
});
