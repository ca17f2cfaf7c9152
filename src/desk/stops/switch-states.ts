import { CAPABILITIES } from '../../kernel/capabilities';
import type { WaitingPlace } from '../../kernel/db/waiting';
import { PARTIES, PARTY_NAMES, partiesOf } from '../../kernel/parties';
import { listSwitchedOff, type SwitchedOff } from '../../process/switches/operations';
import type { Services } from '../../services';

/** The state of a capability, for all tenants or for one, or of a party. */
export interface State {
  name: string;
  clientId: string | null;
  state: 'on' | 'off' | 'left out';
  since: Date | null;
  by: string | null;
  reason: string | null;
}

type StateServices = Pick<Services, 'database' | 'switches'>;

/** All states have this moment in their place, because their names order them. */
const ONE_MOMENT = new Date(0);

export const placeOf = ({ name, clientId }: State): WaitingPlace => ({
  since: ONE_MOMENT,
  id: `${name}/${clientId ?? ''}`,
});

export const partyStates = async (services: StateServices): Promise<State[]> =>
  partiesIn(services, await listSwitchedOff(services.database));

async function partiesIn({ switches }: StateServices, off: SwitchedOff[]): Promise<State[]> {
  const states: State[] = [];
  for (const party of PARTIES) {
    const name = PARTY_NAMES[party];
    const found = off.find((each) => each.kind === 'party' && each.name === name);
    if ((await switches.party(party)) === 'left_out')
      states.push({ ...on(name), state: 'left out', reason: 'by the configuration' });
    else states.push(found ? stateOf(found) : on(name));
  }
  return states;
}

/** Each capability for all tenants, followed by the tenants for which it is off. */
export async function capabilityStates(services: StateServices): Promise<State[]> {
  const off = await listSwitchedOff(services.database);
  const parties = new Map((await partiesIn(services, off)).map((state) => [state.name, state]));
  return CAPABILITIES.flatMap((name) => {
    const own = off.filter((each) => each.kind === 'capability' && each.name === name);
    const everybody = own.find(({ tenantId }) => tenantId === null);
    const carriers = partiesOf(name).map((party) => parties.get(PARTY_NAMES[party]));
    const without = carriers.find((carrier) => carrier && carrier.state !== 'on');
    const clients = own.filter(({ tenantId }) => tenantId !== null).map(stateOf);
    return [everybody ? stateOf(everybody) : without ? carried(name, without) : on(name), ...clients];
  });
}

const on = (name: string): State => ({
  name,
  clientId: null,
  state: 'on',
  since: null,
  by: null,
  reason: null,
});

const stateOf = ({ name, tenantId, offAt, offBy, offReason }: SwitchedOff): State => ({
  name,
  clientId: tenantId,
  state: 'off',
  since: offAt,
  by: offBy,
  reason: offReason,
});

/** A capability that is off because its party is. */
const carried = (name: string, { name: party, ...state }: State): State => ({
  ...state,
  name,
  reason: `${party}: ${state.reason}`,
});
