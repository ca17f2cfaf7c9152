import type { Observers, PartyCall } from '../../kernel/metrics/observers';
import { withinSpan } from '../../kernel/tracing/trace';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import { SignerAway, SignerRefused } from '../signer/port';

type ObserveCall = Observers['observePartyCall'];
type Call = (...given: unknown[]) => unknown;

/** Members that do not call the party. `then` is read when a promise resolves to the port. */
const NO_CALLS = new Set(['verify', 'verifyMessage', 'verifyQuestion', 'renderAnswer', 'then']);

/**
 * Counts and times the calls of a port under its own method names. An unreadable answer counts as `unknown`. Members
 * are looked up at each use, because the port of a party that is left out lists none.
 */
export function observed<Port extends object>(party: string, port: Port, observe: ObserveCall): Port {
  const calls = new Map<string, unknown>();
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name !== 'string' || NO_CALLS.has(name)) return member;
      const known = calls.get(name);
      if (known !== undefined) return known;
      const call = (given: unknown[]) => (Reflect.get(target, name) as Call).apply(target, given);
      const counted = (...given: unknown[]) => timed(party, name, () => call(given), observe);
      calls.set(name, counted);
      return counted;
    },
  });
}

/** Ports that do not ask by themselves. Their sources and nodes are {@link observed} where they are made. */
const OBSERVED_WITHIN = new Set(['rates', 'chain']);

export function observedParties<Parties extends object>(parties: Parties, observe: ObserveCall): Parties {
  const members = Object.entries(parties).map(([name, port]): [string, unknown] => [
    name,
    OBSERVED_WITHIN.has(name) ? port : observed(name, port as object, observe),
  ]);
  return Object.fromEntries(members) as Parties;
}

const timed = (party: string, operation: string, call: () => unknown, observe: ObserveCall) =>
  withinSpan({ kind: 'client', name: `${party} ${operation}` }, async (span) => {
    const counted = (made: PartyCall) => {
      observe(made);
      span?.set({
        attributes: {
          'cardwright.party': party,
          'cardwright.operation': operation,
          'cardwright.outcome': made.outcome,
        },
      });
    };
    return counting(party, operation, call, counted);
  });

async function counting(party: string, operation: string, call: () => unknown, observe: ObserveCall) {
  const began = performance.now();
  const ended = (outcome: PartyCall['outcome']) =>
    observe({ party, operation, outcome, seconds: (performance.now() - began) / 1000 });
  try {
    const answer = await call();
    ended('ok');
    return answer;
  } catch (error) {
    ended(outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): PartyCall['outcome'] {
  if (error instanceof PartyRefused || error instanceof SignerRefused) return 'refused';
  if (error instanceof OutcomeUnknown) return 'unknown';
  return error instanceof PartyAway || error instanceof SignerAway ? 'away' : 'failed';
}
