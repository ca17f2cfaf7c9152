import { type TestApi, testApi } from '../support/api';
import { countConflicts } from '../support/conflicts';
import { audit } from './audit';
import { createMarket } from './market';

import { createStage, type Played, play, playWave, type Stage } from './play';
import { createProcessor } from './processor';
import type { Operation, Script } from './script';
import { addProgrammes, createWorld, type World } from './world';

export interface ProofStage extends Stage {
  /** Retried transactions. There are none, because all locks are taken in one order. */
  conflicts(): number;
  close(): Promise<void>;
}

/** Opens the whole product on a database of its own, with the test's market. */
export async function openStage(): Promise<ProofStage> {
  const market = createMarket();
  const { counting, conflicts } = countConflicts();
  const processor = createProcessor();
  const parties = { rates: market.rates, cardProcessor: processor.party };
  const api: TestApi = await testApi({ parties }, counting);
  await addProgrammes(api.database);
  // The product uses the database that counts conflicts. Queries of this file bypass the count.
  const stage = createStage({ ...api, database: api.services.database }, market, processor);
  return { ...stage, conflicts, close: () => api.close() };
}

export interface Proof {
  /** The problems. Empty if all holds. */
  wrong: string[];
  played: Played;
  /** Card events that were recorded. */
  events: number;
  /** The reached situations in words (`audit/reached.ts`). */
  reached: string[];
  /** Retried transactions. */
  conflicts: number;
}

/** Plays a script in a new world, ends all open chains, and audits the stored records. */
export async function prove(stage: ProofStage, script: Script): Promise<Proof> {
  const before = stage.conflicts();
  stage.market.moveTo(0);
  const world = await createWorld(stage.api);
  const played = await play(stage, world, script, (wave) => betweenWaves(stage, world, wave));
  if (played.faults.length === 0) await endAll(stage, played, script.length + 1);
  const { wrong, events, reached } = await audit(stage.api.database, played);
  const conflicts = stage.conflicts() - before;
  if (conflicts > 0)
    wrong.push(`${conflicts} transactions were in each other's way (deadlock or lost update)`);
  return { wrong, played, events, reached, conflicts };
}

/** Checks the invariants that one statement can check, which is cheap enough after every wave. */
async function betweenWaves(stage: Stage, world: World, wave: number): Promise<string[]> {
  const rows = await stage.api.database.query<{ id: string; what: string }>(
    `select c.id, format('%s, %s available, %s pending, %s set aside, reasons %s', c.status, l.available, l.pending, b.available,
                      c.freeze_reasons) as what
       from cards c join ledger_accounts l on l.id = c.id left join ledger_accounts b on b.id = c.buffer_account_id
       left join lateral (select sum(billing_authorized - billing_settled - billing_reversed) as held
                            from authorizations a where a.card_id = c.id) a on true
      where c.tenant_id = any($1)
        and (l.pending <> coalesce(a.held, 0) or (c.status = 'closed' and l.available <> 0)
             or (c.status = 'frozen') <> (cardinality(c.freeze_reasons) > 0)
             or (b.available <> 0 and (l.available < 0 or c.status not in ('active', 'frozen', 'closing')))
             or (c.status in ('active', 'frozen')
                 and (l.available < 0 or c.insufficient_asked) <> ('insufficient_funds' = any(c.freeze_reasons))))`,
    [world.tenants],
  );
  return rows.map(({ id, what }) => `after wave ${wave} card ${id} is ${what}`);
}

/** Cancels all holds and ends all issuances. Afterwards no account may hold money. */
async function endAll(stage: Stage, played: Played, wave: number): Promise<void> {
  const { world } = played;
  const open = await stage.api.database.query<{ card: string; reference: string }>(
    `select a.card_id as card, a.reference_id as reference from authorizations a join cards c on c.id = a.card_id
      where c.tenant_id = any($1) and not a.closed`,
    [world.tenants],
  );
  const nameless = {
    minor: null,
    currency: null,
    final: false,
    blockedMerchant: false,
    keyed: 0,
    stranger: false,
  } as const;
  const cancels = open.map(({ card, reference }, index): Operation => {
    const known = played.references.get(card) ?? [];
    if (!known.includes(reference)) played.references.set(card, [...known, reference]);
    return {
      ...nameless,
      do: 'cancel',
      card: world.cards.findIndex(({ id }) => id === card),
      chain: (played.references.get(card) ?? []).indexOf(reference),
      via: index % 2 === 0 ? 'transaction' : 'gathered',
    };
  });
  const issues = await issuesOfPending(stage, world);
  const carriedOut = played.operations.map(
    (_, operation): Operation => ({ do: 'carry out', operation, times: 1, stranger: false }),
  );
  await playWave(stage, played, [...cancels, ...issues, ...carriedOut], wave);
  await endClosures(stage, played, wave + 1);
  const held = await stage.api.database.query<{ id: string; pending: string }>(
    'select id, pending from ledger_accounts where tenant_id = any($1) and pending <> 0',
    [world.tenants],
  );
  played.faults.push(...held.map(({ id, pending }) => `everything has ended, but ${id} holds ${pending}`));
}

/** Ends all closures. Two waves are needed, because the processor confirms at the second question. */
async function endClosures(stage: Stage, played: Played, wave: number): Promise<void> {
  const { world } = played;
  const of = [world.tenants];
  const closing = await stage.api.database.query<{ id: string }>(
    `select id from cards where tenant_id = any($1) and status = 'closing'`,
    of,
  );
  const confirms = closing.map(
    ({ id }): Operation => ({ do: 'confirm', card: world.cards.findIndex((card) => card.id === id) }),
  );
  for (const each of [0, 1]) await playWave(stage, played, confirms, wave + each);
  const open = await stage.api.database.query<{ id: string; type: string }>(
    `select id, type from card_operations where tenant_id = any($1) and status in ('accepted', 'processing')`,
    of,
  );
  played.faults.push(...open.map(({ id, type }) => `everything has ended, but ${type} ${id} is open`));
}

async function issuesOfPending(stage: Stage, world: World): Promise<Operation[]> {
  const pending = await stage.api.database.query<{ id: string }>(
    `select id from cards where tenant_id = any($1) and status = 'pending'`,
    [world.tenants],
  );
  // The index of an issuing operation counts from the newest card.
  const indexes = pending.map(
    ({ id }) => world.cards.length - 1 - world.cards.findIndex((card) => card.id === id),
  );
  return indexes.map((card, at) => ({ do: at % 2 === 0 ? 'issue' : 'issue_failed', card, minor: 0 }));
}

/** The case as text: a line for each operation, then the problems. */
export function describeCase({ wrong, played }: Proof): string {
  const { cards, accounts } = played.world;
  const names = [
    ...cards.map((card) => [card.id, `${card.name} (${card.currency})`]),
    ...accounts.map(({ id, name }) => [id, name]),
  ];
  const named = (text: string) =>
    names.reduce((line, [id = '', name = '']) => line.replaceAll(id, name), text);
  return [
    ...played.lines,
    ...wrong.slice(0, 20).map((each) => `WRONG ${named(each)}`),
    ...(wrong.length > 20 ? [`… and ${wrong.length - 20} more`] : []),
  ].join('\n');
}
