import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, keccak256, toHex } from 'viem';
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { evmAddressOf } from '../../../src/parties/chain/addresses';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../../../src/parties/chain/port';
import type { Signer } from '../../../src/parties/signer/port';

type Asked =
  | { what: 'addresses'; kind: ChainKind; indices: readonly number[] }
  | { what: 'sign'; index: number; transaction: UnsignedTransaction }
  | { what: 'authorize'; index: number; given: { chainId: number; contract: string; nonce: number } };

/** JSON with whole numbers as text. */
const written = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
const read = <T>(text: string): T =>
  JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  ) as T;

/**
 * A custody service, which holds the keys and answers after a delay.
 * @returns the service, and the signer that uses it
 */
export async function startCustody(mnemonic: string, answersAfterMs = 20) {
  const keyAt = (addressIndex: number) => mnemonicToAccount(mnemonic, { addressIndex }).getHdKey();

  async function answerTo(asked: Asked): Promise<unknown> {
    if (asked.what === 'addresses')
      return asked.indices.map((index) => evmAddressOf(keyAt(index).publicKey as Uint8Array));
    const account = privateKeyToAccount(toHex(keyAt(asked.index).privateKey as Uint8Array));
    return asked.what === 'sign' ? signed(account, asked.transaction) : authorized(account, asked.given);
  }

  const server = createServer((request, response) => {
    const answered = (async () => {
      const asked = read<Asked>(await textOf(request));
      await sleep(answersAfterMs);
      return answerTo(asked);
    })();
    answered.then(
      (answer) => response.end(written(answer)),
      (error: Error) => response.writeHead(400).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function ask<T>(asked: Asked): Promise<T> {
    const response = await fetch(url, { method: 'POST', body: written(asked) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return read<T>(text);
  }
  const signer: Signer = {
    addresses: (kind, indices) => ask({ what: 'addresses', kind, indices }),
    sign: (index, transaction) => ask({ what: 'sign', index, transaction }),
    signAuthorization: (index, given) => ask({ what: 'authorize', index, given }),
  };
  return {
    signer,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const textOf = async (request: IncomingMessage): Promise<string> => JSON.stringify(await json(request));

async function signed(account: PrivateKeyAccount, transaction: UnsignedTransaction) {
  const { from, to, data, authorizations = [], ...rest } = transaction;
  if (from !== account.address) throw new Error(`${account.address} is not the sender`);
  const fields = { ...rest, to: to as Hex, data: data as Hex };
  const authorizationList = authorizations.map(({ contract, r, s, ...each }) => ({
    ...each,
    address: contract as Hex,
    r: r as Hex,
    s: s as Hex,
  }));
  const raw = await (authorizationList.length === 0
    ? account.signTransaction({ ...fields, type: 'eip1559' })
    : account.signTransaction({ ...fields, type: 'eip7702', authorizationList }));
  return { raw, hash: keccak256(raw) };
}

async function authorized(
  account: PrivateKeyAccount,
  { chainId, contract, nonce }: { chainId: number; contract: string; nonce: number },
): Promise<SignedAuthorization> {
  if (chainId === 0) throw new Error('an authorization needs a chain id above 0');
  const of = { chainId, nonce, contractAddress: contract as Hex };
  const { r, s, yParity = 0 } = await account.signAuthorization(of);
  return { chainId, contract, nonce, yParity, r, s };
}
