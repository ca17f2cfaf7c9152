import type { Admission, Asking } from '../../http/run-operation';
import type { Capability } from '../../kernel/capabilities';
import { capabilityDisabled } from '../../kernel/errors';
import type { Switches } from './switches';

/**
 * What `route({ capability })` stands for: 403 where the capability is off for the caller. One that the operator has stopped
 * refuses what begins something; what has begun is still read. One that is left out has nothing to read.
 * @param grants of capabilities that a company has only where it was given them
 */
export function createAdmission(
  switches: Switches,
  grants: Partial<Record<Capability, (asking: Asking) => Promise<void>>>,
): Admission {
  return async (capability, asking) => {
    const state = await switches.capability(capability, asking.caller.tenantId);
    if (state === 'left_out' || (state === 'stopped' && asking.method !== 'GET')) throw capabilityDisabled();
    await grants[capability]?.(asking);
  };
}
