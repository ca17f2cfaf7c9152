import { bookSeenTopups, noteSeenTopups, stationsToRead } from '../../chain/gas-station/station-topups/seen';
import {
  beginPlace,
  keptBlocks,
  noteChecked,
  notePlace,
  noteRead,
  noteUnread,
  placeOf,
} from '../../chain/holdings/places';
import { nodeOf } from '../../chain/networks/nodes';
import type { Network } from '../../chain/networks/record';
import { poolAddresses } from '../../chain/wallets/operations';
import type { Tx } from '../../kernel/db/database';
import type { Block, ChainTransfer, FoundTransfers } from '../../parties/chain/port';
import { closeBreaksOf, openBreak } from '../../process/breaks/operations';
import type { Services } from '../../services';
import { keepTransfers, tellDeposits } from '../../transfers/chain-deposits/discover';
import { decidedAt, refsAbove, refsWaiting } from '../../transfers/engine/tables/on-chain';
import { STANDS_STILL, watchHead } from './head';
import { type ChainStep, nothingRemembered, type Reading, type Remembered } from './reading';
import { goBack, isStillAt } from './reorganisation';

/** Blocks of a reading. Of the native coin each block is asked for by itself. */
const LONGEST_RANGE = 500;
const LONGEST_OF_NATIVE = 50;
/** Blocks whose hashes are kept beyond those that are not final for long. */
const SPARE_BLOCKS = 64;

/**
 * One step along a chain's blocks: reads the next ones, finds what they have brought to the pool and to stations, and tells the deposits
 * that they decide. What was found stands in one transaction with how far it was read, so that it may end anywhere and be begun
 * again, by two at once too.
 * @throws PartyAway no node answers; nothing has changed
 */
export async function readChain(
  services: Services,
  chain: string,
  remembered: Remembered = nothingRemembered(),
): Promise<ChainStep> {
  const { database } = services;
  const { network, node } = await nodeOf(services, database, chain);
  if (!network.enabled) return end(services, chain);
  const head = await node.head();
  await watchHead(services, network, head, remembered);
  const place = await placeOf(database, chain);
  if (!place) return begin(services, chain, head);
  const reading = { network, node, place, head, remembered };
  if (head.number <= place.number) return compareHead(services, reading);
  const next = await node.block(place.number + 1);
  if (!next) return rest(services, reading); // the node that answered now lags behind the one that told of its head
  return next.parentHash === place.hash ? readOn(services, reading, next) : goBack(services, reading);
}

/** No block tells what is under way any more: from now on the deposits ask by themselves. */
async function end(services: Services, chain: string): Promise<ChainStep> {
  const { database, now } = services;
  await database.transaction(async (tx) => {
    await noteUnread(tx, chain);
    await closeBreaksOf(tx, { subject: `chain:${chain}`, kinds: [STANDS_STILL], at: now() });
    await tellDeposits(services, tx, await refsWaiting(tx, chain));
  });
  return 'ended';
}

/** Deposits before this block are told by their hash. */
async function begin({ database, now }: Services, chain: string, head: Block): Promise<ChainStep> {
  await database.transaction((tx) => beginPlace(tx, chain, head, now()));
  return 'begun';
}

/** A head that is not above the place: nothing new, a node that lags behind, or another chain of the same height. */
async function compareHead(services: Services, reading: Reading): Promise<ChainStep> {
  const { database } = services;
  const { head, network } = reading;
  const kept = await keptBlocks(database, network.chain);
  const known = kept.find(({ number }) => number === head.number);
  if (known && known.hash !== head.hash) return goBack(services, reading);
  return rest(services, reading);
}

/**
 * No block tells a deposit any more whose look asked before the last one was there and ended after it: as long as the row of one
 * that is decided changes, it is told again.
 */
async function rest(services: Services, { network, node, place, remembered }: Reading): Promise<ChainStep> {
  const { database, now } = services;
  const { chain } = network;
  const decided = await decidedAt(database, chain, place.number);
  const late = [...decided].flatMap(([ref, revision]) =>
    remembered.told.get(ref) === revision ? [] : [ref],
  );
  if (late.length > 0) await database.transaction((tx) => tellDeposits(services, tx, late));
  remembered.told = decided;
  await bookSeenTopups(services, network, node, place.number);
  await noteRead(database, chain, now());
  return 'rests';
}

async function readOn(services: Services, reading: Reading, first: Block): Promise<ChainStep> {
  const { database } = services;
  const { network, node, place, head, remembered } = reading;
  const wanted = wantedOn(network);
  const range = wanted.native ? LONGEST_OF_NATIVE : LONGEST_RANGE;
  const to = Math.min(head.number, place.number + range);
  // Read after the head: a wallet that nobody knew of before has been paid in no block up to it.
  const stations = await stationsToRead(database, network);
  const addresses = [...(await poolAddresses(database, network.chain)), ...stations];
  const found = await node.transfersTo({ from: first.number, to }, addresses, wanted);
  if (found.parentHash !== place.hash) return 'rests'; // reorganised meanwhile, or of another node: the next step sees it
  const late = await readAgain(reading, addresses, { upTo: to - network.confirmations, range });
  const last = { number: to, hash: found.toBlockHash };
  const told = await database.transaction(async (tx) => {
    if (!(await isStillAt(tx, network.chain, place))) return undefined;
    const decided = await decidedAt(tx, network.chain, to);
    // A node may have named the old chain when those were asked for that a reorganisation concerns.
    const unsure = place.backTo === null ? [] : await refsAbove(tx, network.chain, place.backTo);
    const keepFrom = to - 2 * network.confirmations - SPARE_BLOCKS;
    await notePlace(tx, network.chain, last, { at: services.now(), keepFrom });
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
    await keepTransfers(services, tx, network, toPool, { told: [...decided.keys(), ...unsure] });
    return decided;
  });
  if (!told) return 'rests';
  await bookSeenTopups(services, network, node, to);
  remembered.told = told;
  return 'read';
}

/**
 * Reads blocks a second time once they are deep: of a node whose logs lag behind its head they may have told nothing at first.
 * @returns what is found now, most of it for the second time, and the last block that was read so
 */
async function readAgain(
  { network, node, place: { checked } }: Reading,
  addresses: readonly string[],
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

/** What of a network's blocks is read. */
const wantedOn = ({ assets }: Network) => ({
  native: assets.some(({ contract }) => contract === null),
  listed: assets.flatMap(({ contract }) => contract ?? []),
});

/**
 * Notes that blocks had more logs than a node gives, so that of tokens which no network lists nothing is known there. Once a day: whoever
 * makes a token may do it in every block.
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
