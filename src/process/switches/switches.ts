import { type Capability } from '../../kernel/capabilities';
import type { Sql } from '../../kernel/db/database';
import { FRESH_MS, REVALIDATE_MS, STALE_IF_ERROR_MS } from '../../kernel/db/freshness';
import type { MoneyParty } from '../../kernel/outbox/queues';
import { PARTY_NAMES, type Party, partiesOf } from '../../kernel/parties';
import { PartyStopped } from '../party-errors';
import { readSwitchedOff, type Switch } from './store';

/**
 * `left_out`: by the configuration, with everything that needs it. `stopped`: by the operator, while running work goes
 * on.
 */
export type SwitchState = 'on' | 'stopped' | 'left_out';

/** The switches as this process knows them, never older than a second. */
export interface Switches {
  /**
   * @param tenantId null reads only the switch for all tenants
   * @throws DatabaseAway after five seconds without the database
   */
  capability(capability: Capability, tenantId: string | null): Promise<SwitchState>;
  /** A party that is not on gets no new order. @throws as `capability` */
  party(party: Party): Promise<SwitchState>;
  /**
   * The last known state, for callers that cannot wait. It may lag by one reading, and a new reading starts in the
   * background.
   */
  partyAtOnce(party: Party): SwitchState;
}

export interface SwitchesOptions {
  /** Parties that the configuration leaves out. */
  leftOut?: readonly Party[];
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/**
 * Reads all switches in one statement, because they are few. It runs at most twice a second, and only on demand. Under
 * steady traffic no request waits for it.
 */
export function createSwitches(database: Sql, options: SwitchesOptions = {}): Switches {
  const { leftOut = [], now = () => performance.now() } = options;
  const { offNow, lastOff } = createReading(database, now);

  function stateIn(off: ReadonlySet<string>, party: Party): SwitchState {
    if (leftOut.includes(party)) return 'left_out';
    return off.has(keyOf({ kind: 'party', name: PARTY_NAMES[party], tenantId: null })) ? 'stopped' : 'on';
  }

  return {
    party: async (party) => stateIn(await offNow(), party),
    partyAtOnce: (party) => stateIn(lastOff(), party),
    async capability(capability, tenantId) {
      const off = await offNow();
      const carriers = partiesOf(capability).map((party) => stateIn(off, party));
      if (carriers.includes('left_out')) return 'left_out';
      const isOff = [null, tenantId].some((of) =>
        off.has(keyOf({ kind: 'capability', name: capability, tenantId: of })),
      );
      return isOff || carriers.includes('stopped') ? 'stopped' : 'on';
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();

const keyOf = ({ kind, name, tenantId }: Switch): string => `${kind} ${name} ${tenantId ?? ''}`;

/** The keys of the switches that are off: confirmed within the last second, or as last read. */
function createReading(database: Sql, now: () => number) {
  let known: { off: ReadonlySet<string>; at: number } | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const at = now();
    known = { off: new Set((await readSwitchedOff(database)).map(keyOf)), at };
  }

  function confirm(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  function lastOff(): ReadonlySet<string> {
    if (!known || now() - known.at > REVALIDATE_MS) confirm().catch(() => undefined);
    return known?.off ?? NOTHING;
  }

  async function offNow(): Promise<ReadonlySet<string>> {
    const at = now();
    // A running reading may have started too long ago. A second one is always fresh enough.
    for (let turn = 0; turn < 2 && (!known || at - known.at > FRESH_MS); turn += 1) {
      try {
        await confirm();
      } catch (error) {
        if (!known || at - known.at > STALE_IF_ERROR_MS) throw error;
        break;
      }
    }
    return lastOff();
  }

  return { offNow, lastOff };
}

/** Call it before giving an order. @throws PartyStopped while the party is off, so that the order waits */
export async function assertOrders({ switches }: { switches: Switches }, party: Party): Promise<void> {
  if ((await switches.party(party)) !== 'on') throw new PartyStopped();
}

/** Whether a party gets no orders now. A chain has no switch, because reading deposits gives no orders. */
export const isStopped = async (
  { switches }: { switches: Pick<Switches, 'party'> },
  party: MoneyParty,
): Promise<boolean> => party !== 'chain' && (await switches.party(party)) !== 'on';
