import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { currency, identifier, text } from '../../kernel/wire/schemas';
import { commonLists } from '../../process/desk/common-lists';
import { type Decision, decision, installation, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Story, storyOf } from '../../process/desk/story';
import type { Services } from '../../services';
import {
  type AddDestination,
  addDestination,
  assertEnabled,
  assertWaivable,
  bankOf,
  findDestination,
  judgeDestination,
  pageOfDestinations,
  requireDestination,
  waiveDestination,
} from './destinations/operations';
import { statusAt, type WithdrawalDestination } from './destinations/record';
import { withdrawalDestinationView } from './destinations/view';
import { disableDestination, notOrderedTo } from './withdrawals/disable-destination';

interface DestinationDeskServices extends Pick<Services, 'database' | 'keyring' | 'commands' | 'now'> {
  /** Whether the operator, or one of his hand, has added the destination, and others could decide. */
  mustLeaveToOthers(sql: Sql, actor: string, addedBy: string): Promise<boolean>;
}

const columns = columnsOf<WithdrawalDestination>();

/** The desk of the bank accounts to which tenants withdraw from the exchange, an allow-list that only operators change. */
export function destinationDesk(services: DestinationDeskServices): Desk {
  const { database, keyring, now } = services;
  return defineDesk({
    name: 'destination',
    title: 'Bank accounts that clients may withdraw to from the exchange',
    lists: [
      list({
        name: 'destinations',
        title: 'all of them, or those of one client; newest first',
        filters: z.object({
          client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
        }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          client: columns.id('client', ({ tenantId }) => tenantId),
          currency: columns.text('currency', (found) => found.currency),
          label: columns.text('label', ({ label }) => label),
          account: columns.text(
            'account',
            ({ destinationMasked: { iban, accountNumber } }) => iban ?? accountNumber,
          ),
          status: columns.status('status', (found) => statusAt(found, now())),
          activeFrom: columns.time('active from', ({ activeFrom }) => activeFrom),
          created: columns.time('created', ({ createdAt }) => createdAt),
        },
        rows: ({ filters: { client: tenantId }, after, limit }) =>
          pageOfDestinations(database, { tenantId, after: after?.id, limit }),
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
      }),
    ],
    records: [
      record({
        kind: 'withdrawalDestination',
        title: 'A bank account that a client may withdraw to from the exchange',
        story: (id, limit) => storyOfDestination(services, id, limit),
        reveal: {
          permission: 'money',
          async read(tx, id) {
            const { tenantId } = await requireDestination(tx, null, id);
            return { action: 'destination.reveal', tenantId, data: await bankOf(tx, keyring, id) };
          },
        },
      }),
    ],
    decisions: [add(services), waive(services), disable(services)],
  });
}

/** The story names the operators who added, waived or disabled the destination. */
async function storyOfDestination(
  { database, now }: DestinationDeskServices,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const found = await findDestination(database, null, id);
  if (!found) return undefined;
  const { tenantId, updatedAt, addedBy, waivedAt, waivedBy, disabledAt, disabledBy } = found;
  const people = {
    addedBy,
    ...(waivedAt ? { waivedAt: waivedAt.toISOString(), waivedBy } : {}),
    ...(disabledAt ? { disabledAt: disabledAt.toISOString(), disabledBy } : {}),
  };
  const at = now();
  return storyOf(
    id,
    {
      what: 'withdrawal destination',
      tenantId,
      status: statusAt(found, at),
      since: updatedAt.toISOString(),
      record: { ...withdrawalDestinationView(found, at), ...people },
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}

const viewOf = (found: WithdrawalDestination, at: Date) => ({
  ...withdrawalDestinationView(found, at),
  clientId: found.tenantId,
});

/** The part that the audit log keeps, without data of the account's owner. */
const audited = (found: WithdrawalDestination, at: Date) => ({
  currency: found.currency,
  status: statusAt(found, at),
  activeFrom: found.activeFrom.toISOString(),
});

const accountInput = z.strictObject({
  client: identifier('cli_01jz0000000000000000000000').meta({ description: 'The tenant.' }),
  currency: currency().meta({ description: 'For instance EUR.' }),
  name: text(70).min(1).meta({ description: 'Whose account it is.' }),
  iban: text(60).optional(),
  accountNumber: text(60).optional().meta({ description: 'Of an account without an IBAN: with its --bic.' }),
  bic: text(20).optional().meta({ description: 'Of the bank.' }),
  country: text(10).optional().meta({ description: 'Of the bank, for instance US.' }),
  label: text(100).optional().meta({ description: 'What the client calls it.' }),
});

type AccountInput = z.output<typeof accountInput>;

const givenOf = (
  { client: tenantId, currency: code, label, ...bank }: AccountInput,
  by: string,
): AddDestination => ({
  tenantId,
  currency: code,
  bank,
  label,
  by,
});

const add = (services: DestinationDeskServices): Decision =>
  decision<object, AccountInput>({
    name: 'destination.add',
    title: 'adds a bank account, which may be used 24 hours later',
    permission: 'money',
    subject: installation,
    input: accountInput,
    reason: 'optional',
    restsOn: () => ({}),
    async preview(tx, { input, actor }) {
      const { masked, activeFrom } = await judgeDestination(services, tx, givenOf(input, actor));
      return [
        { field: 'account', from: null, to: masked.iban ?? masked.accountNumber ?? null },
        { field: 'active from', from: null, to: activeFrom.toISOString() },
      ];
    },
    async execute(tx, { input, at }, { decidedBy }) {
      const added = await addDestination(services, tx, givenOf(input, decidedBy));
      return {
        about: { id: added.id, tenantId: added.tenantId },
        after: audited(added, at),
        result: viewOf(added, at),
      };
    },
  });

const destinations: SubjectSpec<WithdrawalDestination> = {
  noun: 'destination',
  kinds: ['withdrawalDestination'],
  read: (sql, id) => findDestination(sql, null, id),
  lock: (tx, id) => findDestination(tx, null, id, { lock: 'update' }),
  tenantOf: ({ tenantId }) => tenantId,
};

const restsOn = ({ activeFrom, disabledAt }: WithdrawalDestination) => ({
  activeFrom: activeFrom.toISOString(),
  disabled: disabledAt !== null,
});

/** Where two operators could decide, the one who added the destination may not. */
const waive = ({ mustLeaveToOthers }: DestinationDeskServices): Decision =>
  decision<WithdrawalDestination>({
    name: 'destination.waive',
    title: 'lets a new one be used at once; where there are two operators, by another than who added it',
    permission: 'money',
    subject: destinations,
    reason: 'optional',
    restsOn,
    async preview(tx, { subject, at, actor }) {
      assertWaivable(subject, { at, byAnother: await mustLeaveToOthers(tx, actor, subject.addedBy) });
      return [{ field: 'active from', from: subject.activeFrom.toISOString(), to: at.toISOString() }];
    },
    async execute(tx, { id, subject, at }, { decidedBy: by }) {
      const byAnother = await mustLeaveToOthers(tx, by, subject.addedBy);
      const { before, after } = await waiveDestination(tx, { id, by, at, byAnother });
      return { before: audited(before, at), after: audited(after, at), result: viewOf(after, at) };
    },
  });

const disable = (services: DestinationDeskServices): Decision =>
  decision<WithdrawalDestination>({
    name: 'destination.disable',
    title: 'for ever; withdrawals that the exchange has not been told of are cancelled',
    permission: 'money',
    subject: destinations,
    reason: 'optional',
    restsOn,
    async preview(tx, { subject, at }) {
      assertEnabled(subject);
      const waiting = await notOrderedTo(tx, subject);
      return [
        { field: 'status', from: statusAt(subject, at), to: 'disabled' },
        { field: 'withdrawals not ordered yet', from: String(waiting), to: '0' },
      ];
    },
    async execute(tx, { id, at }, { decidedBy: by }) {
      const { before, after, cancelled } = await disableDestination(services, tx, { id, by });
      return {
        before: audited(before, at),
        after: { ...audited(after, at), cancelled },
        result: { destination: viewOf(after, at), cancelled },
      };
    },
  });
