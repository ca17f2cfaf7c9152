import type { StateOperation } from '../../src/parties/protocol/description';
import {
  type Context,
  type Made,
  readableState,
  stateOf,
  stateOperation,
  stateOperations,
  within,
} from './context';
import { type Check, Failed, needed, Skipped } from './outcome';

/** Checks of a record's state, by each operation that reads one. */
export const stateChecks = (context: Context): Check[] =>
  stateOperations(context).flatMap((operation) => checksOf(context, operation));

function checksOf(context: Context, operation: StateOperation): Check[] {
  const { name, ref: field } = operation;
  return [
    {
      name: `${name}.shape`,
      what: 'the state has the documented shape and is of the requested record',
      money: 'An unreadable state moves no money. The transfer waits, and a person is told.',
      run: async () => {
        const ref = someRecord(context, operation);
        const { value } = await stateOf(context, ref);
        if (value[field] !== ref) throw new Failed(`${field} is ${String(value[field])}, not ${ref}`);
      },
    },
    {
      name: `${name}.amounts`,
      what: 'amounts are decimal strings',
      money: 'A number may lose digits, so that the books have another amount than was moved.',
      run: async () => {
        const ref = someRecord(context, operation);
        await readableState(context, ref);
        const { numbers } = await stateOf(context, ref);
        if (numbers.length > 0) throw new Failed(`a number in ${numbers.join(', ')}`);
      },
    },
    {
      name: `${name}.version`,
      what: 'the version never falls',
      money: 'We would drop a newer state for an older one. A return or a chargeback would stay unbooked.',
      run: () => versionNeverFalls(context, operation),
    },
  ];
}

/** Returns a record that this run created, the given one, or the last one in the list. */
function someRecord(context: Context, operation: StateOperation): string {
  // A record of unknown kind counts as the first kind.
  const other =
    operation === stateOperation(context) ? (context.record ?? context.listed.at(-1)?.ref) : undefined;
  const ref = madeFor(context, operation)?.ref ?? other;
  return needed(ref, 'the party has no record yet: name one with --record');
}

/** Returns the first record of this run that the operation reads. */
const madeFor = (context: Context, operation: StateOperation): Made | undefined =>
  context.made.find(({ ref }) => stateOperation(context, ref) === operation);

async function versionNeverFalls(context: Context, operation: StateOperation): Promise<void> {
  const made = madeFor(context, operation);
  const ref = someRecord(context, operation);
  let highest = made?.version ?? versionOf(await readableState(context, ref));
  if (highest === undefined) throw new Skipped('the party counts no versions');
  await within(Math.min(context.patienceMs, 3_000), async () => {
    const version = versionOf(await readableState(context, ref));
    if (version === undefined || version < (highest as number))
      throw new Failed(`it was ${highest}, and is ${version ?? 'gone'} now`);
    highest = version;
    return undefined;
  });
}

const versionOf = (value: Record<string, unknown>): number | undefined =>
  value['version'] as number | undefined;

/** Whether the record has changed since it was created. */
export async function hasChanged(context: Context, { ref, version }: Made): Promise<boolean> {
  if (version === undefined) return false;
  return (versionOf(await readableState(context, ref)) ?? version) > version;
}
