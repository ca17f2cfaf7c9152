import { z } from 'zod';
import type { Block } from '../port';

/**
 * What nodes answer, as the execution API has it (ethereum/execution-apis): only what is used of it. viem's formatters convert and
 * check nothing: a block without a hash would be one.
 */

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((text) => BigInt(text));

/** A height or an index: a number that JavaScript counts exactly. */
const count = quantity.refine((units) => units <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number);

const seconds = quantity.refine((units) => units < 8_640_000_000_000n); // the last that a Date can hold

const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase());

/** In small letters; checksummed where it leaves the adapter. */
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
  /** Of a chain that settles on another (the OP stack): what its sender paid there. */
  l1Fee: quantity.nullish(),
  logs: z.array(log.extend({ logIndex: count })),
});

export const answers = {
  quantity,
  count,
  hash,
  bytes,
  /** Null: it has no such block. */
  header: header.nullable(),
  fullBlock: header.extend({ transactions: z.array(sent) }).nullable(),
  transaction: sent.extend({ nonce: count, blockHash: hash.nullish(), input: bytes.nullish() }).nullable(),
  receipt: receipt.nullable(),
  logs: z.array(log),
  /** The last is of the block to come. */
  baseFees: z.object({ baseFeePerGas: z.array(quantity).min(1) }),
};

export type Header = z.output<typeof header>;
export type Sent = z.output<typeof sent>;
/** As the node of its hash tells it, in a block or not. */
export type KnownTransaction = NonNullable<z.output<typeof answers.transaction>>;
export type Log = z.output<typeof log>;
export type Receipt = z.output<typeof receipt>;

export const blockOf = ({ number, hash, parentHash, timestamp }: Header): Block => ({
  ...{ number, hash, parentHash },
  at: new Date(Number(timestamp) * 1000),
});
