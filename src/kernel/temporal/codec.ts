import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Keyring } from '../security/keyring';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** Encoding name of Temporal's own samples, so that Temporal's tools recognise it. */
const ENCODING = 'encoding';
const ENCRYPTED = Buffer.from('binary/encrypted');
const CONTEXT = 'temporal-payload';

/**
 * Encrypts arguments, results, failures, memos and summaries that Temporal stores, by AES-256-GCM. Search attributes
 * stay readable, because Temporal must read them. Encrypted and plain payloads are both decoded, so encryption can be
 * switched while workflows run.
 */
export function createPayloadCodec(keyring: Keyring, encrypt: boolean): PayloadCodec {
  const sealer = keyring.sealer(CONTEXT);
  const sealed = (payload: Payload): Payload => ({
    metadata: { [ENCODING]: ENCRYPTED },
    data: sealer.seal(Buffer.from(PayloadMessage.encode(payload).finish()), CONTEXT),
  });
  const opened = (payload: Payload): Payload => {
    const encoding = payload.metadata?.[ENCODING];
    if (!encoding || !ENCRYPTED.equals(encoding) || !payload.data) return payload;
    return PayloadMessage.decode(sealer.open(Buffer.from(payload.data), CONTEXT));
  };
  return {
    encode: async (payloads) => (encrypt ? payloads.map(sealed) : payloads),
    decode: async (payloads) => payloads.map(opened),
  };
}

/** Data converter for clients and workers. A worker's bundle must be built with the same choice (workers/bundle.ts). */
export function createDataConverter(keyring: Keyring, encrypt: boolean): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keyring, encrypt)],
    ...(encrypt ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  };
}

export const FAILURE_CONVERTER = require.resolve('../../../workflows/support/failure-converter');
