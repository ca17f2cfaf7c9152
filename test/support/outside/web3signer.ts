import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Hex, keccak256, serializeSignature } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';

export interface Web3SignerDouble {
  url: string;
  /** Calls of its sign endpoint: the public key, and the data. */
  signed: { identifier: string; data: string }[];
  /** Changes the next answers of its sign endpoint. Empty: the truth. */
  faults: Web3SignerFault[];
  close(): Promise<void>;
}

/** A status; an answer that is no signature; the signature of other bytes or of another key; a high `s`; no answer. */
export type Web3SignerFault = number | 'garbage' | 'other bytes' | 'other key' | 'high' | 'silent';

const STRANGER = `0x${'5'.repeat(64)}` as const;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Starts a server for the REST API of a Web3Signer in its mode `eth1`: `GET /api/v1/eth1/publicKeys`, and
 * `POST /api/v1/eth1/sign/{identifier}`, which signs the Keccak-256 digest of `data` and answers 65 bytes as text.
 */
export async function startWeb3Signer(privateKeys: readonly Hex[]): Promise<Web3SignerDouble> {
  const keys = new Map<string, Hex>(
    privateKeys.map((privateKey) => {
      const { publicKey } = privateKeyToAccount(privateKey);
      return [`0x${publicKey.slice(4)}`, privateKey] as const; // without the prefix 04
    }),
  );
  const signed: Web3SignerDouble['signed'] = [];
  const faults: Web3SignerFault[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/api/v1/eth1/publicKeys') {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify([...keys.keys()]));
    }
    const [, identifier = ''] = /^\/api\/v1\/eth1\/sign\/(0x[0-9a-f]+)$/.exec(request.url ?? '') ?? [];
    const privateKey = keys.get(identifier);
    if (request.method !== 'POST' || !privateKey) return void response.writeHead(404).end();
    const { data } = (await json(request)) as { data?: string };
    if (!/^0x([0-9a-f]{2})*$/i.test(data ?? '')) return void response.writeHead(400).end();
    const fault = faults.shift();
    if (fault === 'silent') return;
    if (typeof fault === 'number') return void response.writeHead(fault).end();
    signed.push({ identifier, data: data as string });
    response.setHeader('content-type', 'text/plain');
    response.end(await signatureOf(privateKey, data as Hex, fault));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signed,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function signatureOf(privateKey: Hex, data: Hex, fault?: Web3SignerFault): Promise<string> {
  if (fault === 'garbage') return 'a proxy that is not the Web3Signer';
  const made = await sign({
    hash: keccak256(fault === 'other bytes' ? `${data}00` : data),
    privateKey: fault === 'other key' ? STRANGER : privateKey,
  });
  const s: Hex = fault === 'high' ? `0x${(ORDER - BigInt(made.s)).toString(16).padStart(64, '0')}` : made.s;
  return serializeSignature({ r: made.r, s, yParity: made.yParity ?? 0 });
}
