import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultOfSignature } from './signature-v4';

/** A call of KMS that came with a right signature. */
export interface KmsCall {
  action: string;
  keyId: string;
  context: Record<string, string>;
}

export interface KmsDouble {
  /** The variables of the environment by which the SDK finds the double and signs. */
  environment: Record<string, string>;
  /** MASTER_KEYS names this key as `kms:` and the ARN. */
  keyArn: string;
  /** Calls with a right signature, in order. */
  calls: KmsCall[];
  /** Error codes of the next calls. */
  faults: string[];
  close(): Promise<void>;
}

const REGION = 'eu-central-1';
const CREDENTIALS = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'a secret/with+all=kinds' };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Asked {
  KeyId: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

/**
 * Starts a server for Encrypt and Decrypt of AWS KMS (its JSON protocol 1.1), with one key. It checks signatures, and
 * opens a value only with the encryption context that it was sealed with.
 */
export async function startKmsDouble(): Promise<KmsDouble> {
  const key = randomBytes(32);
  const keyArn = `arn:aws:kms:${REGION}:111122223333:key/${randomBytes(16).toString('hex')}`;
  const calls: KmsCall[] = [];
  const faults: string[] = [];
  const signer = { service: 'kms', region: REGION, ...CREDENTIALS, signs: ['x-amz-target'] } as const;

  function answer(action: string, asked: Asked): Record<string, string> | string {
    if (asked.KeyId !== keyArn) return 'NotFoundException';
    const context = contextText(asked.EncryptionContext);
    if (action === 'Encrypt') {
      const sealed = seal(key, Buffer.from(asked.Plaintext ?? '', 'base64'), context);
      return { KeyId: keyArn, CiphertextBlob: sealed.toString('base64') };
    }
    if (action !== 'Decrypt') return 'UnknownOperationException';
    const opened = open(key, Buffer.from(asked.CiphertextBlob ?? '', 'base64'), context);
    return opened ? { KeyId: keyArn, Plaintext: opened.toString('base64') } : 'InvalidCiphertextException';
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const [, action = ''] = /^TrentService\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
      const wrong = faultOfSignature(request, body, signer);
      const asked = JSON.parse(body.toString()) as Asked;
      if (!wrong) calls.push({ action, keyId: asked.KeyId, context: asked.EncryptionContext ?? {} });
      const told = wrong ?? faults.shift() ?? answer(action, asked);
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      if (typeof told !== 'string') return void response.writeHead(200).end(JSON.stringify(told));
      response.writeHead(400).end(JSON.stringify({ __type: told, message: `${told} by the double` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    keyArn,
    calls,
    faults,
    environment: {
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const contextText = (context: Record<string, string> = {}): string =>
  JSON.stringify(Object.entries(context).sort());

function seal(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function open(key: Buffer, sealed: Buffer, context: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
