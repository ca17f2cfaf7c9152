import { type Command, Option } from 'commander';
import { listReadPositions } from '../../../../chain/holdings/read-position';
import { listUnlisted } from '../../../../transfers/chain-deposits/unlisted';
import { countArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';
import { addListing } from '../../listing';

/** Default limit. */
const LISTED = 200;

/** Commands for the reading position of chains, and for findings that are not booked. */
export function addChainCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'chain', 'money of ours on chains, and what was found there');
  addListing(group, context, {
    description: 'how far the blocks of each chain are read',
    load: ({ database }) => listReadPositions(database),
    columns: ['chain', 'block', 'read at'],
    row: ({ chain, blockNumber, readAt }) => [chain, String(blockNumber), readAt.toISOString()],
  });
  addListing(group, context, {
    name: 'tokens',
    description: 'what came to us of tokens that no network lists: it is never posted; the newest first',
    options: [
      new Option('--chain <name>', 'of this chain only'),
      new Option('--limit <number>', 'so many of the newest').argParser(countArgument).default(LISTED),
    ],
    load: ({ database }, { chain, limit }: { chain?: string; limit: number }) =>
      listUnlisted(database, { chain, limit }),
    columns: ['chain', 'token', 'address', 'units', 'transaction', 'block', 'not kept'],
    row: ({ chain, token, address, units, txHash, blockNumber, more }) => [
      ...[chain, token, address, units, txHash, String(blockNumber)],
      more === 0 ? '-' : `${more} more of the transaction`,
    ],
  });
}
