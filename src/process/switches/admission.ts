import type { Needs } from '../../http/route';
import type { Admission, Asking } from '../../http/run-operation';
import type { Capability } from '../../kernel/capabilities';
import { capabilityDisabled, Problem } from '../../kernel/errors';
import { type IdKind, kindOfId } from '../../kernel/ids';
import type { Switches, SwitchState } from './switches';

/** Finds the tenant of a record, by the kind of its id. @throws Problem 404 for an unknown id */
export type Owners = Partial<Record<IdKind, (id: string) => Promise<{ tenantId: string }>>>;

/** Finds the tenants that an admin's request concerns through other fields than ids. */
export type Holders = Partial<Record<Capability, (asking: Asking) => Promise<string[]>>>;

/**
 * Enforces `route({ capability, party })`: 403 where the capability is off for the caller or for the tenant of the
 * request's records, or where the party is off. A stopped capability or party still serves reads, so that running
 * records can be followed. A left-out party serves nothing.
 * @param grants checks of capabilities that each company must be granted
 */
export function createAdmission(
  switches: Switches,
  grants: Partial<Record<Capability, (asking: Asking) => Promise<void>>>,
  owners: Owners,
  holders: Holders = {},
): Admission {
  async function admit(capability: Capability, method: string, tenantId: string): Promise<void> {
    refuseOff(await switches.capability(capability, tenantId), method === 'GET');
  }

  async function admitAtOnce({ capability, party, asksOnly }: Needs, asking: Asking): Promise<void> {
    const { caller, method } = asking;
    if (capability) await admit(capability, method, caller.tenantId);
    if (party) refuseOff(await switches.party(party), method === 'GET' || asksOnly === true);
    if (capability) await grants[capability]?.(asking);
  }

  return async (needs, asking) => {
    const { method, params, body } = asking;
    const { capability } = needs;
    if (body === undefined) return admitAtOnce(needs, asking);
    if (capability === undefined || method === 'GET') return;
    const named: unknown[] = [...Object.values(params), ...Object.values(body as Record<string, unknown>)];
    const acted = [...(await tenantsOf(owners, named)), ...((await holders[capability]?.(asking)) ?? [])];
    for (const tenantId of new Set(acted)) await admit(capability, method, tenantId);
  };
}

/** @param reads whether the request starts nothing @throws Problem 403 */
function refuseOff(state: SwitchState, reads: boolean): void {
  if (state === 'left_out' || (state === 'stopped' && !reads)) throw capabilityDisabled();
}

/** The tenants of the records in a request. The operation itself refuses unknown ids. */
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
