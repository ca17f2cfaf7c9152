import type { Sql, Tx } from '../../../kernel/db/database';
import { CURRENCIES } from '../../../kernel/money/currencies';
import {
  closeBreaksOf,
  openBreakAgain,
  openBreaksOf,
  syncBreaks,
  type WantedBreak,
} from '../../../process/breaks/operations';
import { UnreadableAnswer } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { UNREADABLE } from '../../engine/breaks';
import { comparedWith } from './balance';
import { showOverdue } from './overdue';
import { askBalances, type SaidBalances, SUBJECT, showUnreadable } from './reading';
import { deleteReadings, insertReadings, lastReadings, type SettlementReading } from './readings-store';

export { lastReadings };

import { isOfItsTime } from './rules';

type Deps = Pick<
  Services,
  'database' | 'parties' | 'switches' | 'now' | 'settlementDifferenceSeconds' | 'settlementWaitSeconds'
>;

/** The clock of the exchange is not ours, or it answers with what it knew before it was asked. */
const CLOCK = 'party_clock_differs';

/** Older readings are of no use to anybody: 288 come a day and currency. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/**
 * Keeps what the exchange says that it holds, beside our books; a difference that lasts is shown, and so are orders that wait
 * for too long. Nothing of a check is moved by it, and no account is locked. Done twice, it has been done once.
 * @throws PartyAway the same again; an answer that cannot be read is shown, too
 */
export async function readSettlement(services: Deps): Promise<void> {
  const { database, switches, now } = services;
  // Also without an exchange: what waits for it may end by a person.
  await showOverdue(services);
  if ((await switches.party('exchange')) === 'left_out') return;
  await deleteReadings(database, CURRENCIES, new Date(now().getTime() - KEPT_MS));
  try {
    const from = now();
    const said = await askBalances(services);
    await showUnreadable(database, said, now());
    const isOurs = isOfItsTime(said.asOf, { from, to: now() });
    await showClock(database, isOurs, now());
    if (isOurs) await database.transaction((tx) => keepReading(services, tx, said));
  } catch (error) {
    if (error instanceof UnreadableAnswer)
      await openBreakAgain(database, {
        ...{ tenantId: null, kind: UNREADABLE, subject: SUBJECT, detail: 'exchange' },
      });
    throw error;
  }
}

/** A reading of another time than it was asked for is none: one of a time to come would be the last until then. */
async function showClock(sql: Sql, isOurs: boolean, at: Date): Promise<void> {
  if (isOurs) return closeBreaksOf(sql, { subject: SUBJECT, kinds: [CLOCK], at });
  await openBreakAgain(sql, { tenantId: null, kind: CLOCK, subject: SUBJECT, detail: 'exchange' });
}

/** @param said one that is not newer than the last is that one */
async function keepReading(
  { now, settlementDifferenceSeconds }: Pick<Deps, 'now' | 'settlementDifferenceSeconds'>,
  tx: Tx,
  said: SaidBalances,
): Promise<void> {
  const before = await lastReadings(tx, CURRENCIES);
  const differed = [...before.values()].flatMap(({ currency, differsSince }) =>
    differsSince === null ? [] : [currency],
  );
  const found = await comparedWith(tx, said, differed);
  const readings = found
    .filter(({ currency, asOf }) => asOf > (before.get(currency)?.asOf ?? new Date(0)))
    .map(({ currency, asOf, reported, booked, difference }) => {
      const differsSince = difference.isZero() ? null : (before.get(currency)?.differsSince ?? asOf);
      return { currency, asOf, reported, booked, differsSince };
    });
  await insertReadings(tx, readings);
  const at = now();
  const limit = new Date(at.getTime() - settlementDifferenceSeconds * 1_000);
  for (const reading of readings) {
    const subject = `${SUBJECT}:${reading.currency}`;
    const open = await openBreaksOf(tx, subject);
    await syncBreaks(tx, { tenantId: null, subject, open, wanted: lasting(reading, limit), notices: [], at });
  }
}

function lasting(
  { currency, reported, booked, differsSince }: SettlementReading,
  limit: Date,
): WantedBreak[] {
  if (differsSince === null || differsSince > limit) return [];
  const detail = `${currency}, since ${differsSince.toISOString()}`;
  return [{ kind: 'settlement_difference', detail, amount: reported.minus(booked), currency }];
}
