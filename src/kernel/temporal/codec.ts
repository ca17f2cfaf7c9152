import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Keyring } from '../security/keyring';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** The encoding's name is the one of Temporal's own samples, so that its tools recognise it. */
const ENCODING = 'encoding';
const ENCRYPTED = Buffer.from('binary/encrypted');
const CONTEXT = 'temporal-payload';

/**
 * Encrypts what Temporal stores: arguments, results, failures, memos, summaries (never search attributes, which Temporal
 * must read). Whole payloads, with what tells their type, under AES-256-GCM. What was stored encrypted is always read,
 * and what was not, too: encryption can be turned on or off while workflows run.
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

/** For clients and workers alike; a worker's bundle must be made for the same choice (workers/bundle.ts). */
export function createDataConverter(keyring: Keyring, encrypt: boolean): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keyring, encrypt)],
    ...(encrypt ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  };
}

export const FAILURE_CONVERTER = require.resolve('../../../workflows/support/failure-converter');
