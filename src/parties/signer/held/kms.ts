import { createPublicKey } from 'node:crypto';
import type { KMSClient } from '@aws-sdk/client-kms';
import { keccak256, toBytes } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { type FaultKind, type HeldKey, HeldKeyFault, type RawSignature } from './key';

const CONNECT_MS = 2_000;
const ANSWER_MS = 3_000;
/** The SDK tries again where KMS asks for patience. Few, because other requests wait for this one. */
const ATTEMPTS = 2;

/**
 * A key of AWS KMS (ECC_SECG_P256K1, SIGN_VERIFY). Needs `kms:Sign` and `kms:GetPublicKey`. Credentials, region and
 * endpoint are the SDK's own settings (`AWS_*`, a role of the machine or of the pod). The region of an ARN wins.
 * @param keyName ARN, id or alias
 */
export function kmsHeldKey(address: string, keyName: string): HeldKey {
  let opening: Promise<KMSClient> | undefined;
  const client = () => (opening ??= createClient(keyName));
  const wrong = (reason: string) => new HeldKeyFault(address, 'wrong', reason);
  const asked = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw faultOf(address, error as Error);
    }
  };
  return {
    address,
    provider: 'kms',
    async told() {
      const { GetPublicKeyCommand } = await sdk();
      const sending = (await client()).send(new GetPublicKeyCommand({ KeyId: keyName }));
      const { PublicKey, KeySpec } = await asked(sending);
      const point = PublicKey && pointOf(PublicKey);
      if (!point) throw wrong(`AWS KMS has given no public key of secp256k1 (${KeySpec ?? 'no key spec'}).`);
      return publicKeyToAddress(point);
    },
    async sign(payload) {
      const { SignCommand } = await sdk();
      const given = {
        KeyId: keyName,
        Message: toBytes(keccak256(payload)),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256', // names the curve's family; with DIGEST nothing is hashed
      } as const;
      const { Signature } = await asked((await client()).send(new SignCommand(given)));
      const signature = Signature && signatureOfDer(Signature);
      if (!signature) throw wrong('AWS KMS has answered with no signature in DER.');
      return signature;
    },
  };
}

/** Loaded only by installations that use it, because it takes a tenth of a second. */
const sdk = () => import('@aws-sdk/client-kms');

async function createClient(keyName: string): Promise<KMSClient> {
  const { KMSClient } = await sdk();
  const [, region] = /^arn:[^:]*:kms:([^:]+):/.exec(keyName) ?? [];
  return new KMSClient({
    ...(region === undefined ? {} : { region }),
    maxAttempts: ATTEMPTS,
    // Without `throwOnRequestTimeout` the SDK only warns, and waits on.
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
  });
}

/** Errors of KMS that do not pass without a person. */
const REFUSALS = new Set([
  ...[
    'AccessDeniedException',
    'UnrecognizedClientException',
    'InvalidClientTokenId',
    'ExpiredTokenException',
  ],
  ...['NotFoundException', 'DisabledException', 'KMSInvalidStateException', 'InvalidKeyUsageException'],
  ...['InvalidSignatureException', 'CredentialsProviderError', 'ValidationException'],
]);

function faultOf(address: string, { name, message }: Error): HeldKeyFault {
  const kind: FaultKind = REFUSALS.has(name) ? 'refused' : 'away';
  const words = kind === 'refused' ? 'AWS KMS refuses' : 'AWS KMS does not answer';
  return new HeldKeyFault(address, kind, `${words}: ${name}: ${message}.`);
}

/** Reads an SPKI in DER. Undefined for a key of another curve, and for other bytes. */
function pointOf(spki: Uint8Array): `0x04${string}` | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
    if (crv !== 'secp256k1') return undefined;
    const [left, right] = [x, y].map((part) => Buffer.from(part, 'base64url').toString('hex'));
    return `0x04${left}${right}`;
  } catch {
    return undefined;
  }
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const MAX_INTEGER = 33;

/** Reads `SEQUENCE { INTEGER r, INTEGER s }` strictly. Undefined for other bytes. */
export function signatureOfDer(der: Uint8Array): RawSignature | undefined {
  const bytes = Buffer.from(der);
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return undefined;
  const r = integerAt(bytes, 2);
  const s = r && integerAt(bytes, r.end);
  return s && s.end === bytes.length ? { r: r.value, s: s.value } : undefined;
}

function integerAt(bytes: Buffer, at: number): { value: bigint; end: number } | undefined {
  const length = bytes[at + 1] ?? 0;
  const end = at + 2 + length;
  if (bytes[at] !== INTEGER || length === 0 || length > MAX_INTEGER || end > bytes.length) return undefined;
  const isNegative = ((bytes[at + 2] ?? 0) & 0x80) !== 0;
  return isNegative ? undefined : { value: BigInt(`0x${bytes.toString('hex', at + 2, end)}`), end };
}
