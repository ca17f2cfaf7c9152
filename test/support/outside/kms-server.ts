import { createCipheriv, createDecipheriv, createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
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
  /** Error codes of the next calls. `silent`: no answer. */
  faults: string[];
  /** Adds a key ECC_SECG_P256K1. @returns its ARN */
  addSigningKey(privateKey: Hex): string;
  /** Changes the answers of Sign. */
  signs: SignedAs;
  close(): Promise<void>;
}

/** How Sign answers: in truth, always with a high `s`, with bytes that are no signature, or never. */
export type SignedAs = { as: 'true' | 'high' | 'garbage' | 'silent' };

const REGION = 'eu-central-1';
const CREDENTIALS = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'a secret/with+all=kinds' };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Asked {
  KeyId: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
  Message?: string;
  MessageType?: string;
  SigningAlgorithm?: string;
}

/**
 * Starts a server for Encrypt, Decrypt, Sign and GetPublicKey of AWS KMS (its JSON protocol 1.1), with one symmetric key and
 * those of secp256k1 that are added. It checks signatures, and opens a value only with the encryption context that it was
 * sealed with.
 */
export async function startKmsDouble(): Promise<KmsDouble> {
  const key = randomBytes(32);
  const keyArn = `arn:aws:kms:${REGION}:111122223333:key/${randomBytes(16).toString('hex')}`;
  const calls: KmsCall[] = [];
  const faults: string[] = [];
  const signer = { service: 'kms', region: REGION, ...CREDENTIALS, signs: ['x-amz-target'] } as const;

  const signing = new Map<string, Hex>();
  const signs: SignedAs = { as: 'true' };

  function answer(action: string, asked: Asked): Record<string, string> | string {
    const privateKey = signing.get(asked.KeyId);
    if (privateKey) return answerOfSigning(privateKey, action, asked, signs.as);
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
      if (told === 'silent') return;
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
    signs,
    addSigningKey(privateKey) {
      const arn = `arn:aws:kms:${REGION}:111122223333:key/${randomBytes(16).toString('hex')}`;
      signing.set(arn, privateKey);
      return arn;
    },
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

/** Before the point of a public key: SPKI of secp256k1. */
const SPKI = '3056301006072a8648ce3d020106052b8104000a034200';
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** As KMS, Sign gives another signature each time, and half of them have a high `s`. */
function answerOfSigning(
  privateKey: Hex,
  action: string,
  asked: Asked,
  as: SignedAs['as'],
): Record<string, string> | string {
  const { publicKey } = privateKeyToAccount(privateKey);
  if (action === 'GetPublicKey')
    return {
      KeyId: asked.KeyId,
      PublicKey: Buffer.from(SPKI + publicKey.slice(2), 'hex').toString('base64'),
      KeySpec: 'ECC_SECG_P256K1',
      KeyUsage: 'SIGN_VERIFY',
    };
  if (action !== 'Sign') return 'InvalidKeyUsageException';
  if (as === 'silent') return 'silent';
  const digest = Buffer.from(asked.Message ?? '', 'base64');
  if (asked.MessageType !== 'DIGEST' || asked.SigningAlgorithm !== 'ECDSA_SHA_256' || digest.length !== 32)
    return 'ValidationException';
  const { r, s } = signedWithRandom(privateKey, digest);
  const isHigh = as === 'high' || (randomBytes(1)[0] ?? 0) % 2 === 0;
  const low = s > ORDER / 2n ? ORDER - s : s;
  const der = sequenceOf([r, isHigh ? ORDER - low : low]);
  const Signature = as === 'garbage' ? randomBytes(70) : der;
  return { KeyId: asked.KeyId, Signature: Signature.toString('base64'), SigningAlgorithm: 'ECDSA_SHA_256' };
}

/** ECDSA with a random nonce, as KMS signs. The libraries of the project sign by RFC 6979. */
function signedWithRandom(privateKey: Hex, digest: Buffer): { r: bigint; s: bigint } {
  const once = createECDH('secp256k1');
  once.generateKeys();
  const r = BigInt(`0x${once.getPublicKey('hex').slice(2, 66)}`) % ORDER;
  const k = BigInt(`0x${once.getPrivateKey('hex')}`);
  const z = BigInt(`0x${digest.toString('hex')}`);
  return { r, s: (powered(k, ORDER - 2n) * (z + r * BigInt(privateKey))) % ORDER };
}

function powered(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [of, left] = [base, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * of) % ORDER;
    of = (of * of) % ORDER;
  }
  return result;
}

/** DER of a signature. */
function sequenceOf(integers: readonly bigint[]): Buffer {
  const parts = integers.map((value) => {
    const text = value.toString(16);
    const bytes = Buffer.from(text.length % 2 === 0 ? text : `0${text}`, 'hex');
    const whole = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    return Buffer.concat([Buffer.from([2, whole.length]), whole]);
  });
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
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
