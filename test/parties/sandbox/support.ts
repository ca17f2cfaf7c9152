import { randomUUID } from 'node:crypto';
import { Decimal } from '../../../src/kernel/money/money';
import { receivePayment } from '../../../src/parties/bank/sandbox/receive';
import type { ChangesPage, PartyChange, ReadChanges } from '../../../src/parties/protocol/changes';
import type { SandboxParty } from '../../../src/parties/sandbox/options';
import { type TestApi, type TestWiring, testApi } from '../../support/api';
import { type Receiver, startReceiver } from '../../support/outside/receiver';

/** The sandbox's parties over HTTP, with a clock that only tests move, and a receiver of callbacks. */
export interface SandboxWorld {
  api: TestApi;
  shop: Receiver;
  clock: { at: number };
  close(): Promise<void>;
}

export async function sandboxWorld(options: TestWiring = {}): Promise<SandboxWorld> {
  const clock = { at: Date.now() };
  const api = await testApi({ ...options, now: () => new Date(clock.at) });
  const shop = await startReceiver({ http: true });
  return { api, shop, clock, close: async () => void (await Promise.all([api.close(), shop.close()])) };
}

/** A record at a party: its id, its callback path and its present state. */
export interface PlacedOrder {
  ref: string;
  /** Path of the record's callbacks. */
  path: string;
  word(): Promise<Record<string, any>>;
}

/** Places an order with a magic value that selects the party's behaviour. Any other value is ordinary. */
export type Place = (world: SandboxWorld, magic: string) => Promise<PlacedOrder>;

const plain = (word: unknown): Record<string, any> => JSON.parse(JSON.stringify(word));

function placed({ shop }: SandboxWorld) {
  const path = `/${randomUUID()}`;
  return { key: `key-${randomUUID()}`, path, callbackUrl: shop.url + path };
}

export const session = async (world: SandboxWorld, magic: string, expiresSeconds = 60) => {
  const { checkout } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const made = await checkout.createSession({
    key,
    depositId: key,
    method: 'card',
    amount: new Decimal(magic),
    currency: 'EUR',
    merchant: 'Acme',
    expiresAt: new Date(world.clock.at + expiresSeconds * 1000),
    returnUrl: 'https://shop.example/',
    callbackUrl,
  });
  const ref = made.sessionId;
  return { ref, key, path, made, page: made.redirectUrl, word: async () => plain(await checkout.ask(ref)) };
};

export const payout: Place = async (world, magic) => {
  const { payouts } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const order = { key, method: 'sepa', amount: new Decimal(magic), currency: 'EUR', callbackUrl } as const;
  // An order that the magic value loses or delays is repeated, as the product does.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const answer = await payouts.order({ ...order, destination: {} }).catch((error: Error) => error.name);
    if (answer === 'PartyAway') world.clock.at += 30_000;
    if (typeof answer !== 'string') break;
  }
  return { ref: key, path, word: async () => plain(await payouts.ask(key)) };
};

export const cardOrder =
  (kind: 'topup' | 'withdrawal'): Place =>
  async (world, magic) => {
    const { externalCards } = world.api.services.parties;
    const { key, path, callbackUrl } = placed(world);
    const order = {
      key,
      token: magic,
      amount: new Decimal(100),
      currency: 'EUR',
      merchant: 'Acme',
      returnUrl: null,
      expiresAt: new Date(world.clock.at + 60_000),
      callbackUrl,
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await externalCards.order(kind, order).catch((error: Error) => error.name);
      if (answer === 'PartyAway') world.clock.at += 30_000;
      if (typeof answer !== 'string') break;
    }
    const word = async () => {
      const answer = await externalCards.ask(key);
      return plain(typeof answer === 'string' ? answer : answer.word);
    };
    return { ref: key, path, word };
  };

/** Repeats an order that the magic value loses or delays, as the product does. */
async function insisted(world: SandboxWorld, order: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const answer = await order().catch((error: Error) => error.name);
    if (answer === 'PartyAway') world.clock.at += 86_400_000;
    if (typeof answer !== 'string') return;
  }
  throw new Error('the order was never taken');
}

export const card: Place = async (world, magic) => {
  const { cardProcessor } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const order = { key, bin: '53112202', currency: 'EUR', cardholderId: 'chd_x', label: magic, callbackUrl };
  await insisted(world, () => cardProcessor.issue(order));
  return { ref: key, path, word: async () => plain(await cardProcessor.issuance(key)) };
};

/** The processor's id of an issued card. */
async function issuedReference(world: SandboxWorld, magic: string): Promise<string> {
  const { ref, word } = await card(world, magic);
  for (;;) {
    const { status, reference } = await word();
    if (status === 'issued') return String(reference);
    if (status !== 'processing') throw new Error(`${ref} is ${status}`);
    world.clock.at += 30_000;
  }
}

export const closure: Place = async (world, magic) => {
  const { cardProcessor } = world.api.services.parties;
  const reference = await issuedReference(world, magic);
  const { key, path, callbackUrl } = placed(world);
  await insisted(world, () => cardProcessor.close({ key, reference, callbackUrl }));
  return { ref: key, path, word: async () => plain(await cardProcessor.closure({ key, reference })) };
};

export const tokenization: Place = async (world, magic) => {
  const { cardProcessor } = world.api.services.parties;
  const reference = await issuedReference(world, magic);
  const { key, path, callbackUrl } = placed(world);
  await insisted(world, () => cardProcessor.tokenize({ key, reference, wallet: 'apple_pay', callbackUrl }));
  return { ref: key, path, word: async () => plain(await cardProcessor.tokenization({ key, reference })) };
};

export const application: Place = async (world, magic) => {
  const { cardholderReview } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const person = { lastName: 'Wrexham', accountPurpose: magic };
  const front = { slot: 'idFrontImg', contentType: 'image/jpeg', content: Buffer.from('a document') };
  const given = { key, cardholderId: 'chd_x', bin: '44112201', person, documents: [front], callbackUrl };
  await insisted(world, () => cardholderReview.submit(given));
  return { ref: key, path, word: async () => plain(await cardholderReview.outcome(key)) };
};

export const screening: Place = async (world, magic) => {
  const party = world.api.services.parties.screening;
  const { key, path, callbackUrl } = placed(world);
  const address = `0x${'1'.repeat(34)}${magic}`;
  const none = { accountId: null, ownAddress: null, txHash: null, ordinal: null, blockAt: null };
  const outbound = { direction: 'outbound', ...none } as const;
  const asked = { key, chain: 'local', asset: 'USDT', address, amount: new Decimal(25), callbackUrl };
  await insisted(world, () => party.screen({ ...outbound, ...asked }));
  return { ref: key, path, word: async () => plain(await party.outcome(key)) };
};

export const deal: Place = async (world, magic) => {
  const { exchange } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const order = { key, from: 'EUR', to: 'USD', amount: new Decimal(magic), callbackUrl };
  await insisted(world, () => exchange.order(order));
  return { ref: key, path, word: async () => plain(await exchange.askOrder(key)) };
};

export const withdrawal: Place = async (world, magic) => {
  const { exchange } = world.api.services.parties;
  const { key, path, callbackUrl } = placed(world);
  const order = { key, amount: new Decimal(magic), currency: 'EUR', callbackUrl };
  await insisted(world, () => exchange.withdraw({ ...order, destination: { name: 'Acme' } }));
  return { ref: key, path, word: async () => plain(await exchange.askWithdrawal(key)) };
};

export const credit: Place = async (world, magic) => {
  const { api, clock } = world;
  const { path, callbackUrl } = placed(world);
  const payment = { iban: 'LT000000000000000000', amount: new Decimal(magic), currency: 'EUR', mute: false };
  const ref = await api.database.transaction((tx) =>
    receivePayment(tx, payment, { callbackUrl, at: new Date(clock.at) }),
  );
  const word = async () => {
    const report = await api.services.parties.bank.ask(ref);
    return plain(typeof report === 'string' ? report : report.word);
  };
  return { ref, path, word };
};

export const changesOf = ({ api }: SandboxWorld, party: SandboxParty): ReadChanges => {
  const { checkout, payouts, externalCards, bank, exchange } = api.services.parties;
  const { cardProcessor, cardholderReview, screening: screener } = api.services.parties;
  const readers: Partial<Record<SandboxParty, { changes: ReadChanges }>> = {
    checkout,
    payouts,
    'external-cards': externalCards,
    bank,
    exchange,
    'card-processor': cardProcessor,
    'cardholder-review': cardholderReview,
    screening: screener,
  };
  const reader = readers[party];
  if (!reader) throw new Error(`${party} lists nothing`);
  return reader.changes;
};

/** All changes of a party after a cursor. */
export async function readAll(read: ReadChanges, after: string | null = null) {
  const changes: PartyChange[] = [];
  let page: ChangesPage = { changes, unreadable: [], next: after, more: true };
  while (page.more) {
    page = await read(page.next);
    if (page.unreadable.length > 0) throw new Error(page.unreadable.join());
    changes.push(...page.changes);
  }
  return { changes, place: page.next };
}
