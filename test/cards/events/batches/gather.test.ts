import { createGatherer } from '../../../../src/cards/events/batches/gather';
import type { Message } from '../../../../src/cards/events/record';
import type { Database } from '../../../../src/kernel/db/database';
import { CommitUnknown } from '../../../../src/kernel/db/faults';
import { keyIn } from '../../../../src/kernel/idempotency';
import { newId } from '../../../../src/kernel/ids';
import { Decimal } from '../../../../src/kernel/money/money';
import { type TestApi, testApi } from '../../../support/api';
import { activeCard } from '../../../support/cards';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const render = { render: () => ({ status: 201, body: '' }), refuse: () => ({ status: 409, body: '' }) };

/** Submits declines of 1.00, each under its own key if `keyed`. @returns the status or error of each caller */
function declines(database: Database, cards: { id: string; tenantId: string }[], keyed: boolean) {
  const gatherer = createGatherer(database, api.services);
  return Promise.all(
    cards.map(({ id: cardId, tenantId }) => {
      const message: Message = { type: 'decline', cardId, reach: null, amount: new Decimal('1.00') };
      const key = keyIn({
        tenantId,
        scope: 'POST /test',
        key: newId('event'),
        fingerprint: Buffer.alloc(32),
        permanent: false,
      });
      return gatherer.submit({ message, ...(keyed && { key }), ...render }).then(
        ({ status }) => status,
        (error: Error & { code?: string }) => error.code ?? error.name,
      );
    }),
  );
}

async function cardsOfTwo() {
  const clients = [await api.client(), await api.client()];
  return Promise.all(
    clients.map(async (client) => ({ id: (await activeCard(api, client)).id, tenantId: client.clientId })),
  );
}

async function recorded(cards: { id: string }[]): Promise<number> {
  const [row] = await api.database.query<{ count: string }>(
    `select count(*) from card_transactions where type = 'decline' and card_id = any($1)`,
    [cards.map(({ id }) => id)],
  );
  return Number(row?.count);
}

/** Breaks the connection in the first commit: before Postgres has committed, or after. */
function breaking(database: Database, when: 'before' | 'after'): Database {
  let broken = false;
  return {
    ...database,
    async transaction(work, options) {
      if (broken) return database.transaction(work, options);
      broken = true;
      if (when === 'after') await database.transaction(work, options);
      throw new CommitUnknown(new Error('the connection broke'));
    },
  };
}

describe('a batch whose commit is unknown', () => {
  it('is answered with the answers stored under its keys', async () => {
    const cards = await cardsOfTwo();
    expect(await declines(breaking(api.database, 'after'), cards, true)).toEqual([201, 201]);
    expect(await recorded(cards)).toBe(2);
  });

  it('counts as not executed when its keys have no answer', async () => {
    const cards = await cardsOfTwo();
    expect(await declines(breaking(api.database, 'before'), cards, true)).toEqual([
      'DatabaseAway',
      'DatabaseAway',
    ]);
    expect(await recorded(cards)).toBe(0);
  });

  it('stays unknown without keys', async () => {
    const cards = await cardsOfTwo();
    expect(await declines(breaking(api.database, 'after'), cards, false)).toEqual([
      'CommitUnknown',
      'CommitUnknown',
    ]);
    expect(await recorded(cards)).toBe(2);
  });
});

// A batch of eight sends the ledger's writes before the others.
it.each([
  { messages: 2, table: 'card_transactions', column: 'card_id', event: 'insert' },
  { messages: 8, table: 'card_transactions', column: 'card_id', event: 'insert' },
  { messages: 8, table: 'ledger_accounts', column: 'id', event: 'update' },
])('a write to $table that Postgres refuses fails its own message only, of $messages', async (given) => {
  const { messages, table, column, event } = given;
  const [poor, other] = await cardsOfTwo();
  await api.database.query(`create or replace function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused'; end $$`);
  await api.database.query(
    `create trigger poisoned before ${event} on ${table} for each row when (new.${column} = '${poor!.id}')
       execute function refuse()`,
  );
  const cards = [poor!, ...Array.from({ length: messages - 1 }, () => other!)];
  const [refused, ...done] = await declines(api.database, cards, true);
  await api.database.query(`drop trigger poisoned on ${table}`);
  expect(done).toEqual(done.map(() => 201));
  expect(refused).not.toBe(201);
  expect(await recorded([poor!, other!])).toBe(messages - 1);
});

it('a message whose sender no longer waits is not judged', async () => {
  const [card] = await cardsOfTwo();
  const gatherer = createGatherer(api.database, api.services);
  const message: Message = { type: 'decline', cardId: card!.id, reach: null, amount: new Decimal('1.00') };
  await expect(gatherer.submit({ message, patienceMs: -1, ...render })).rejects.toMatchObject({
    name: 'DatabaseAway',
  });
  expect(await recorded([card!])).toBe(0);
});

/** Holds a lock of the statement until it is released. */
async function whileHeld<T>(
  statement: string,
  id: string,
  work: (letGo: () => void) => Promise<T>,
): Promise<T> {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let began: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => (began = resolve));
  const holding = api.database.transaction(async (tx) => {
    await tx.query(statement, [id]);
    began();
    await held;
  });
  await locked;
  try {
    return await work(letGo);
  } finally {
    letGo();
    await holding;
  }
}

const LOCKS = [
  ['a card', 'select 1 from cards where id = $1 for update'],
  [
    'a master account',
    `select 1 from ledger_accounts where id = (select master_account_id from cards where id = $1) for update`,
  ],
] as const;

it.each(LOCKS)('%s delays only its own tenant while it is locked @long', async (_what, statement) => {
  const [held, free] = await cardsOfTwo();
  const gatherer = createGatherer(api.database, api.services);
  const ended: string[] = [];
  const decline = async ({ id: cardId, tenantId: reach }: { id: string; tenantId: string }, name: string) => {
    const message: Message = { type: 'decline', cardId, reach, amount: new Decimal('1.00') };
    const { status } = await gatherer.submit({ message, ...render });
    ended.push(`${name} ${status}`);
  };
  await whileHeld(statement, held!.id, async (letGo) => {
    const waiting = [decline(held!, 'held')];
    // The first message is in the same batch and waits; no other does.
    await decline(free!, 'free');
    waiting.push(decline(held!, 'held too'));
    await decline(free!, 'free again');
    letGo();
    await Promise.all(waiting);
  });
  expect(ended).toEqual(['free 201', 'free again 201', 'held 201', 'held too 201']);
});

it('a card that is locked for too long fails its own message only @long', async () => {
  const [held, free] = await cardsOfTwo();
  const answers = await whileHeld(LOCKS[0][1], held!.id, () => declines(api.database, [held!, free!], false));
  expect(answers).toEqual(['DatabaseAway', 201]);
});
