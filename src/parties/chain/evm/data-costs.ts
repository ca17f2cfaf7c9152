import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  maxUint64,
  parseAbi,
  serializeTransaction,
} from 'viem';
import { asHex } from '../addresses';
import { ChainRefused } from '../errors';
import type { Call, DataCost, FeeModel } from '../port';
import type { Rpc } from './rpc';
import { callOnce } from './state';

/** Prices of data, as contracts of the OP stack (specs.optimism.io, predeploys) and of Arbitrum (NodeInterface) tell. */

const OP_ORACLE = '0x420000000000000000000000000000000000000F';
/** A contract of nodes only. It has no code. */
const ARBITRUM_NODES = '0x00000000000000000000000000000000000000C8';

const OP_ABI = parseAbi(['function getL1Fee(bytes data) view returns (uint256)']);
const ARBITRUM_ABI = parseAbi([
  'function gasEstimateComponents(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimate, uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
]);

const NONE: DataCost = { fee: 0n, gas: 0n };
const NOBODY = '0x0000000000000000000000000000000000000001';
/** Any call, to see whether a contract answers. */
const ANY: Call = { from: NOBODY, to: NOBODY, value: 0n, data: '0x' };

/** @throws ChainRefused `reverted`: the chain has no such contract */
export async function readDataCost(
  rpc: Rpc,
  chainId: number,
  model: FeeModel,
  call: Call,
): Promise<DataCost> {
  if (model === 'op') return { ...NONE, fee: await readOpFee(rpc, chainId, call) };
  if (model === 'arbitrum') return { ...NONE, gas: await readArbitrumGas(rpc, call) };
  return NONE;
}

export async function readFeeModel(rpc: Rpc, chainId: number): Promise<FeeModel> {
  const answers = (model: FeeModel) =>
    readDataCost(rpc, chainId, model, ANY).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ChainRefused) return false;
        throw error;
      },
    );
  const [isOp, isArbitrum] = await Promise.all([answers('op'), answers('arbitrum')]);
  if (isOp) return 'op';
  return isArbitrum ? 'arbitrum' : 'evm';
}

async function readOpFee(rpc: Rpc, chainId: number, call: Call): Promise<bigint> {
  const data = encodeFunctionData({ abi: OP_ABI, args: [unsignedBytes(chainId, call)] });
  return wordsOf(await askContract(rpc, call, OP_ORACLE, data), 1, (answer) =>
    decodeFunctionResult({ abi: OP_ABI, data: answer }),
  );
}

async function readArbitrumGas(rpc: Rpc, call: Call): Promise<bigint> {
  const args = [asHex(call.to), false, asHex(call.data)] as const;
  const answer = await askContract(
    rpc,
    call,
    ARBITRUM_NODES,
    encodeFunctionData({ abi: ARBITRUM_ABI, args }),
  );
  return wordsOf(answer, 4, (words) => decodeFunctionResult({ abi: ARBITRUM_ABI, data: words })[1]);
}

/** Asks without value, because neither contract needs it and the sender may not have it. */
const askContract = async (rpc: Rpc, { from }: Call, to: string, data: Hex): Promise<Hex> =>
  asHex(await callOnce(rpc, { from, to, value: 0n, data }));

/** An address without the contract answers nothing. */
function wordsOf<T>(answer: Hex, words: number, decoded: (answer: Hex) => T): T {
  if (answer.length < 2 + 64 * words) throw new ChainRefused('reverted');
  return decoded(answer);
}

/** Unsigned bytes with the widest numbers, because nonce, gas and prices are not known yet. The oracle adds the signature. */
function unsignedBytes(chainId: number, { to, value, data, authorizations = [] }: Call): Hex {
  const common = {
    chainId,
    nonce: 0xffff_ffff,
    gas: 0xffff_ffffn,
    maxFeePerGas: maxUint64,
    maxPriorityFeePerGas: maxUint64,
    to: asHex(to),
    value,
    data: asHex(data),
  };
  if (authorizations.length === 0) return serializeTransaction({ ...common, type: 'eip1559' });
  const authorizationList = authorizations.map(({ contract, r, s, ...each }) => ({
    ...each,
    address: asHex(contract),
    r: asHex(r),
    s: asHex(s),
  }));
  return serializeTransaction({ ...common, type: 'eip7702', authorizationList });
}
