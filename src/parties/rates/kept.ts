import { keepCountingRates } from '../../process/limits/rates';
import type { PartyWiring } from '../define';
import { observed } from '../protocol/observed';
import type { ConfiguredSource } from './configured';
import { createRates } from './memory';
import type { RefreshedRates } from './port';
import { midsOf } from './snapshot';

/** Rates from memory, refreshed from any source. The defaults of the refresh suit a live feed. */
export const keptRates = (
  { source, ...how }: Partial<ConfiguredSource> & Pick<ConfiguredSource, 'source'>,
  { database, log, now, observers }: PartyWiring,
): RefreshedRates =>
  createRates(observed('rates', source, observers.observePartyCall), {
    log,
    now,
    ...how,
    observeUnusable: (what) => observers.observeUnusable('rates', what),
    keep: (snapshot, freshUntil) =>
      keepCountingRates(database, { asOf: snapshot.asOf, freshUntil, mids: midsOf(snapshot) }),
  });
