import type { Admission, Asking } from '../../http/run-operation';
import type { Capability } from '../../kernel/capabilities';
import { capabilityDisabled, Problem } from '../../kernel/errors';
import { type IdKind, kindOfId } from '../../kernel/ids';
import type { Switches } from './switches';

/** Whose a record is, by the kind of its id. @throws Problem 404 for an id that is no record's */
export type Owners = Partial<Record<IdKind, (id: string) => Promise<{ tenantId: string }>>>;

/**
 * What `route({ capability })` stands for: 403 where the capability is off for the caller, or for whom an admin acts. One that
 * the operator has stopped refuses what begins something; what has begun is still read. One that is left out has nothing to
 * read.
 * @param grants of capabilities that a company has only where it was given them
 */
export function createAdmission(
  switches: Switches,
  grants: Partial<Record<Capability, (asking: Asking) => Promise<void>>>,
  owners: Owners,
): Admission {
  async function admit(capability: Capability, method: string, tenantId: string): Promise<void> {
    const state = await switches.capability(capability, tenantId);
    if (state === 'left_out' || (state === 'stopped' && method !== 'GET')) throw capabilityDisabled();
  }

  return async (capability, asking) => {
    const { caller, method, params, body } = asking;
    if (body === undefined) {
      await admit(capability, method, caller.tenantId);
      await grants[capability]?.(asking);
      return;
    }
    if (method === 'GET') return;
    const named: unknown[] = [...Object.values(params), ...Object.values(body as Record<string, unknown>)];
    for (const tenantId of await tenantsOf(owners, named)) await admit(capability, method, tenantId);
  };
}

/** Whose the records are that a request names. What is no record's is the operation's to refuse. */
async function tenantsOf(owners: Owners, named: readonly unknown[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const id of named) {
    const kind = typeof id === 'string' ? kindOfId(id) : undefined;
    if (kind === undefined) continue;
    try {
      const owner = await owners[kind]?.(id as string);
      if (owner) found.add(owner.tenantId);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return found;
}
