/**
 * A node, or several, of one chain. Amounts are whole numbers of the coin's or token's smallest unit, as the chain counts them
 * (wei; 10⁻⁶ USDT). Addresses are checksummed (EIP-55).
 */

/** The kinds of chain that there is an adapter for. Another kind has a {@link ChainNode} of its own. */
export const CHAIN_KINDS = ['evm'] as const;
export type ChainKind = (typeof CHAIN_KINDS)[number];

/** How a chain is reached: what of a network's configuration its nodes are asked by. */
export interface ChainAddress {
  /** Our name for it: `local`, `ethereum`. */
  chain: string;
  kind: ChainKind;
  /** EIP-155. */
  chainId: number;
  /** Asked in this order; they may hold credentials. */
  rpcUrls: readonly string[];
}

/** The chains, each by its nodes. A chain whose addresses changed is another one. */
export interface ChainParty {
  /** Keeps connections; the same address gives the same node. */
  of(address: ChainAddress): ChainNode;
}

export interface Block {
  number: number;
  hash: string;
  parentHash: string;
  /** As the block says; seconds are all that a chain counts. */
  at: Date;
}

/** The ordinal of a transfer of the native coin, which leaves no log (decisions part 4). */
export const NATIVE = -1;

/** Money that has moved from one address to another, in a transaction that is in a block and has not been reverted. */
export interface ChainTransfer {
  txHash: string;
  /** Of the log in its transaction's receipt, from 0: it survives a reorganisation; {@link NATIVE} for the native coin. */
  ordinal: number;
  /** Block-wide, as explorers show it; null for the native coin. */
  logIndex: number | null;
  /** The token's contract; null: the native coin. */
  token: string | null;
  from: string;
  to: string;
  units: bigint;
  block: Block;
}

/** What a range of blocks has brought, and the blocks that it is tied to. */
export interface FoundTransfers {
  /** Of the block before the range, as its first block names it. */
  parentHash: string;
  toBlockHash: string;
  transfers: ChainTransfer[];
  /** Blocks with more logs than a node gives: of those the listed tokens alone were read. */
  inPart: number[];
}

/** What a block has brought to an address of the native coin, and none of its transactions shows: a contract has passed it on. */
export interface UnshownCoin {
  blockHash: string;
  /** Below zero where a contract has taken it from the address. */
  units: bigint;
}

/** What the sender of a transaction has signed. */
export interface SentTransaction {
  from: string;
  /** null: it makes a contract. */
  to: string | null;
  nonce: number;
  /** Of the native coin. */
  value: bigint;
  /** 0x… */
  data: string;
}

/** What has become of a transaction. */
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
      /** What its sender paid: gas used × effective price, in units of the native coin; and what a chain below this one took. */
      fee: bigint;
      /** What of it a chain below this one took; absent where the node tells nothing of that, and it is not in `fee` either. */
      feeBelow?: bigint;
      gasUsed: bigint;
      /**
       * All transfers of it, of any token and of its own native value, to anybody. Empty when it was reverted. The native coin that
       * a contract passes on leaves no trace in a block.
       */
      transfers: ChainTransfer[];
    };

/** Of several nodes, what those say that answer. */
export interface AgreedBlock {
  /** Of the block at that height, where all who know one name the same; null: none of those who answered knows one. */
  hash: string | null;
  /** How many have answered, of how many. */
  said: number;
  of: number;
  /** Some know one and some do not, or they name different ones: nothing can be concluded yet. */
  isSplit: boolean;
}

/** What nodes tell of the nonces of an address. */
export interface ToldNonces {
  /** How many transactions it has sent that are in a block, as most nodes say at least. */
  counted: number;
  /**
   * What each of them says: how many are in a block, and the first nonce that none of its transactions has, what waits for a block
   * counted too. Who else signs for the address may have sent those, to one node alone; and a node may tell any number: who gives nonces
   * out bounds both.
   */
  each: readonly { counted: number; next: number }[];
  /** How many there are, with those that do not answer. */
  of: number;
}

/** Prices of the next block, in units of the native coin for one gas. */
export interface ChainFees {
  baseFee: bigint;
  /** Covers some full blocks of growth of the base fee. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** What the owner of an address has signed: its code is that contract's from now on, until it signs another one (EIP-7702). */
export interface SignedAuthorization {
  chainId: number;
  /** Whose code it takes. */
  contract: string;
  /** Of the owner's next transaction: with another one the chain passes it over. Taken, it uses that nonce up. */
  nonce: number;
  yParity: number;
  /** 0x… */
  r: string;
  s: string;
}

/** A transaction to be signed (EIP-1559; EIP-7702 where there are authorizations). All whole numbers as decimal text would lose nothing; in code they are bigint. */
export interface UnsignedTransaction {
  chainId: number;
  nonce: number;
  from: string;
  to: string;
  /** Of the native coin. */
  value: bigint;
  /** 0x… */
  data: string;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Applied before the call is made, each of an owner of its own; absent or empty: none. */
  authorizations?: readonly SignedAuthorization[];
}

/** What a transaction does. */
export type Call = Pick<UnsignedTransaction, 'from' | 'to' | 'value' | 'data' | 'authorizations'>;

/**
 * One chain. Reads go to the first address that answers; one that fails or hangs is passed over, and asked again later.
 * @throws ChainAway none of its addresses answers in time, or what they answer cannot be read
 */
export interface ChainNode {
  /** What each address that answers says it is; an empty list when none does. Never throws. */
  chainIds(): Promise<{ chainId: number; url: string }[]>;
  /**
   * The newest block that half of those have come to who answer, of two nodes the further one. One that stands far behind it counts as
   * away until it has come after.
   */
  head(): Promise<Block>;
  /** Nothing: it has no block of that height. */
  block(number: number): Promise<Block | undefined>;
  /** Asks every address that is not far behind for the block of that height. @throws ChainAway none answers */
  agreedBlock(number: number): Promise<AgreedBlock>;
  /**
   * What has moved to any of the addresses in the blocks of a range, both ends included: tokens of any contract in one call, and
   * the native coin where it is asked for (a call a block).
   * @param options `again`: a second reading, which another address is asked for first where there are several; `listed`: the contracts
   *   that are read of a block whose logs are too many for a node
   * @returns with it the hash of the last block of the range, read of the same node before the logs: a range whose last block
   *   changes meanwhile is read again; and of the same node what its first block follows
   * @throws ChainAway also when nobody has the last block of the range yet
   */
  transfersTo(
    range: { from: number; to: number },
    addresses: readonly string[],
    options: { native: boolean; again?: boolean; listed?: readonly string[] },
  ): Promise<FoundTransfers>;
  /** `unknown` when nobody who answers knows it, or it is no hash. */
  transaction(hash: string): Promise<ChainTransaction>;
  /**
   * What each address that is not far behind says of a transaction, of how many: who decides about money asks whether they tell the
   * same. @throws ChainAway none answers
   */
  transactionOfEach(hash: string): Promise<{ said: ChainTransaction[]; of: number }>;
  /** @param token null: the native coin. @throws ChainRefused `no_token` stands there */
  balance(address: string, token: string | null): Promise<bigint>;
  /**
   * The balances of many, in their order.
   * @param atBlock as they stood after that block; absent: after the newest. Nodes forget all but the last hundred or so.
   * @throws ChainRefused `no_token`
   */
  balances(addresses: readonly string[], token: string | null, atBlock?: number): Promise<bigint[]>;
  /**
   * What each address says that is not far behind, of how many, by the balances at both ends of a block. Nothing: it has no such block.
   * Nodes forget the balances of all but the last hundred or so blocks; archive nodes do not.
   * @throws ChainAway none answers, or keeps those balances
   */
  unshownOfEach(address: string, block: number): Promise<{ said: (UnshownCoin | undefined)[]; of: number }>;
  /**
   * How many transactions it has sent that are in a block, as most nodes say at least; those that stand far behind know little of it.
   * @throws NodesDisagree not most of all answer, and keep up
   */
  nonce(address: string): Promise<number>;
  /** The same of all, and what each of them says, for who gives nonces out: those far behind are asked too. @throws NodesDisagree */
  noncesOf(address: string): Promise<ToldNonces>;
  /** The median of what those say that answer and keep up, of two the lower: no node alone makes gas dear. */
  fees(): Promise<ChainFees>;
  /** @throws ChainRefused `reverted`, `insufficient_funds`: it would be */
  estimateGas(transaction: Call): Promise<bigint>;
  /** What a call would answer in the newest block; nothing is sent. @returns 0x… @throws ChainRefused `reverted` */
  call(call: Call): Promise<string>;
  /** 0x…: the code that stands at an address; `0x` where there is none. */
  code(address: string): Promise<string>;
  /** The decimals that a token says it has. @throws ChainRefused `no_token` stands there */
  decimals(token: string): Promise<number>;
  /**
   * Hands a signed transaction to every address. One that a node knows already is taken.
   * @throws ChainRefused all who answered refuse it (`nonce_too_low`, `insufficient_funds`, `underpriced`, `reverted`, `refused`), and
   *   nobody else may have it; OutcomeUnknown it may have arrived: the same bytes may be handed over again; ChainAway it was sent to nobody
   */
  broadcast(signed: string): Promise<{ hash: string }>;
}
