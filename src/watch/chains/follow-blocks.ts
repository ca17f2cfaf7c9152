import { bookSeenTopups, noteSeenTopups, stationsToRead } from '../../chain/gas-station/station-topups/seen';
import {
  beginReading,
  keptBlocks,
  noteChecked,
  noteRead,
  noteReadPosition,
  noteUnread,
  type ReadPosition,
  readPositionOf,
} from '../../chain/holdings/read-position';
import { nodeOf } from '../../chain/networks/nodes/nodes';
import type { Network } from '../../chain/networks/record';
import { makesBlocksByItself } from '../../chain/networks/rules';
import { stationsElsewhere } from '../../chain/wallets/operations';
import { WRITTEN } from '../../kernel/db/commit-marks';
import type { Tx } from '../../kernel/db/database';
import { lookoutOf, type SignValue } from '../../kernel/db/lookout';
import type { Addresses, Block, ChainNode, ChainTransfer, FoundTransfers } from '../../parties/chain/port';
import { closeBreaksOf, openBreak } from '../../process/breaks/operations';
import type { Services } from '../../services';
import { bookDeposits } from '../../transfers/chain-deposits/book';
import { keepTransfers, makeDepositsDue, tellDeposits } from '../../transfers/chain-deposits/discover';
import { newDepositsOn, refsAbove, refsWaiting, steppingAt } from '../../transfers/engine/tables/on-chain';
import { decidedBy } from './decided';
import { STANDS_STILL, watchHead } from './head';
import { readPool, together } from './own-addresses';
import { type ChainStep, nothingRemembered, type Reading, type Remembered, tryAt } from './reading';
import { isStillAt, returnToCommonBlock } from './reorganisation';
import { lookForUnlisted } from './unlisted';

/** Most blocks of a reading. With the native coin each block is a call of its own. */
const LONGEST_RANGE = 500;
const LONGEST_OF_NATIVE = 50;
/** Longest time for which Postgres is not asked about a chain at rest. Milliseconds. */
const LONGEST_REST_MS = 5 * 60_000;
/** Interval of notes that a chain at rest was read. A chain counts as followed for a minute after one. Milliseconds. */
const NOTED_EVERY_MS = 40_000;
/** Block hashes kept beyond the range that a reorganisation usually changes. */
const SPARE_BLOCKS = 64;

/**
 * Takes one step along a chain: reads the next blocks, opens deposits and station top-ups, and books decided deposits.
 * Position and findings commit together, so a step can be interrupted, repeated or taken by two processes at
 * once.
 * @param book makes the next step of deposits, given by their ids
 * @throws PartyAway when no node answers; nothing has changed
 */
export async function readChain(
  services: Services,
  chain: string,
  remembered: Remembered = nothingRemembered(),
  book: Reading['book'] = (ids) => bookDeposits(services, ids),
): Promise<ChainStep> {
  const { database } = services;
  const written = await valueOfSigns(services, chain);
  if (await isAtRest(services, chain, written, remembered)) return 'rests';
  remembered.rested = undefined;
  const { network, node } = await nodeOf(services, database, chain);
  if (!network.enabled) return end(services, chain);
  const place = await readPositionOf(database, chain);
  const head = await newestOf(node, place);
  remembered.newest = makesBlocksByItself(network) ? head : undefined;
  await watchHead(services, network, head, remembered);
  if (!place) return begin(services, chain, head);
  const reading = { network, node, place, head, remembered, book, written };
  if (head.number <= place.number) return compareHead(services, reading);
  const next = head.number === place.number + 1 ? head : await node.block(place.number + 1);
  if (!next) return rest(services, reading); // the node that answered lags behind the one that reported the head
  return next.parentHash === place.hash
    ? readOn(services, reading, next)
    : returnToCommonBlock(services, reading);
}

/** Changes when something was written that a step may have to do with. Both signs are of one look. */
async function valueOfSigns({ database }: Pick<Services, 'database'>, chain: string): Promise<SignValue> {
  const lookout = lookoutOf(database);
  const [all, own] = [await lookout.value(WRITTEN), await lookout.value(newDepositsOn(chain))];
  return `${all} ${own}`;
}

/** The newest block of all nodes. While one node still names the block that was read last, the others are not asked. */
async function newestOf(node: ChainNode, place: ReadPosition | undefined): Promise<Block> {
  if (!place) return node.head();
  const seen = await node.look();
  return seen.number === place.number && seen.hash === place.hash ? seen : node.head();
}

/**
 * Whether nothing has changed since a step that rested: neither the head, nor Postgres. A chain without blocks then costs a call of one
 * node, and no statement.
 */
async function isAtRest(
  services: Services,
  chain: string,
  written: SignValue,
  remembered: Remembered,
): Promise<boolean> {
  const { database, now } = services;
  const { rested } = remembered;
  if (!rested || rested.written !== written || performance.now() - rested.at > LONGEST_REST_MS) return false;
  const head = await rested.node.look();
  if (head.hash !== rested.head) return false;
  await watchHead(services, rested.network, head, remembered);
  if (performance.now() - rested.notedAt > NOTED_EVERY_MS) {
    await noteRead(database, chain, now());
    rested.notedAt = performance.now();
  }
  return true;
}

/** Ends following a disabled network. Its open deposits poll the chain from now on. */
async function end(services: Services, chain: string): Promise<ChainStep> {
  const { database, now } = services;
  await database.transaction(async (tx) => {
    await noteUnread(tx, chain);
    await closeBreaksOf(tx, { subject: `chain:${chain}`, kinds: [STANDS_STILL], at: now() });
    await tellDeposits(services, tx, await refsWaiting(tx, chain));
  });
  return 'ended';
}

/** Begins at the head. Earlier payments are claimed by their hash. */
async function begin({ database, now }: Services, chain: string, head: Block): Promise<ChainStep> {
  await database.transaction((tx) => beginReading(tx, chain, head, now()));
  return 'begun';
}

/** Handles a head at or below the position: nothing new, a lagging node, or another chain of that height. */
async function compareHead(services: Services, reading: Reading): Promise<ChainStep> {
  const { database } = services;
  const { head, network } = reading;
  const kept = await keptBlocks(database, network.chain);
  const known = kept.find(({ number }) => number === head.number);
  if (known && known.hash !== head.hash) return returnToCommonBlock(services, reading);
  return rest(services, reading);
}

/**
 * Books decided deposits again while their rows change. A step may have asked the nodes before the last block, and
 * ended after it.
 */
async function rest(
  services: Services,
  { network, node, place, head, remembered, book, written }: Reading,
): Promise<ChainStep> {
  const { database, now } = services;
  const { chain } = network;
  const height = remembered.decided ?? (await decidedBy(node, network, place.number));
  const decided = await steppingAt(database, chain, place.number, height);
  const { due, told } = tryAt(place.number, decided, remembered.told);
  if (due.length > 0) await book(await database.transaction((tx) => makeDepositsDue(services, tx, due)));
  remembered.told = told;
  await bookSeenTopups(services, network, node, height);
  await noteRead(database, chain, now());
  await lookForUnlisted(services, { network, node, place, remembered });
  const isQuiet = decided.size === 0 && head.number === place.number && !remembered.round;
  const at = performance.now();
  if (isQuiet) remembered.rested = { network, node, head: head.hash, written, at, notedAt: at };
  return 'rests';
}

async function readOn(services: Services, reading: Reading, first: Block): Promise<ChainStep> {
  const { database } = services;
  const { network, node, place, head, remembered, book } = reading;
  const wanted = wantedOn(network);
  const range = wanted.native ? LONGEST_OF_NATIVE : LONGEST_RANGE;
  const to = Math.min(head.number, place.number + range);
  // Read after the head, so a wallet that is derived later was paid in none of these blocks.
  const stations = await stationsToRead(database, network);
  const pool = await readPool(database, network.kind, remembered);
  const addresses = together(pool, [...stations, ...(await stationsElsewhere(database, network))]);
  const found = await node.transfersTo({ from: first.number, to }, addresses, wanted);
  if (found.parentHash !== place.hash) return 'rests'; // a reorganisation, or another node; the next step sees it
  const late = await readAgain(reading, addresses, { upTo: to - network.confirmations, range });
  const last = { number: to, hash: found.toBlockHash };
  const height = await decidedBy(node, network, to);
  const kept = await database.transaction(async (tx) => {
    if (!(await isStillAt(tx, network.chain, place))) return undefined;
    const stepping = tryAt(to, await steppingAt(tx, network.chain, to, height), remembered.told);
    // A node may still have named the old chain when deposits looked after a reorganisation.
    const unsure = place.backTo === null ? [] : await refsAbove(tx, network.chain, place.backTo);
    const keepFrom = to - 2 * network.confirmations - SPARE_BLOCKS;
    await noteReadPosition(tx, network.chain, last, { at: services.now(), keepFrom });
    await noteChecked(tx, network.chain, late.checked);
    await noteInPart(services, tx, network.chain, [...found.inPart, ...late.inPart]);
    const moved = [...found.transfers, ...late.transfers];
    const toStation = ({ to: address }: ChainTransfer) => stations.includes(address);
    await noteSeenTopups(tx, network, {
      stations,
      transfers: moved.filter(toStation),
      upTo: late.checked,
    });
    const toPool = moved.filter((each) => !toStation(each));
    const told = [...stepping.due, ...unsure];
    const due = await keepTransfers(services, tx, network, toPool, { told, stepping: true });
    return { due, told: stepping.told };
  });
  if (!kept) return 'rests';
  await bookSeenTopups(services, network, node, height);
  await book(kept.due);
  remembered.told = kept.told;
  if (network.finality !== 'confirmations') remembered.decided = height;
  await lookForUnlisted(services, { network, node, place: { ...place, ...last }, remembered });
  return 'read';
}

/**
 * Reads deep blocks a second time, because a node whose logs lag behind its head may have returned none at first.
 * @returns transfers, mostly known ones, and the last block that was read twice
 */
async function readAgain(
  { network, node, place: { checked } }: Reading,
  addresses: Addresses,
  { upTo, range }: { upTo: number; range: number },
): Promise<Pick<FoundTransfers, 'transfers' | 'inPart'> & { checked: number }> {
  const to = Math.min(upTo, checked + range);
  if (to <= checked) return { checked, transfers: [], inPart: [] };
  const unread = { from: checked + 1, to };
  const { transfers, inPart } = await node.transfersTo(unread, addresses, {
    ...wantedOn(network),
    again: true,
  });
  return { checked: to, transfers, inPart };
}

/** The assets to read in a network's blocks. */
const wantedOn = ({ assets }: Network) => ({
  native: assets.some(({ contract }) => contract === null),
  listed: assets.flatMap(({ contract }) => contract ?? []),
});

/**
 * Shows blocks with more logs than a node returns. Only listed tokens were read there. Opens one break a day, because a
 * spam token can do this in every block.
 */
async function noteInPart(
  { log, now }: Pick<Services, 'log' | 'now'>,
  tx: Tx,
  chain: string,
  blocks: readonly number[],
): Promise<void> {
  if (blocks.length === 0) return;
  log.warn({ chain, blocks }, 'blocks have more logs than a node gives: listed tokens alone were read');
  const detail = `blocks of ${now().toISOString().slice(0, 10)}`;
  await openBreak(tx, { tenantId: null, kind: 'chain_blocks_in_part', subject: `chain:${chain}`, detail });
}
