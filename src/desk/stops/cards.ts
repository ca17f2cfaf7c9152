import { requireCard, requireLockedCard } from '../../cards/cards/operations';
import type { Card } from '../../cards/cards/record';
import { assertLive, withReason } from '../../cards/cards/rules';
import { freezeForRisk } from '../../cards/events/operations';
import type { CardServices } from '../../cards/services';
import type { Sql } from '../../kernel/db/database';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { assertNoStop, assertStopped, stopsOf } from '../../process/stops/operations';
import type { StopKind } from '../../process/stops/record';
import { stoppingOf } from './stopping';

export type CardStopServices = Pick<CardServices, 'programmes' | 'parties'>;

interface StoppableCard {
  card: Card;
  stops: StopKind[];
}

const cards: SubjectSpec<StoppableCard> = {
  noun: 'card',
  kinds: ['card'],
  read: (sql, id) => withStops(sql, requireCard(sql, null, id)),
  lock: (tx, id) => withStops(tx, requireLockedCard(tx, id)),
  tenantOf: ({ card: { tenantId } }) => tenantId,
};

async function withStops(sql: Sql, reading: Promise<Card>): Promise<StoppableCard> {
  const card = await reading;
  return { card, stops: await stopsOf(sql, ['card'], card.id) };
}

export const cardDecisions = (services: CardStopServices): Decision[] => [
  freezeOrUnfreeze(services, 'freeze', 'freezes it for risk: it declines until you unfreeze it'),
  freezeOrUnfreeze(services, 'unfreeze', 'lifts the reason risk; others stay'),
];

const freezeOrUnfreeze = (services: CardStopServices, verb: 'freeze' | 'unfreeze', title: string): Decision =>
  decision<StoppableCard>({
    name: `card.${verb}`,
    title,
    permission: 'security',
    subject: cards,
    restsOn: ({ card: { status, freezeReasons } }) => ({ status, frozenFor: freezeReasons.join(' ') }),
    async preview(_, { id, subject: { card, stops } }) {
      assertLive(card);
      if (verb === 'freeze') assertNoStop(stops, 'card', id);
      else assertStopped(stops, id);
      const { status, freezeReasons } = card;
      const left =
        verb === 'freeze'
          ? withReason(freezeReasons, 'risk')
          : freezeReasons.filter((reason) => reason !== 'risk');
      return [
        { field: 'status', from: status, to: left.length > 0 ? 'frozen' : 'active' },
        { field: 'frozen for', from: freezeReasons.join(' ') || null, to: left.join(' ') || null },
      ];
    },
    async execute(tx, { id, at }, by) {
      const { before, card } = await freezeForRisk(tx, services, verb, id, stoppingOf(by, at));
      const { status, freezeReasons } = card;
      return {
        before: { freezeReasons: before },
        after: { status, freezeReasons },
        result: { cardId: id, status, freezeReasons },
      };
    },
  });
