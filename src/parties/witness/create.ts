import type { WitnessSettings } from '../../kernel/config/witness';
import { createEndpointWitness } from './endpoint';
import { createFileWitness } from './file';
import type { Witness } from './port';
import { createS3Witness } from './s3';

/** Stands in where `AUDIT_HEAD_TO` is not given. */
const NO_WITNESS: Witness = { configured: false, tell: async () => undefined };

/** @param now the machine's time */
export function createWitness(settings: WitnessSettings | undefined, now: () => Date): Witness {
  if (settings === undefined) return NO_WITNESS;
  if (settings.kind === 'file') return createFileWitness(settings.path);
  return settings.kind === 's3'
    ? createS3Witness({ ...settings, now })
    : createEndpointWitness({ ...settings, now });
}
