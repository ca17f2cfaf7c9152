import type { Sql, Tx } from '../../../kernel/db/database';
import { allCurrencies } from '../../../kernel/money/currencies';
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

/** Break: the clock of the exchange differs from ours, or its answer is old. */
const CLOCK = 'party_clock_differs';

/** Age at which readings are deleted. A currency has 288 a day. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/**
 * Stores the exchange's balances with our books. Opens breaks for a lasting difference and for overdue orders.
 * Changes no check and locks no account. Idempotent.
 * @throws PartyAway retry; UnreadableAnswer after a break was opened
 */
export async function readSettlement(services: Deps): Promise<void> {
  const { database, switches, now } = services;
  // Runs without an exchange too, because a person may end a waiting order.
  await showOverdue(services);
  if ((await switches.party('exchange')) === 'left_out') return;
  await deleteReadings(database, allCurrencies(), new Date(now().getTime() - KEPT_MS));
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
        tenantId: null,
        kind: UNREADABLE,
        subject: SUBJECT,
        detail: 'exchange',
      });
    throw error;
  }
}

/**
 * Opens or closes the break for a reading of another time. Such a reading is not stored: one from the future would
 * stay the newest.
 */
async function showClock(sql: Sql, isOurs: boolean, at: Date): Promise<void> {
  if (isOurs) return closeBreaksOf(sql, { subject: SUBJECT, kinds: [CLOCK], at });
  await openBreakAgain(sql, { tenantId: null, kind: CLOCK, subject: SUBJECT, detail: 'exchange' });
}

/** Stores a reading. One that is not newer than the last one is ignored. */
async function keepReading(
  { now, settlementDifferenceSeconds }: Pick<Deps, 'now' | 'settlementDifferenceSeconds'>,
  tx: Tx,
  said: SaidBalances,
): Promise<void> {
  const before = await lastReadings(tx, allCurrencies());
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
