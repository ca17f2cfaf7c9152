import type { KMSClient } from '@aws-sdk/client-kms';
import type { KeyContext, MasterKey } from './port';

const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;

/**
 * A key that AWS KMS holds. KMS seals and opens for us, and records each use.
 *
 * Credentials, region and endpoint are the SDK's own settings (`AWS_*`, a role of the machine or of the pod). The
 * region of an ARN wins.
 * @param keyName ARN, id or alias of a symmetric key
 */
export function kmsMasterKey(id: string, keyName: string): MasterKey {
  let opening: Promise<KMSClient> | undefined;
  const client = () => (opening ??= createClient(keyName));
  return {
    id,
    async seal(key, context) {
      const { EncryptCommand } = await sdk();
      const given = { KeyId: keyName, Plaintext: key, EncryptionContext: contextOf(context) };
      const { CiphertextBlob } = await (await client()).send(new EncryptCommand(given));
      return bytesOf(CiphertextBlob);
    },
    async open(sealed, context) {
      const { DecryptCommand } = await sdk();
      const given = { KeyId: keyName, CiphertextBlob: sealed, EncryptionContext: contextOf(context) };
      const { Plaintext } = await (await client()).send(new DecryptCommand(given));
      return bytesOf(Plaintext);
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
    // Without `throwOnRequestTimeout` the SDK only warns, and waits on.
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
  });
}

/** KMS compares the context at opening, and writes it to its log. */
const contextOf = ({ purpose, keyId }: KeyContext) => ({ application: 'cardwright', purpose, key: keyId });

function bytesOf(given: Uint8Array | undefined): Buffer {
  if (!given) throw new Error('AWS KMS has answered without a value');
  return Buffer.from(given);
}
