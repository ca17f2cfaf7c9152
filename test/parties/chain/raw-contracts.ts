import { type Address, concatHex, type Hex, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestChain } from '../../support/chain';

/** Contracts of a few instructions, for logs that no test token makes. */

export const PASS_ON = [
  {
    type: 'function',
    name: 'passOn',
    stateMutability: 'payable',
    outputs: [],
    inputs: [{ name: 'to', type: 'address' }],
  },
] as const;

/** Code that writes a log. Its topics are the words of the call, its data that many bytes of memory. */
export function logCode(topics: number, bytes: number): Hex {
  const words = Array.from({ length: topics }, (_, at) =>
    concatHex(['0x60', toHex((topics - 1 - at) * 32, { size: 1 }), '0x35']),
  );
  return concatHex([
    ...words,
    '0x60',
    toHex(bytes, { size: 1 }),
    '0x6000',
    toHex(0xa0 + topics, { size: 1 }),
  ]);
}

/** An unused address. */
export const newAddress = (): Address => privateKeyToAccount(generatePrivateKey()).address;

/** Deploys the code and calls it. @returns the hash of the call */
export async function callCode(chain: TestChain, code: Hex, words: readonly Hex[]): Promise<Hex> {
  const to = newAddress();
  await chain.client.setCode({ address: to, bytecode: code });
  const hash = await chain.client.sendTransaction({ to, data: concatHex([...words]) });
  const { status } = await chain.mined(hash);
  expect(status).toBe('success');
  return hash;
}
