import { PARTY_NAMES, type Party } from '../../src/kernel/parties';
import { switchOff, switchOn } from '../../src/process/switches/operations';
import { createSwitches } from '../../src/process/switches/switches';
import type { TestApi } from './api';

export type Switchable = ReturnType<typeof switchable>;

/** The product's switches on the test's clock, so that a switch counts at once. */
export function switchable({ services, database }: TestApi) {
  let clock = 0;
  services.switches = createSwitches(database, { now: () => clock });
  const switched = async (verb: typeof switchOff | typeof switchOn, party: Party) => {
    const given = { kind: 'party', name: PARTY_NAMES[party], tenantId: null } as const;
    const by = { at: new Date(), by: 'operator:ada', reason: 'a test' };
    await database.transaction(async (tx) => void (await verb(tx, given, by)));
    clock += 1_001;
  };
  return {
    stop: (party: Party) => switched(switchOff, party),
    start: (party: Party) => switched(switchOn, party),
  };
}
