import type { DataConverter, Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { invalid } from '../errors';
import type { Keyring } from '../security/keyring';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** Encoding name of Temporal's own samples, so that Temporal's tools recognise it. */
const ENCODING = 'encoding';
const ENCRYPTED = Buffer.from('binary/encrypted');
const PURPOSE = 'temporal-payload';
/** Metadata that names the workflow of a sealed payload. */
const NAMESPACE = 'namespace';
const WORKFLOW_ID = 'workflow-id';

/** The workflow that a payload belongs to. */
interface Owner {
  namespace: string;
  workflowId: string;
}

/** The payload is not what the product has stored for this workflow. The message quotes nothing of it. */
export class PayloadRefused extends Error {
  override name = 'PayloadRefused';
}

/** How payloads are stored in Temporal. */
export interface PayloadSettings {
  /** Encrypts payloads and failures (`TEMPORAL_ENCRYPTION`). */
  encrypt: boolean;
  /** Refuses payloads that are not encrypted (`MODE=live`). Default: both kinds are read, so that `encrypt` can change. */
  refusePlain?: boolean;
}

/**
 * Encrypts arguments, results, failures, memos and summaries that Temporal stores, by AES-256-GCM. Search attributes
 * stay readable, because Temporal must read them. A sealed payload names its namespace and its workflow in its metadata,
 * which the seal covers. Hence a payload that was moved to another workflow is refused.
 */
export function createPayloadCodec(
  keyring: Keyring,
  { encrypt, refusePlain = false }: PayloadSettings,
): PayloadCodec {
  const { seal, open } = payloadSealer(keyring);
  const opened = (payload: Payload, context: SerializationContext | undefined): Payload => {
    const wanted = ownerIn(context);
    if (isSealed(payload) && wanted) return open(payload, wanted);
    if (isSealed(payload))
      throw new PayloadRefused('The SDK did not tell which workflow is given a payload.');
    if (refusePlain) throw new PayloadRefused('Temporal holds a payload that is not encrypted.');
    return payload;
  };
  return {
    encode: async (payloads, context) =>
      encrypt ? payloads.map((payload) => seal(payload, ownerIn(context) ?? NOBODY)) : payloads,
    decode: async (payloads, context) => payloads.map((payload) => opened(payload, context)),
  };
}

/** A payload as JSON: bytes in base64, as Temporal's UI sends them. */
export interface WirePayload {
  metadata?: Record<string, string> | undefined;
  data?: string | undefined;
}

/**
 * Opens payloads for Temporal's UI, which does not tell whose they are. The seal proves the workflow in their metadata.
 * Plain payloads are returned as they are.
 * @throws Problem 400 for a payload that was changed or sealed by another installation
 */
export function createPayloadReader(keyring: Keyring): (payloads: WirePayload[]) => WirePayload[] {
  const { open } = payloadSealer(keyring);
  return (payloads) =>
    payloads.map((given, index) => {
      const payload = {
        metadata: Object.fromEntries(
          Object.entries(given.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
        ),
        data: Buffer.from(given.data ?? '', 'base64'),
      };
      if (!isSealed(payload)) return given;
      try {
        return wireOf(open(payload));
      } catch {
        throw invalid('The payload cannot be opened.', `payloads[${index}]`);
      }
    });
}

const wireOf = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

/** The only use of the key of payloads. */
function payloadSealer(keyring: Keyring) {
  const sealer = keyring.sealer(PURPOSE);
  return {
    seal(payload: Payload, owner: Owner): Payload {
      const bytes = Buffer.from(PayloadMessage.encode(payload).finish());
      return {
        metadata: {
          [ENCODING]: ENCRYPTED,
          [NAMESPACE]: Buffer.from(owner.namespace),
          [WORKFLOW_ID]: Buffer.from(owner.workflowId),
        },
        data: sealer.seal(bytes, contextOf(owner)),
      };
    },
    /**
     * @param wanted the workflow that was given the payload; absent for a reader who is not told
     * @throws PayloadRefused, or Error when the payload was changed or sealed under another key
     */
    open({ metadata, data }: Payload, wanted?: Owner): Payload {
      const owner = {
        namespace: Buffer.from(metadata?.[NAMESPACE] ?? []).toString(),
        workflowId: Buffer.from(metadata?.[WORKFLOW_ID] ?? []).toString(),
      };
      if (wanted && !belongs(owner, wanted))
        throw new PayloadRefused('Temporal holds a payload of another workflow.');
      return PayloadMessage.decode(sealer.open(Buffer.from(data ?? []), contextOf(owner)));
    },
  };
}

const contextOf = ({ namespace, workflowId }: Owner): string =>
  JSON.stringify([PURPOSE, namespace, workflowId]);

/** Temporal adds the time to the id of a workflow that a schedule starts. */
const TURN = /^-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const belongs = (owner: Owner, wanted: Owner): boolean =>
  owner.namespace === wanted.namespace &&
  wanted.workflowId.startsWith(owner.workflowId) &&
  (wanted.workflowId === owner.workflowId || TURN.test(wanted.workflowId.slice(owner.workflowId.length)));

function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.[ENCODING];
  return encoding != null && ENCRYPTED.equals(encoding);
}

/** Owner of the failures of workflow tasks, whose workflow the SDK does not tell. People read them, and no workflow is given one. */
const NOBODY: Owner = { namespace: '', workflowId: '' };

function ownerIn(context: SerializationContext | undefined): Owner | undefined {
  return context?.workflowId ? { namespace: context.namespace, workflowId: context.workflowId } : undefined;
}

/** Data converter for clients and workers. A worker's bundle must be built with the same choice (workers/bundle.ts). */
export function createDataConverter(keyring: Keyring, settings: PayloadSettings): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keyring, settings)],
    ...(settings.encrypt ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  };
}

export const FAILURE_CONVERTER = require.resolve('../../../workflows/support/failure-converter');
