/**
 * One chain, read through one or more nodes. Amounts are whole numbers of the smallest unit (wei; 10⁻⁶ USDT). Addresses
 * are checksummed (EIP-55).
 */

/** The kinds of chain that have an adapter. Another kind needs its own {@link ChainNode}. */
export const CHAIN_KINDS = ['evm'] as const;
export type ChainKind = (typeof CHAIN_KINDS)[number];

/**
 * How a chain charges for the data that it stores on the chain below it. `evm`: nothing beside gas. `op` (OP stack): a fee
 * beside gas, which the chain takes from the sender. `arbitrum`: more gas, which an estimate contains.
 */
export const FEE_MODELS = ['evm', 'op', 'arbitrum'] as const;
export type FeeModel = (typeof FEE_MODELS)[number];

/**
 * Names the rule of a final block: a number of confirmations, or a later block that the nodes report under a tag. `safe` and
 * `finalized` are the words of Ethereum's consensus; other chains give them a meaning of their own.
 */
export const FINALITIES = ['confirmations', 'safe', 'finalized'] as const;
export type Finality = (typeof FINALITIES)[number];
export type FinalTag = Exclude<Finality, 'confirmations'>;

/** Cost of a transaction's data at the present prices of the chain below, which change with its blocks. */
export interface DataCost {
  /** Fee beside gas, in units of the native coin (`op`). */
  fee: bigint;
  /** The part of an estimate of gas that stands for the data (`arbitrum`). */
  gas: bigint;
}

/** How to reach a chain: the part of a network's configuration that its nodes need. */
export interface ChainAddress {
  /** Our name of the chain: `local`, `ethereum`. */
  chain: string;
  kind: ChainKind;
  /** EIP-155. */
  chainId: number;
  /** Asked in this order. They may hold credentials. */
  rpcUrls: readonly string[];
  /** Most calls to each address in a second. Absent or null: no limit. */
  requestsPerSecond?: number | null;
}

/** All chains. A chain whose addresses change is a new one. */
export interface ChainParty {
  /** Returns the same node for the same address, because a node keeps connections. */
  of(address: ChainAddress): ChainNode;
}

export interface Block {
  number: number;
  hash: string;
  parentHash: string;
  /** As the block says, in whole seconds. */
  at: Date;
}

/** The ordinal of a transfer of the native coin, which leaves no log (decisions part 4). */
export const NATIVE = -1;

/** A movement of money between two addresses, in a transaction that is in a block and has not reverted. */
export interface ChainTransfer {
  txHash: string;
  /**
   * Place of the log in its transaction's receipt, from 0, because that survives a reorganisation. {@link NATIVE} for
   * the native coin.
   */
  ordinal: number;
  /** Index in the whole block, as explorers show it. Null for the native coin. */
  logIndex: number | null;
  /** The token's contract. Null: the native coin. */
  token: string | null;
  from: string;
  to: string;
  units: bigint;
  block: Block;
}

/** A large set of addresses in lower case, which is not copied. */
export interface AddressSet extends Iterable<string> {
  readonly size: number;
  has(address: string): boolean;
}

/** Addresses that nodes accept in one filter of logs. */
export const OF_A_CALL = 500;

/**
 * Most addresses that nodes are asked for. With more, the logs of the listed contracts are read whole and matched here,
 * because each filter costs a request.
 */
export const MAX_ASKED_FOR = 4 * OF_A_CALL;

/** Addresses to look for. A list has them in any spelling. */
export type Addresses = readonly string[] | AddressSet;

/** The transfers of a range of blocks, and the hashes that tie the range to the chain. */
export interface FoundTransfers {
  /** Hash of the block before the range, as the first block names it. */
  parentHash: string;
  toBlockHash: string;
  transfers: ChainTransfer[];
  /** Blocks with more logs than a node returns. Only the listed tokens were read there. */
  inPart: number[];
}

/** Native coin that a block brought to an address and that no transaction shows, because a contract passed it on. */
export interface UnshownCoin {
  blockHash: string;
  /** Negative where a contract took coin from the address. */
  units: bigint;
}

/** The fields of a transaction that its sender has signed. */
export interface SentTransaction {
  from: string;
  /** Null: the transaction creates a contract. */
  to: string | null;
  nonce: number;
  /** In units of the native coin. */
  value: bigint;
  /** 0x… */
  data: string;
}

/** The state of a transaction. */
export type ChainTransaction =
  | { status: 'unknown' }
  /** In no block yet. */
  | { status: 'pending'; sent?: SentTransaction }
  | {
      status: 'succeeded' | 'reverted';
      block: Block;
      from: string;
      to: string | null;
      nonce: number;
      /**
       * Cost for the sender in units of the native coin: gas used × effective price, plus the fee of the chain below.
       */
      fee: bigint;
      /** The part of `fee` that the chain below took. Absent where the node does not report it; `fee` lacks it then. */
      feeBelow?: bigint;
      gasUsed: bigint;
      /**
       * All its transfers, of any token and of its own native value, to any address. Empty for a reverted transaction.
       * Coin that a contract passes on leaves no trace in a block.
       */
      transfers: ChainTransfer[];
    };

/** What the answering nodes say about a block. */
export interface AgreedBlock {
  /** The hash that all nodes with such a block name. Null where no node has one, and where they differ. */
  hash: string | null;
  /** How many nodes answered, and of how many. */
  said: number;
  of: number;
  /** Some nodes have the block and others do not, or their hashes differ. Nothing can be concluded yet. */
  isSplit: boolean;
}

/** What the nodes report about the nonces of an address. */
export interface ReportedNonces {
  /** How many transactions of the address are in a block. A majority reports at least this number. */
  counted: number;
  /**
   * Each node's mined count, and the first free nonce with waiting transactions counted. Whoever assigns nonces must
   * bound both, because another signer may have used a single node, and a node may report any number.
   */
  each: readonly { counted: number; next: number }[];
  /** The number of all nodes, including those that do not answer. */
  of: number;
}

/** Prices of the next block, in units of the native coin for one gas. */
export interface ChainFees {
  baseFee: bigint;
  /** Covers six full blocks of growth of the base fee. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** An owner's signature that gives the address the code of a contract, until the owner signs another (EIP-7702). */
export interface SignedAuthorization {
  chainId: number;
  contract: string;
  /**
   * Nonce of the owner's next transaction. The chain skips an authorization with any other nonce; an applied one uses
   * its nonce up.
   */
  nonce: number;
  yParity: number;
  /** 0x… */
  r: string;
  s: string;
}

/** An unsigned transaction (EIP-1559; EIP-7702 where it has authorizations). */
export interface UnsignedTransaction {
  chainId: number;
  nonce: number;
  from: string;
  to: string;
  /** In units of the native coin. */
  value: bigint;
  /** 0x… */
  data: string;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Applied before the call, each from a different owner. May be absent or empty. */
  authorizations?: readonly SignedAuthorization[];
}

export type Call = Pick<UnsignedTransaction, 'from' | 'to' | 'value' | 'data' | 'authorizations'>;

/**
 * One chain. Reads go to the first address that answers. A failed address is asked last for a while.
 * @throws ChainAway no address gives a readable answer in time
 */
export interface ChainNode {
  /** The chain id that each answering address reports. Empty where none answers. Never throws. */
  chainIds(): Promise<{ chainId: number; url: string }[]>;
  /**
   * The newest block that half of the answering nodes have reached, the higher of two. A node far behind it counts as
   * away until it catches up.
   */
  head(): Promise<Block>;
  /**
   * The newest block of one address, and of another one at the next call. Tells that something may be new, and decides
   * nothing about money.
   * @param maxAgeMs also returns what an earlier call has seen within this time
   */
  look(maxAgeMs?: number): Promise<Block>;
  /**
   * The height of the block under a tag. A majority of the nodes reports at least this height.
   * @throws NodesDisagree too few nodes answer, or know the tag
   */
  taggedHeight(tag: FinalTag): Promise<number>;
  /** Undefined: the chain has no block of that height. */
  block(number: number): Promise<Block | undefined>;
  /** Asks every address that is not far behind for the block of that height. @throws ChainAway no node answers */
  agreedBlock(number: number): Promise<AgreedBlock>;
  /**
   * The transfers to the addresses in a range of blocks, both ends included. Tokens of any contract need one call for 500
   * addresses. Where the addresses are more than 2,000, only the listed contracts are read, in one call. The native coin, on
   * request, needs one call a block.
   * @param options `again`: a second reading, which another address answers first; `listed`: contracts to read where a
   * block has too many logs for a node, or the addresses are many
   * @returns also the hash of the last block, read from the same node before the logs, and the parent of the first
   * block. A range whose last block changes meanwhile is read again.
   * @throws ChainAway also when no node has the last block of the range yet
   */
  transfersTo(
    range: { from: number; to: number },
    addresses: Addresses,
    options: { native: boolean; again?: boolean; listed?: readonly string[] },
  ): Promise<FoundTransfers>;
  /** `unknown` when no answering node knows it, or the text is no hash. */
  transaction(hash: string): Promise<ChainTransaction>;
  /**
   * What each address that is not far behind reports about a transaction. Callers that decide about money compare the
   * answers.
   * @throws ChainAway no node answers
   */
  transactionOfEach(hash: string): Promise<{ said: ChainTransaction[]; of: number }>;
  /** @param token null: the native coin. @throws ChainRefused `no_token`: the address has no token */
  balance(address: string, token: string | null): Promise<bigint>;
  /**
   * The balances of several addresses, in their order. Where the chain has Multicall3, one call reads 500.
   * @param atBlock the balances after that block; absent: after the newest. Nodes forget all but the last hundred
   * blocks or so.
   * @throws ChainRefused `no_token`
   */
  balances(addresses: readonly string[], token: string | null, atBlock?: number): Promise<bigint[]>;
  /**
   * Unshown native coin of a block, from each address that is not far behind, by the balances at both ends of the
   * block. Undefined: the node has no such block. Only archive nodes keep balances older than the last hundred blocks
   * or so.
   * @throws ChainAway no node answers, or none keeps those balances
   */
  unshownOfEach(address: string, block: number): Promise<{ said: (UnshownCoin | undefined)[]; of: number }>;
  /**
   * How many transactions of the address are in a block. A majority of the nodes reports at least this number.
   * @throws NodesDisagree too few nodes answer and keep up
   */
  nonce(address: string): Promise<number>;
  /**
   * The nonces as each node reports them, for assigning nonces. Asks lagging nodes as well.
   * @throws NodesDisagree
   */
  noncesOf(address: string): Promise<ReportedNonces>;
  /** The median price of the nodes that keep up, the lower of two, so that no single node makes gas expensive. */
  fees(): Promise<ChainFees>;
  /** @throws ChainRefused `reverted`, `insufficient_funds`: the transaction would fail so */
  estimateGas(transaction: Call): Promise<bigint>;
  /** The fee model that the chain's own contracts show. */
  feeModel(): Promise<FeeModel>;
  /** Present cost of a transaction's data, beside the gas of its execution. */
  dataCost(model: FeeModel, call: Call): Promise<DataCost>;
  /** Runs a call against the newest block without sending it. @returns 0x… @throws ChainRefused `reverted` */
  call(call: Call): Promise<string>;
  /** The code at an address, 0x…; `0x` where there is none. */
  code(address: string): Promise<string>;
  /** The decimals that a token reports. @throws ChainRefused `no_token`: the address has no token */
  decimals(token: string): Promise<number>;
  /**
   * Sends a signed transaction to every address. A transaction that a node already knows counts as taken.
   * @throws ChainRefused every answer is a refusal (`nonce_too_low`, `insufficient_funds`, `underpriced`, `reverted`,
   * `refused`) and no other node may have it; OutcomeUnknown it may have arrived, so the same bytes may be sent again;
   * ChainAway it was sent to no node
   */
  broadcast(signed: string): Promise<{ hash: string }>;
}
