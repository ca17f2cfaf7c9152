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

/** What the party tells of a record, by each of its ways to ask for one. */
export const stateChecks = (context: Context): Check[] =>
  stateOperations(context).flatMap((operation) => checksOf(context, operation));

function checksOf(context: Context, operation: StateOperation): Check[] {
  const { name, ref: field } = operation;
  return [
    {
      name: `${name}.shape`,
      what: 'the state by its name is of the documented shape, and of that record',
      money: 'A word that cannot be read moves nothing: the transfer waits, and a person is called.',
      run: async () => {
        const ref = someRecord(context, operation);
        const { value } = await stateOf(context, ref);
        if (value[field] !== ref) throw new Failed(`${field} is ${String(value[field])}, not ${ref}`);
      },
    },
    {
      name: `${name}.amounts`,
      what: 'its amounts are decimal strings',
      money: 'A number loses digits on its way: the books would hold another amount than was moved.',
      run: async () => {
        const ref = someRecord(context, operation);
        await readableState(context, ref);
        const { numbers } = await stateOf(context, ref);
        if (numbers.length > 0) throw new Failed(`a number in ${numbers.join(', ')}`);
      },
    },
    {
      name: `${name}.version`,
      what: 'its version never falls',
      money: 'A newer word would be dropped for an older one: a return or a chargeback would stay unbooked.',
      run: () => versionNeverFalls(context, operation),
    },
  ];
}

/** One that this run has made, that was given, or that the party lists last. */
function someRecord(context: Context, operation: StateOperation): string {
  // What was not made here is of the first kind, as far as anybody can tell.
  const other =
    operation === stateOperation(context) ? (context.record ?? context.listed.at(-1)?.ref) : undefined;
  const ref = madeFor(context, operation)?.ref ?? other;
  return needed(ref, 'the party has no record yet: name one with --record');
}

/** The first that this run has made of those that are asked for so. */
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

/** Whether anything has happened to it since it was made. */
export async function hasChanged(context: Context, { ref, version }: Made): Promise<boolean> {
  if (version === undefined) return false;
  return (versionOf(await readableState(context, ref)) ?? version) > version;
}
