import { type Command, InvalidArgumentError } from 'commander';
import { show } from '../../../../desk/cli/console';
import { CAPABILITIES } from '../../../../kernel/capabilities';
import { PARTIES, PARTY_NAMES, partiesOf } from '../../../../kernel/parties';
import {
  listSwitchedOff,
  type Switch,
  type SwitchedOff,
  switchOff,
  switchOn,
} from '../../../../process/switches/operations';
import { requireTenant } from '../../../../tenants/clients/operations';
import type { Session } from '../../../session';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

/** Commands that switch capabilities and parties off and on. Changes take effect in every process within a second. */
export function addSwitchCommands(program: Command, context: CommandContext): void {
  const capability = program.command('capability').description('what tenants can do, switched off and on');
  addSwitch(capability, context, {
    kind: 'capability',
    verb: 'off',
    names: CAPABILITIES,
    description: 'refuses what begins with it (403 capability_disabled); what has begun goes on to its end',
  });
  addSwitch(capability, context, {
    kind: 'capability',
    verb: 'on',
    names: CAPABILITIES,
    description: 'takes it back',
  });
  addStates(capability, context, 'all of them, and the tenants for which one is off', capabilityStates);
  const party = program.command('party').description('outside parties, switched off and on');
  addSwitch(party, context, {
    kind: 'party',
    verb: 'off',
    names: NAMES,
    description: 'gives it no new orders, which wait; it is still asked what became of those it has',
  });
  addSwitch(party, context, {
    kind: 'party',
    verb: 'on',
    names: NAMES,
    description: 'takes it back: what waits is given to it',
  });
  addStates(party, context, 'all of them', partyStates);
}

const NAMES = Object.values(PARTY_NAMES);

interface Verb {
  kind: Switch['kind'];
  verb: 'off' | 'on';
  names: readonly string[];
  description: string;
}

interface Given {
  client?: string;
  reason: string;
  json?: boolean;
}

function addSwitch(group: Command, { console, run }: CommandContext, given: Verb): void {
  const { kind, verb, names, description } = given;
  const command = group
    .command(verb)
    .argument(`<${kind}>`, names.join(', '), oneOf(names))
    .description(description)
    .requiredOption('--reason <text>', 'why: kept with it, and in the audit log', reasonArgument)
    .option('--json', 'print it as JSON');
  if (kind === 'capability') command.option('--client <id>', 'for this tenant alone');
  command.action((name: string, { client, reason, json }: Given) =>
    run(async (session) => {
      const what = { kind, name, tenantId: client ?? null };
      const changed = await switched(session, what, verb, reason);
      const whose = client === undefined ? '' : ` for ${client}`;
      const told = `${name} is ${verb}${whose}${changed ? '' : ' already'}.`;
      show(console, json, { [kind]: name, clientId: client ?? null, state: verb, changed }, told);
    }),
  );
}

const oneOf = (names: readonly string[]) => (text: string) => {
  if (!names.includes(text)) throw new InvalidArgumentError(`It takes ${names.join(', ')}.`);
  return text;
};

/** @returns whether the state changed @throws Problem 404 */
function switched(session: Session, what: Switch, verb: 'off' | 'on', reason: string): Promise<boolean> {
  const switching = { at: session.now(), by: session.actor, reason };
  return session.change(
    async (tx) => {
      if (what.tenantId !== null) await requireTenant(tx, what.tenantId);
      if (verb === 'off') return switchOff(tx, what, switching);
      return (await switchOn(tx, what, switching)) !== undefined;
    },
    (changed) => ({
      action: `${what.kind}.${verb}`,
      subject: what.name,
      tenantId: what.tenantId,
      after: { state: verb, changed, reason },
    }),
  );
}

/** A line of the list. */
interface State {
  name: string;
  clientId: string | null;
  state: 'on' | 'off' | 'left out';
  since: string | null;
  by: string | null;
  reason: string | null;
}

function addStates(
  group: Command,
  context: CommandContext,
  description: string,
  statesIn: (off: SwitchedOff[], session: Session) => State[],
): void {
  addListing(group, context, {
    description,
    load: async (session) => statesIn(await listSwitchedOff(session.database), session),
    columns: ['name', 'client', 'state', 'since', 'by', 'why'],
    row: ({ name, clientId, state, since, by, reason }) => [name, clientId, state, since, by, reason],
  });
}

function partyStates(off: SwitchedOff[], { leftOut }: Session): State[] {
  return PARTIES.map((party) => {
    const name = PARTY_NAMES[party];
    if (leftOut.includes(party)) return { ...on(name), state: 'left out', reason: 'by the configuration' };
    const found = off.find((each) => each.kind === 'party' && each.name === name);
    return found ? stateOf(found) : on(name);
  });
}

function capabilityStates(off: SwitchedOff[], session: Session): State[] {
  const parties = new Map(partyStates(off, session).map((state) => [state.name, state]));
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
  since: offAt.toISOString(),
  by: offBy,
  reason: offReason,
});

/** A capability that is off because its party is. */
const carried = (name: string, { name: party, ...state }: State): State => ({
  ...state,
  name,
  reason: `${party}: ${state.reason}`,
});
