import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Chains above another one, on the real node. */

const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const OP_ORACLE = '0x420000000000000000000000000000000000000F';
const ARBITRUM_NODES = '0x00000000000000000000000000000000000000C8';

const hex = (number: number): string => number.toString(16).padStart(2, '0');
const word = (units: bigint): string => `0x${units.toString(16).padStart(64, '0')}`;

/** Code that returns the words of its storage from 0 on. */
function returning(words: number): string {
  const each = Array.from({ length: words }, (_, place) => `60${hex(place)}5460${hex(32 * place)}52`);
  return `0x${each.join('')}60${hex(32 * words)}5ff3`;
}

async function ask(url: string, method: string, ...params: unknown[]): Promise<any> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: JSON_TYPE, body });
  const { result, error } = (await answer.json()) as { result: unknown; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function contract(url: string, address: string, words: readonly bigint[]): Promise<void> {
  await ask(url, 'anvil_setCode', address, returning(words.length));
  for (const [place, units] of words.entries())
    await ask(url, 'anvil_setStorageAt', address, word(BigInt(place)), word(units));
}

/** Answer of the oracle of {@link opChain} for any transaction, in wei. The chain takes a little less. */
export const OP_FEE = 800_000_000_000_000n;

const GWEI_3 = 3_000_000_000n;
/** Base fee and blob base fee of the chain below, and their scalars, by slots of L1Block. */
const PRICES: [bigint, bigint][] = [
  [1n, GWEI_3],
  [3n, 0x1db0000d27300000000000000005n],
  [7n, GWEI_3],
];

/**
 * Makes the chain take fees of a chain below, and gives it an oracle.
 * @param url of a node with `family: 'optimism'`
 * @returns url of the node with these fees in its receipts
 */
export async function opChain(url: string): Promise<string> {
  for (const [slot, units] of PRICES) await ask(url, 'anvil_setStorageAt', L1_BLOCK, word(slot), word(units));
  await contract(url, OP_ORACLE, [OP_FEE]);
  return withFeesShown(url);
}

/** The part of any estimate that the node interface of {@link arbitrumChain} names, in gas. */
export const ARBITRUM_GAS = 50_000n;

/** The node has the interface of Arbitrum, and takes no gas for data. */
export async function arbitrumChain(url: string): Promise<string> {
  await contract(url, ARBITRUM_NODES, [100_000n, ARBITRUM_GAS, 1n, 1n]);
  return url;
}

/**
 * The node takes the fee and does not show it. So receipts get it from the sender's balances around the block, which
 * has one transaction here. The node also demands the fee of calls and estimates, which nodes of the OP stack do not,
 * so their sender is rich.
 */
async function withFeesShown(url: string): Promise<string> {
  const server = createServer((request, response) => {
    void answerTo(url, request).then(
      (answer) => response.end(answer),
      () => response.destroy(),
    );
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function answerTo(url: string, request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = withRichSenders(Buffer.concat(parts).toString());
  const text = await (await fetch(url, { method: 'POST', headers: JSON_TYPE, body })).text();
  if (!/eth_get(Transaction|Block)Receipts?"/.test(body)) return text;
  const answers = JSON.parse(text);
  const shown = Array.isArray(answers)
    ? await Promise.all(answers.map((each) => answerShown(url, each)))
    : await answerShown(url, answers);
  return JSON.stringify(shown);
}

function withRichSenders(body: string): string {
  const asked = JSON.parse(body);
  const rich = (call: any): any => {
    if (!/^eth_(call|estimateGas)$/.test(call.method) || !call.params[0].from) return call;
    const [of, at = 'latest'] = call.params;
    return { ...call, params: [of, at, { [of.from]: { balance: `0x${'f'.repeat(24)}` } }] };
  };
  return JSON.stringify(Array.isArray(asked) ? asked.map(rich) : rich(asked));
}

async function answerShown(url: string, answer: any): Promise<any> {
  const { result } = answer;
  const shown = Array.isArray(result)
    ? await Promise.all(result.map((each) => receiptShown(url, each)))
    : await receiptShown(url, result);
  return { ...answer, result: shown };
}

async function receiptShown(url: string, receipt: any): Promise<any> {
  if (!receipt?.effectiveGasPrice) return receipt;
  const { from, blockNumber, transactionHash, gasUsed, effectiveGasPrice } = receipt;
  const before = `0x${(BigInt(blockNumber) - 1n).toString(16)}`;
  const [had, has, { value, to }] = await Promise.all([
    ask(url, 'eth_getBalance', from, before),
    ask(url, 'eth_getBalance', from, blockNumber),
    ask(url, 'eth_getTransactionByHash', transactionHash),
  ]);
  const sent = to === from ? 0n : BigInt(value);
  const l1Fee = BigInt(had) - BigInt(has) - sent - BigInt(gasUsed) * BigInt(effectiveGasPrice);
  return { ...receipt, l1Fee: `0x${l1Fee.toString(16)}` };
}
