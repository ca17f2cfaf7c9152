import { type Context, type Made, readableState, stateOf, within } from './context';
import { type Check, Failed, needed, Skipped } from './outcome';

/** What the party tells of a record. */
export function stateChecks(context: Context): Check[] {
  return [
    {
      name: 'state.shape',
      what: 'the state by its name is of the documented shape, and of that record',
      money: 'A word that cannot be read moves nothing: the transfer waits, and a person is called.',
      run: async () => {
        const ref = someRecord(context);
        const { value } = await stateOf(context, ref);
        const field = context.protocol.operations.find((one) => one.kind === 'state')?.ref ?? 'key';
        if (value[field] !== ref) throw new Failed(`${field} is ${String(value[field])}, not ${ref}`);
      },
    },
    {
      name: 'state.amounts',
      what: 'its amounts are decimal strings',
      money: 'A number loses digits on its way: the books would hold another amount than was moved.',
      run: async () => {
        const ref = someRecord(context);
        await readableState(context, ref);
        const { numbers } = await stateOf(context, ref);
        if (numbers.length > 0) throw new Failed(`a number in ${numbers.join(', ')}`);
      },
    },
    {
      name: 'state.version',
      what: 'its version never falls',
      money: 'A newer word would be dropped for an older one: a return or a chargeback would stay unbooked.',
      run: () => versionNeverFalls(context),
    },
  ];
}

/** One that was given, that this run has made, or that the party lists last. */
function someRecord(context: Context): string {
  const ref = context.made[0]?.ref ?? context.record ?? context.listed.at(-1)?.ref;
  return needed(ref, 'the party has no record yet: name one with --record');
}

async function versionNeverFalls(context: Context): Promise<void> {
  const made = context.made[0];
  const ref = someRecord(context);
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
