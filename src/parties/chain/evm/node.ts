import { isHash } from 'viem';
import { areMost, ofMost } from '../agreement';
import { ChainRefused, NodesDisagree } from '../errors';
import type { AgreedBlock, ChainAddress, ChainNode, FinalTag } from '../port';
import { answers, blockOf } from './answers';
import { broadcastBy } from './broadcast';
import { headerCall } from './calls';
import { readDataCost, readFeeModel } from './data-costs';
import { NodeAway, NodeRefused } from './faults';
import { feesOf, readFees } from './fees';
import { createBalances } from './multicall';
import { createNodes, type NodesOptions } from './nodes';
import type { Rpc } from './rpc';
import { callOnce, estimate, readCode, readDecimals, readNextNonce, readNonce } from './state';
import { readTransaction } from './transaction';
import { readTransfers } from './transfers';
import { readUnshown } from './unshown';

export function createEvmNode(address: ChainAddress, options: NodesOptions): ChainNode {
  const nodes = createNodes(address, options);
  const { chain } = address;
  const readBalances = createBalances();
  /** Reports a missing token only when no answering node knows it. */
  async function ofToken<T>(read: (rpc: Rpc) => Promise<T | undefined>): Promise<T> {
    const found = await nodes.first(read, { isEnough: (answer) => answer !== undefined });
    if (found === undefined) throw new ChainRefused('no_token');
    return found;
  }
  const balances: ChainNode['balances'] = (of, token, at) =>
    ofToken((rpc) => readBalances(rpc, of, token, at));
  return {
    chainIds: nodes.chainIds,
    head: nodes.newest,
    look: (maxAgeMs = 0) => nodes.look(maxAgeMs),
    taggedHeight: async (tag) => {
      const { said, of } = byMost(chain, await nodes.said((rpc) => readTagged(rpc, tag)));
      return ofMost(said, of);
    },
    block: (number) =>
      nodes.first((rpc) => readBlockAt(rpc, number), { isEnough: (block) => block !== undefined }),
    agreedBlock: async (number) => {
      const { said, of } = await nodes.said((rpc) => readBlock(rpc, number));
      return agreementOf(
        said.map((block) => block?.hash ?? null),
        of,
      );
    },
    transfersTo: (range, addresses, wanted) =>
      nodes.first((rpc) => readTransfers(rpc, range, addresses, wanted), { backwards: wanted.again }),
    transaction: async (hash) =>
      isHash(hash)
        ? nodes.first((rpc) => readTransaction(rpc, hash), { isEnough: ({ status }) => status !== 'unknown' })
        : { status: 'unknown' },
    transactionOfEach: (hash) => nodes.said((rpc) => readTransaction(rpc, hash)),
    balance: async (of, token) => (await balances([of], token))[0] as bigint,
    balances,
    unshownOfEach: (of, block) => nodes.said((rpc) => readUnshown(rpc, of, block)),
    nonce: async (address) => {
      const { said, of } = byMost(chain, await nodes.said((rpc) => readNonce(rpc, address)));
      return ofMost(said, of);
    },
    noncesOf: async (address) => {
      // Asks lagging nodes as well. Otherwise one of two nodes could disqualify the other by claiming a higher block.
      const told = await nodes.said((rpc) => readNonces(rpc, address), { behindToo: true });
      const { said: each, of } = byMost(chain, told);
      const counts = each.map(({ counted }) => counted);
      return { counted: ofMost(counts, of), each, of };
    },
    fees: async () => feesOf((await nodes.said(readFees)).said),
    estimateGas: (transaction) => nodes.first((rpc) => estimate(rpc, transaction)),
    feeModel: () => nodes.first((rpc) => readFeeModel(rpc, address.chainId)),
    dataCost: (model, call) => nodes.first((rpc) => readDataCost(rpc, address.chainId, model, call)),
    call: (call) => nodes.first((rpc) => callOnce(rpc, call)),
    code: (of) => nodes.first((rpc) => readCode(rpc, of)),
    decimals: (token) => ofToken((rpc) => readDecimals(rpc, token)),
    broadcast: (signed) => broadcastBy(nodes, chain, signed),
  };
}

/** @throws NodesDisagree fewer than a majority answered */
function byMost<T>(chain: string, told: { said: T[]; of: number }) {
  if (!areMost({ said: told.said.length, of: told.of })) throw new NodesDisagree(chain);
  return told;
}

/** Reads the mined count first, so that a transaction mined meanwhile is in the second count too. */
async function readNonces(rpc: Rpc, address: string) {
  const counted = await readNonce(rpc, address);
  return { counted, next: await readNextNonce(rpc, address) };
}

async function readBlock(rpc: Rpc, number: number) {
  const header = await rpc.call(headerCall(number), answers.header);
  return header ? blockOf(header) : undefined;
}

/** A node without such a block counts as one that does not answer. */
async function readTagged(rpc: Rpc, tag: FinalTag): Promise<number> {
  const header = await rpc.call(headerCall(tag), answers.header);
  if (!header) throw new NodeRefused('refused');
  return header.number;
}

/** Rejects a block of another height, which would look like a reorganisation. */
async function readBlockAt(rpc: Rpc, number: number) {
  const block = await readBlock(rpc, number);
  if (block && block.number !== number) throw new NodeAway(true);
  return block;
}

function agreementOf(hashes: readonly (string | null)[], of: number): AgreedBlock {
  const named = new Set(hashes.filter((hash) => hash !== null));
  const [hash = null] = named;
  const isSplit = new Set(hashes).size > 1;
  return { hash: named.size === 1 ? hash : null, said: hashes.length, of, isSplit };
}
