import { setTimeout as sleep } from 'node:timers/promises';
import { Decimal } from '../../../src/kernel/money/money';
import { receivePayment } from '../../../src/parties/bank/sandbox/receive';
import { CREDIT_CALLBACK_PATH } from '../../../src/transfers/iban/credits/kind';
import { jpeg } from '../../support/uploads';
import { liveOnChain } from '../chain/life';
import { checkingSettlement, liveMoney } from '../money';
import { ask } from '../persistent';
import { orderByQuote } from '../quotes';
import { liveACard, VARIANTS, type Variant } from '../scenario';
import type { Random } from './random';
import { counted, type Tally } from './tally';
import type { ChaosWorld } from './world';

/** The work of a run: lives of cards, transfers of every kind, a chain, an operator, and a client that watches its service. */
export interface Load {
  /** Lives of cards by name. */
  cards: Map<string, { variant: Variant; cardId: string }>;
  /** End statuses of transfers by the name of their life. */
  ends: Map<string, Record<string, string>>;
  /** Work that ended by an error. */
  failures: string[];
  /** Names of the lives that have begun and not ended. */
  open(): string[];
  /** Longest time without an answer to a client that asks once a second, in milliseconds. */
  longestGapMs(): number;
  /** Waits until each life has ended, and begins no other. @throws Error with the names of lives that go on after the time */
  stop(withinMs: number): Promise<void>;
}

/** Undisturbed lives, whose stories the other lives must have. */
export const MEASURE = 'measure';
const OPENING_IBAN = '40000000.00';
/** Between two lives of a lane. Work is dense enough that each fault meets some, and leaves time for the recovery. */
const PAUSE_MS = 1_000;

/** Begins with one undisturbed life of each variant, and then plays on until it is stopped. */
export async function startLoad(world: ChaosWorld, random: Random, tally: Tally): Promise<Load> {
  const cards: Load['cards'] = new Map();
  const [ends, failures]: [Load['ends'], string[]] = [new Map(), []];
  const { client, onChain, strategies, moneyed, usd } = world;
  let going = true;

  async function card(name: string, variant: Variant): Promise<void> {
    cards.set(name, { variant, cardId: await liveACard(client, usd, name, variant, tally) });
  }
  async function money(name: string): Promise<void> {
    ends.set(name, await liveMoney(client, moneyed, name, tally));
  }
  const chain = (name: string) =>
    counted(
      tally,
      'chain: three payments and their sweeps',
      () => liveOnChain(onChain, name, inTurn(name, strategies)),
      (strategy) => `swept, ${strategy}`,
    );
  await bePaid(world, OPENING_IBAN);
  await client.get(
    `/v1/corporate-banking/${moneyed.companyId}/account`,
    ({ balance }) => Number(balance.available) > 0,
  );
  const stopChecking = checkingSettlement(world.admin);
  await Promise.all([
    money(`${MEASURE}-money`),
    ...[...new Set(VARIANTS)].map((variant) => card(measureOf(variant), variant)),
  ]).catch(async (error: unknown) => {
    await stopChecking();
    throw error;
  });

  const gap = watchService(world, tally);
  const under = new Map<string, string>();
  const open = () => [...under.values()];
  async function lane(
    name: string,
    play: (turn: string) => Promise<unknown>,
    pauseMs = PAUSE_MS,
  ): Promise<void> {
    for (let turn = 0; going; turn += 1) {
      const life = `${name}-${turn}`;
      under.set(name, life);
      await play(life).catch((error: unknown) => failures.push(`${life}: ${String(error)}`));
      under.delete(name);
      await sleep(pauseMs);
    }
  }
  const variants = random.shuffled(VARIANTS);
  const lanes = [
    lane('cards', (life) => card(life, inTurn(life, variants))),
    lane('others', (life) => card(life, inTurn(life, variants))),
    lane('money', money),
    lane('chain', chain),
    lane('inside', (life) => moveInside(world, life, tally)),
    lane('credits', (life) => creditAndUpload(world, { life, random, tally })),
    lane('operator', () => work(world, tally), 5 * PAUSE_MS),
  ];

  return {
    cards,
    ends,
    failures,
    open,
    longestGapMs: gap.longestMs,
    async stop(withinMs) {
      going = false;
      const ended = Promise.all(lanes).then(() => true);
      const isEnded = await Promise.race([ended, sleep(withinMs, false, { ref: false })]);
      await gap.stop();
      await stopChecking();
      if (!isEnded) throw new Error(`these lives do not end: ${open().join(', ')}`);
    },
  };
}

/** @param life name that ends in the turn of its lane, such as `cards-7` */
const inTurn = <Each>(life: string, all: readonly Each[]): Each =>
  all[Number(life.split('-')[1]) % all.length] as Each;

export const measureOf = (variant: string): string => `${MEASURE}-${variant.replace(':', '-')}`;

/** The bank receives a payment and calls back. The parties may be away, and a payer then tries again. */
async function bePaid({ parties, iban, frontUrl }: ChaosWorld, amount: string): Promise<void> {
  const callbackUrl = frontUrl + CREDIT_CALLBACK_PATH;
  const payment = { iban, amount: new Decimal(amount), currency: 'EUR', mute: false };
  for (;;) {
    try {
      const at = new Date();
      await parties.database.transaction((tx) => receivePayment(tx, payment, { callbackUrl, at }));
      return;
    } catch {
      await sleep(PAUSE_MS);
    }
  }
}

/** An exchange and a transfer between the tenant's accounts. */
async function moveInside({ client, moneyed }: ChaosWorld, life: string, tally: Tally): Promise<void> {
  const { accountId: from, intoId: toAccountId } = moneyed;
  const path = `/v2/accounts/${from}`;
  const asked = {
    path: `${path}/exchange-quote`,
    body: { toAccountId, amount: '11.00' },
    key: `${life}/exchange`,
  };
  const exchange = () => orderByQuote(client, asked, { path: `${path}/exchanges` });
  await counted(tally, 'exchange between accounts', exchange, ({ status }) => `${status}`);
  const user = await client.send('POST', '/v1/users', { externalId: `${life}` }, `${life}/user`);
  const opened = await client.send(
    'POST',
    `/v1/users/${user.body.id}/accounts`,
    { currency: 'EUR' },
    `${life}/open`,
  );
  const given = { fromAccountId: from, toAccountId: opened.body.id, amount: '3.00' };
  const transfer = () => client.send('POST', '/v1/users/transfer', given, `${life}/transfer`);
  await counted(tally, 'internal transfer', transfer, ({ status }) => `${status}`);
}

interface Credits {
  life: string;
  random: Random;
  tally: Tally;
}

const DOCUMENT_BYTES = 20_000;

/** A payment to the virtual IBAN, and a document of a user. */
async function creditAndUpload(world: ChaosWorld, { life, random, tally }: Credits): Promise<void> {
  const { client } = world;
  const amount = `${random.between(10, 500)}.${random.between(10, 99)}`;
  const pay = () => bePaid(world, amount);
  await counted(tally, 'credit of a virtual IBAN', pay, () => 'received');
  const user = await client.send('POST', '/v1/users', { externalId: life }, `${life}/user`);
  const form = new FormData();
  form.append('slot', 'idFrontImg');
  form.append('file', new Blob([Uint8Array.from(jpeg('x'.repeat(DOCUMENT_BYTES)))]), 'photo.jpg');
  const upload = () =>
    client.send('POST', `/v1/users/${user.body.id}/kyc/documents`, form, `${life}/document`);
  await counted(tally, 'document', upload, ({ status }) => `${status}`);
}

/** An operator reads a list. The desk may be away for a while. */
async function work({ operator }: ChaosWorld, tally: Tally): Promise<void> {
  const read = () => operator('client', 'list', '--json').catch(() => ({ code: 1 }));
  await counted(tally, 'operator reads a list', read, ({ code }) => (code === 0 ? 'read' : 'away'));
}

const ASK_EVERY_MS = 1_000;
const ASK_WITHIN_MS = 5_000;

/** Asks for the accounts each second, without a repetition. */
function watchService({ frontUrl, credential }: ChaosWorld, tally: Tally) {
  let going = true;
  let longest = 0;
  let last = performance.now();
  const read = () =>
    Promise.race([
      ask({ baseUrl: frontUrl }, credential, 'GET', '/v1/accounts').then(({ status }) => status),
      sleep(ASK_WITHIN_MS, 0, { ref: false }),
    ]).catch(() => 0);
  const ended = (async () => {
    while (going) {
      const status = await counted(
        tally,
        'read without a repetition',
        read,
        (each) => `${each || 'no answer'}`,
      );
      longest = Math.max(longest, performance.now() - last - ASK_EVERY_MS);
      if (status === 200) last = performance.now();
      await sleep(ASK_EVERY_MS);
    }
  })();
  return {
    longestMs: () => longest,
    async stop() {
      going = false;
      await ended;
    },
  };
}
