import type { Hex } from 'viem';
import type { TestStation } from '../operations/support';

/** Variants of the test USDT, whose transfers return nothing and cost little. */

const IMPLEMENTATION = '0x00000000000000000000000000000000000070cE';

/** Delegates calls to another contract, and returns 1 when that returns nothing. */
const ANSWERS_TRUE: Hex = `0x3660006000376000600036600073${IMPLEMENTATION.slice(2)}5af4602c5760006000fd5b3d603b57600160005260206000f35b3d600060003e3d6000f3`;

/** Answers calls of 36 bytes (balanceOf) with two million, and all others with 0. Moves nothing. */
const ANSWERS_FALSE: Hex = '0x36602414600c5760206000f35b63001e848060005260206000f3';

/** Each transfer (68 bytes) runs a loop of 10,000 for 260,000 gas. Another contract does the work. */
const COSTLY: Hex = `0x36604414156015576127105b6001900380600b57505b3660006000376000600036600073${IMPLEMENTATION.slice(2)}5af460425760006000fd5b3d600060003e3d6000f3`;

/** @returns a function that restores the token */
async function become({ chain, token }: TestStation, bytecode: Hex): Promise<() => Promise<void>> {
  const { client } = chain;
  const code = (await client.getCode({ address: token })) ?? '0x';
  await client.setCode({ address: IMPLEMENTATION, bytecode: code });
  await client.setCode({ address: token, bytecode });
  return () => client.setCode({ address: token, bytecode: code });
}

export const answersTrue = (world: TestStation) => become(world, ANSWERS_TRUE);
export const answersFalse = (world: TestStation) => become(world, ANSWERS_FALSE);
export const isCostly = (world: TestStation) => become(world, COSTLY);
