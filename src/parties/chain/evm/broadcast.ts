import { keccak256 } from 'viem';
import { OutcomeUnknown } from '../../../process/party-errors';
import { asHex } from '../addresses';
import { ChainAway, ChainRefused } from '../errors';
import { answers } from './answers';
import { NodeAway, NodeRefused, type Refusal } from './faults';
import { isFault, type Nodes } from './nodes';
import type { Rpc } from './rpc';
import { transactionCall } from './transaction';

/** Result of one address. `lost`: the address may have the transaction. */
type Outcome = { is: 'taken' | 'unsent' | 'lost' } | { is: 'refused'; why: Refusal };

/**
 * Sends the transaction to every address at once, and returns when the first one takes it. The other requests go on.
 * @throws ChainRefused every answer is a refusal and no other node may have it; OutcomeUnknown; ChainAway no node was
 * reached
 */
export async function broadcastBy(nodes: Nodes, chain: string, signed: string): Promise<{ hash: string }> {
  const hash = keccak256(asHex(signed));
  const asked = nodes.each((rpc) => handOver(rpc, signed, hash)).map((outcome) => outcome.catch(silenceOf));
  const isTaken = await Promise.any(asked.map(requireTaken)).catch(() => false);
  if (isTaken) return { hash };
  const outcomes = await Promise.all(asked);
  if (outcomes.some(({ is }) => is === 'lost')) throw new OutcomeUnknown();
  const refused = outcomes.find((outcome) => outcome.is === 'refused');
  throw refused ? new ChainRefused(refused.why) : new ChainAway(chain);
}

async function requireTaken(outcome: Promise<Outcome>): Promise<true> {
  if ((await outcome).is !== 'taken') throw new Error('not taken');
  return true;
}

async function handOver(rpc: Rpc, signed: string, hash: string): Promise<Outcome> {
  try {
    await rpc.alone({ method: 'eth_sendRawTransaction', params: [signed] }, answers.hash);
    return { is: 'taken' };
  } catch (error) {
    if (!(error instanceof NodeRefused)) throw error;
    if (error.why === 'already_known' || (await knows(rpc, hash))) return { is: 'taken' };
    if (error.why === 'not_now') throw error;
    return { is: 'refused', why: error.why };
  }
}

/** A node that has the transaction in a block refuses its nonce as used. A node that cannot be asked may have it. */
const knows = async (rpc: Rpc, hash: string) =>
  (await rpc.call(transactionCall(hash), answers.transaction)) !== null;

function silenceOf(error: unknown): Outcome {
  if (!isFault(error)) throw error;
  return { is: error instanceof NodeAway && !error.wasSent ? 'unsent' : 'lost' };
}
