import type { Command, Option } from 'commander';
import type { Cell } from '../../desk/cli/console';
import { show, table } from '../../desk/cli/console';
import type { Session } from '../session';
import type { CommandContext } from './context';

export interface Listing<Item, Options> {
  /** Default: `list`. */
  name?: string;
  description: string;
  options?: Option[];
  load(session: Session, options: Options): Promise<Item[]>;
  columns: string[];
  /** Cells of an item, in the order of the columns. */
  row(item: Item): Cell[];
  /** JSON of an item. Default: the item itself. */
  view?(item: Item): unknown;
}

/** Adds a command that lists items: a table for people, an array for programs with `--json`. */
export function addListing<Item, Options = object>(
  group: Command,
  { console, run }: CommandContext,
  listing: Listing<Item, Options>,
): void {
  const { name = 'list', description, options = [], load, columns, row, view = (item) => item } = listing;
  const command = group.command(name).description(description);
  for (const option of options) command.addOption(option);
  command.option('--json', 'print a JSON array').action((given: Options & { json?: boolean }) =>
    run(async (session) => {
      const items = await load(session, given);
      show(console, given.json, items.map(view), table(columns, items.map(row)));
    }),
  );
}
