import type { Command } from 'commander';
import { blockCardsOf } from '../../../../cards/cards/operations';
import { freezeForRisk } from '../../../../cards/events/operations';
import { show } from '../../../../desk/cli/console';
import type { Sql, Tx } from '../../../../kernel/db/database';
import { setOperatorBlock } from '../../../../people/users/operations';
import { listStops } from '../../../../process/stops/operations';
import type { Stopping } from '../../../../process/stops/record';
import { listSwitchedOff } from '../../../../process/switches/operations';
import { cardDeps } from '../../../card-deps';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

const LISTED = 1_000;

/** Commands that list stops and that stop users and cards. `client disable` stops a tenant. */
export function addStopCommands(program: Command, context: CommandContext): void {
  const user = program.command('user').description('the users of tenants');
  addSwitch(user, context, userSwitch('block', 'their cards decline, nothing new is issued or funded'));
  addSwitch(user, context, userSwitch('unblock', "ends the operator's block; the client's own stays"));
  const card = program.command('card').description('cards');
  addSwitch(card, context, cardSwitch('freeze', 'freezes it for risk: it declines until you unfreeze it'));
  addSwitch(card, context, cardSwitch('unfreeze', 'lifts the reason risk; others stay'));
  const stops = program.command('stops').description('what operators have stopped');
  addListing(stops, context, {
    description: `the newest first; at most ${LISTED}`,
    load: ({ database }) => allStops(database),
    columns: ['what', 'id', 'client', 'since', 'by', 'why'],
    row: ({ kind, subject, tenantId, at, stoppedBy, reason }) => [
      ...[kind, subject, tenantId, at.toISOString(), stoppedBy, reason],
    ],
  });
}

/** Stopped tenants, users and cards, and switched-off capabilities and parties. */
async function allStops(sql: Sql) {
  const [stops, switches] = await Promise.all([listStops(sql, LISTED), listSwitchedOff(sql)]);
  const off = switches.map(({ kind, name, tenantId, offAt, offBy, offReason }) => ({
    kind,
    subject: name,
    tenantId,
    at: offAt,
    stoppedBy: offBy,
    reason: offReason,
  }));
  return [...off, ...stops].sort((one, other) => other.at.getTime() - one.at.getTime());
}

/** Result of a switch, for the audit log and for people. */
interface Switched {
  tenantId: string;
  before: object;
  after: object;
  json: object;
  told: string;
}

interface Switch {
  noun: string;
  verb: string;
  description: string;
  apply(tx: Tx, id: string, stopping: Stopping): Promise<Switched>;
}

/** Adds a command that stops something or ends a stop. */
function addSwitch(group: Command, { console, run }: CommandContext, spec: Switch): void {
  const { noun, verb } = spec;
  group
    .command(`${verb} <id>`)
    .description(spec.description)
    .requiredOption('--reason <text>', 'why: kept with it, for operators', reasonArgument)
    .option('--json', `print the ${noun}'s state as JSON`)
    .action((id: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const stopping = { reason, stoppedBy: session.actor, at: session.now() };
        const { told, ...changed } = await session.change(
          (tx) => spec.apply(tx, id, stopping),
          ({ tenantId, before, after }) => ({
            action: `${noun}.${verb}`,
            subject: id,
            tenantId,
            before,
            after: { ...after, reason },
          }),
        );
        show(console, json, changed.json, told);
      }),
    );
}

const userSwitch = (verb: 'block' | 'unblock', description: string): Switch => ({
  noun: 'user',
  verb,
  description,
  async apply(tx, id, stopping) {
    const deps = { blockCardsOf };
    const { before, after } = await setOperatorBlock(deps, tx, id, verb === 'block', stopping);
    const { tenantId, status, operatorBlocked, clientStatus } = after;
    const clients = verb === 'unblock' && status === 'blocked' ? ': the client has blocked them too' : '';
    return {
      tenantId,
      before: { status: before.status, operatorBlocked: before.operatorBlocked },
      after: { status, operatorBlocked },
      json: { userId: id, status, operatorBlocked, clientStatus },
      told: `${id} is ${status}${clients}.`,
    };
  },
});

const cardSwitch = (verb: 'freeze' | 'unfreeze', description: string): Switch => ({
  noun: 'card',
  verb,
  description,
  async apply(tx, id, stopping) {
    const { before, card } = await freezeForRisk(tx, cardDeps(), verb, id, stopping);
    const { tenantId, status, freezeReasons } = card;
    const others =
      verb === 'unfreeze' && status === 'frozen' ? `: ${freezeReasons.join(', ')} still stands` : '';
    return {
      tenantId,
      before: { freezeReasons: before },
      after: { status, freezeReasons },
      json: { cardId: id, status, freezeReasons },
      told: `${id} is ${status}${others}.`,
    };
  },
});
