import { type Capability, partiesOf } from '../../kernel/capabilities';
import type { Sql } from '../../kernel/db/database';
import { FRESH_MS, REVALIDATE_MS, STALE_IF_ERROR_MS } from '../../kernel/db/freshness';
import type { MoneyParty } from '../../kernel/outbox/queues';
import { PARTY_NAMES, type Party } from '../../kernel/parties';
import { PartyStopped } from '../party-errors';
import { readSwitchedOff, type Switch } from './store';

/** `left_out`: by the configuration, with all that it had. `stopped`: by the operator; what has begun goes on to its end. */
export type SwitchState = 'on' | 'stopped' | 'left_out';

/** What is off, as this process knows it: never older than a second. */
export interface Switches {
  /** @param tenantId whose; null asks for everybody's alone @throws DatabaseAway when it cannot be known, and was not for five seconds */
  capability(capability: Capability, tenantId: string | null): Promise<SwitchState>;
  /** A party that is not on gets no new order. @throws as `capability` */
  party(party: Party): Promise<SwitchState>;
  /** The same as it was last read, for what cannot wait: it may be a reading older, and is read anew beside. */
  partyAtOnce(party: Party): SwitchState;
}

export interface SwitchesOptions {
  /** By the configuration. */
  leftOut?: readonly Party[];
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/**
 * The switches are few, so they are read whole: one statement, at most twice a second and only while somebody asks. While
 * traffic flows nobody waits for it.
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

/** The keys of what is off: as they were confirmed within the last second, or as they were last read. */
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
    // What is under way may have begun too long ago; what begins after it has not.
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

/** Before an order is given. @throws PartyStopped where the party gets none now: the order waits */
export async function assertOrders({ switches }: { switches: Switches }, party: Party): Promise<void> {
  if ((await switches.party(party)) !== 'on') throw new PartyStopped();
}

/** Whether a party gets no orders now. A chain cannot be switched: what is deposited on it is asked for, and orders nothing. */
export const isStopped = async (
  { switches }: { switches: Pick<Switches, 'party'> },
  party: MoneyParty,
): Promise<boolean> => party !== 'chain' && (await switches.party(party)) !== 'on';
