import { z } from 'zod';
import { type Decimal, moneyText } from '../../kernel/money/money';
import { PARTY_NAMES, SETTLED_PARTIES, type SettledParty } from '../../kernel/parties';
import { amount, assertFits, currency } from '../../kernel/wire/schemas';
import { type Decision, decision, installation } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import type { Services } from '../../services';
import { type PartyBalance, partyBalances } from './balances';
import { assertMovable, moveSettlement, settlementAccount } from './move';
import { SETTLEMENT_MOVES, type SettlementMove } from './record';

type SettlementDeskServices = Pick<Services, 'database' | 'now'>;

const columns = columnsOf<PartyBalance>();

const party = () =>
  z
    .enum(SETTLED_PARTIES.map((each) => PARTY_NAMES[each]))
    .transform((name) => SETTLED_PARTIES.find((each) => PARTY_NAMES[each] === name) as SettledParty);

/** The desk of debts between each party and us, and of their payments (decisions part 3, one account per party). */
export function settlementDesk(services: SettlementDeskServices): Desk {
  const { database } = services;
  return defineDesk({
    name: 'settlement',
    title: 'What each party owes us, and what it has paid',
    lists: [
      list({
        name: 'settlement',
        title: 'what each party owes us by our books, below zero what we owe it',
        filters: z.object({ party: party().optional(), currency: currency().optional() }),
        columns: {
          party: columns.text('party', (balance) => PARTY_NAMES[balance.party]),
          currency: columns.text('currency', (balance) => balance.currency),
          booked: columns.money('booked', ({ booked, currency: code }) => ({
            amount: booked,
            currency: code,
          })),
          reported: columns.money(
            'reported',
            ({ reported, currency: code }) => reported && { amount: reported, currency: code },
          ),
          difference: columns.money(
            'difference',
            ({ difference, currency: code }) => difference && { amount: difference, currency: code },
          ),
          asOf: columns.time('as of', ({ asOf }) => asOf),
        },
        // All of them are read, because there is one balance for each party and currency.
        async rows({ filters, after, limit }) {
          const all = await partyBalances(database, {
            parties: filters.party && [filters.party],
            currencies: filters.currency === undefined ? undefined : [filters.currency],
          });
          return all.filter((balance) => !after || placeOf(balance) > after.id).slice(0, limit);
        },
        place: (balance) => ({ since: BEGINNING, id: placeOf(balance) }),
      }),
    ],
    decisions: [moveDecision(services)],
  });
}

/** Balances have no moment of their own. */
const BEGINNING = new Date(0);

/** The order of {@link partyBalances}, as text. */
const placeOf = ({ party: of, currency: code }: PartyBalance): string =>
  `${String(SETTLED_PARTIES.indexOf(of)).padStart(4, '0')}:${code}`;

const moveInput = z.strictObject({
  party: party(),
  currency: currency().meta({ description: 'For instance USD.' }),
  amount: amount(),
  as: z.enum(SETTLEMENT_MOVES).meta({
    description:
      'funding: we pay the party, from the treasury. withdrawal: the party pays us. write-off: what it owes and does not ' +
      'pay, to losses. surplus: what it has paid and did not owe.',
  }),
});

/**
 * At the exchange, funding is booked before it leaves, and a withdrawal once it has left. What a check of the settlement
 * finds beyond our books pays the orders that wait: in the other order, our own money would.
 */
const moveDecision = ({ now }: SettlementDeskServices): Decision =>
  decision<object, SettlementMove>({
    name: 'settlement.move',
    title: 'books money that no transfer has moved',
    permission: 'money',
    subject: installation,
    input: moveInput,
    // Balances change with each transfer. The move is judged by those of its own moment.
    restsOn: () => ({}),
    async weigh(_, { input }) {
      assertFits(input.amount, input.currency);
      return { amount: input.amount, currency: input.currency, ever: false };
    },
    async preview(tx, { input, at }) {
      const { booked, then } = await assertMovable(tx, input, at);
      const text = (value: Decimal) => moneyText({ amount: value, currency: input.currency });
      return [{ field: `${PARTY_NAMES[input.party]} owes us`, from: text(booked), to: text(then) }];
    },
    async execute(tx, { input }) {
      const result = await moveSettlement(tx, input, now());
      const id = settlementAccount(input.party, input.currency);
      return { about: { id, tenantId: null }, after: result, result };
    },
  });
