import { z } from 'zod';
import { CAPABILITIES } from '../../kernel/capabilities';
import { invalid } from '../../kernel/errors';
import type { IdKind } from '../../kernel/ids';
import { PARTIES, PARTY_NAMES } from '../../kernel/parties';
import { identifier } from '../../kernel/wire/schemas';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, type List, list } from '../../process/desk/list';
import {
  listSwitchedOff,
  type Switch,
  type SwitchedOff,
  switchOff,
  switchOn,
} from '../../process/switches/operations';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { capabilityStates, partyStates, placeOf, type State } from './switch-states';

export type SwitchServices = Pick<Services, 'database' | 'switches'>;

/** The desk of capabilities, switched off and on. Every process follows within a second. */
export const capabilityDesk = (services: SwitchServices): Desk =>
  defineDesk({
    name: 'capability',
    title: 'What tenants can do, switched off and on',
    lists: [
      statesList('capabilities', 'capabilities, and the tenants for which one is off', () =>
        capabilityStates(services),
      ),
    ],
    decisions: [
      switching({
        kind: 'capability',
        verb: 'off',
        names: CAPABILITIES,
        title: 'refuses what begins with it (403 capability_disabled); what has begun goes on to its end',
      }),
      switching({ kind: 'capability', verb: 'on', names: CAPABILITIES, title: 'takes it back' }),
    ],
  });

const NAMES = PARTIES.map((party) => PARTY_NAMES[party]);

/** The desk of outside parties, switched off and on. */
export const partyDesk = (services: SwitchServices): Desk =>
  defineDesk({
    name: 'party',
    title: 'Outside parties, switched off and on',
    lists: [statesList('parties', 'parties', () => partyStates(services))],
    decisions: [
      switching({
        kind: 'party',
        verb: 'off',
        names: NAMES,
        title: 'gives it no new orders, which wait; it is still asked what became of those it has',
      }),
      switching({
        kind: 'party',
        verb: 'on',
        names: NAMES,
        title: 'takes it back: what waits is given to it',
      }),
    ],
  });

const columns = columnsOf<State>();

/** The list reads all states for each page, because they are few. */
const statesList = (name: string, title: string, states: () => Promise<State[]>): List =>
  list({
    name,
    title,
    filters: z.object({}),
    columns: {
      name: columns.text('name', (state) => state.name),
      client: columns.id('client', ({ clientId }) => clientId),
      state: columns.status('state', ({ state }) => state),
      since: columns.since('since', ({ since }) => since),
      by: columns.text('by', ({ by }) => by),
      reason: columns.text('why', ({ reason }) => reason),
    },
    async rows({ after, limit }) {
      const all = (await states()).sort((one, other) => (placeOf(one).id < placeOf(other).id ? -1 : 1));
      return all.filter((each) => !after || placeOf(each).id > after.id).slice(0, limit);
    },
    place: placeOf,
  });

interface Verb {
  kind: Switch['kind'];
  verb: 'off' | 'on';
  names: readonly string[];
  title: string;
}

interface Switched {
  name: string;
  off: SwitchedOff[];
}

const NO_KINDS: readonly IdKind[] = [];

const subjectOf = ({ kind, names }: Verb): SubjectSpec<Switched> => {
  const read: SubjectSpec<Switched>['read'] = async (sql, name) => {
    if (!names.includes(name)) throw invalid(`It takes ${names.join(', ')}.`, 'subject');
    const off = (await listSwitchedOff(sql)).filter((each) => each.kind === kind && each.name === name);
    return { name, off };
  };
  // Not locked: switching is idempotent, and the index of open switches admits one row.
  return { noun: kind, kinds: NO_KINDS, read, lock: read, tenantOf: () => null };
};

interface Input {
  client?: string | undefined;
}

const stateIn = ({ off }: Switched, { client = null }: { client?: string | null | undefined }) =>
  off.some(({ tenantId }) => tenantId === client) ? 'off' : 'on';

function switching(given: Verb): Decision {
  const { kind, verb, title } = given;
  const client = identifier('cli_01jz0000000000000000000000')
    .optional()
    .meta({ description: 'For this tenant alone.' });
  return decision<Switched, Input>({
    name: `${kind}.${verb}`,
    title,
    permission: 'security',
    subject: subjectOf(given),
    input: kind === 'capability' ? z.strictObject({ client }) : z.strictObject({}),
    restsOn: (subject, input) => ({ state: stateIn(subject, input) }),
    async preview(tx, { subject, input }) {
      if (input.client !== undefined) await requireTenant(tx, input.client);
      return [{ field: 'state', from: stateIn(subject, input), to: verb }];
    },
    async execute(tx, { id: name, input, at }, { decidedBy, reason }) {
      const tenantId = input.client ?? null;
      if (tenantId !== null) await requireTenant(tx, tenantId);
      const how = { at, by: decidedBy, reason: reason ?? '' };
      const what = { kind, name, tenantId };
      const changed =
        verb === 'off' ? await switchOff(tx, what, how) : (await switchOn(tx, what, how)) !== undefined;
      return {
        // The audit log names the tenant of the switch.
        about: { id: name, tenantId },
        after: { state: verb, changed },
        result: { [kind]: name, clientId: tenantId, state: verb, changed },
      };
    },
  });
}
