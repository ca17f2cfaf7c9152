import fc from 'fast-check';
import type {
  AccountOperation,
  AgainOperation,
  CarryOutOperation,
  ChainChoice,
  ConfirmOperation,
  ExpiryOperation,
  HolderOperation,
  IssuingOperation,
  LimitsOperation,
  MarketOperation,
  NetworkOperation,
  Operation,
  PriceOperation,
  ProcessorOperation,
  RequestOperation,
  Script,
  TakeOperation,
  UserOperation,
  Via,
} from './script';

/** An index that prefers the first two cards, accounts and users, so that many operations meet on them. */
const index = fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, { weight: 2, arbitrary: fc.nat(7) });

type Weighted<T> = [weight: number, arbitrary: fc.Arbitrary<T>];

function among<T>(...choices: Weighted<T>[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const rarely = (oneIn: number) => among<boolean>([oneIn - 1, fc.constant(false)], [1, fc.constant(true)]);

/** Minor units: small amounts that soon use up the balances, and seldom an absurd one. */
const minor = among(
  [20, fc.integer({ min: 1, max: 9 })],
  [60, fc.integer({ min: 10, max: 900 })],
  [15, fc.integer({ min: 900, max: 3_000 })],
  [1, fc.constant(99_999_999_999_999)],
);
/** Mostly enough for several operations. */
const plenty = among<number>([1, minor], [2, fc.integer({ min: 500, max: 4_000 })]);
/** Mostly less than the authorized amount. */
const part = among<number>([1, minor], [3, fc.integer({ min: 1, max: 250 })]);
const partOrAll = among<number | null>([5, part], [2, fc.constant(null)]);

/** Mostly the card's own. The others have 0, 2 or 3 decimals and very different values. */
const currency = among<string | null>(
  [6, fc.constant(null)],
  [4, fc.constantFrom('USD', 'EUR', 'JPY', 'KWD')],
);

const age = among([8, fc.constant(0)], [6, fc.nat(4)], [1, fc.nat(60)]);
const via = fc.constantFrom<Via>('transaction', 'gathered', 'gathered elsewhere');
const way = {
  via,
  keyed: among([3, fc.constant(0)], [2, fc.constant(1)], [1, fc.integer({ min: 2, max: 4 })]),
  stranger: rarely(15),
};

/** Weights: messages that name a known chain, no chain, or an unknown chain. */
const chain = (known: number, none: number, unknown: number) =>
  among<ChainChoice>([known, age], [none, fc.constant('none')], [unknown, fc.constant('unknown')]);

const usual = {
  card: index,
  currency,
  final: fc.constant(false),
  blockedMerchant: fc.constant(false),
  ...way,
};

const processor = (type: ProcessorOperation['do'], given: Partial<Arbitraries<ProcessorOperation>>) =>
  fc.record<ProcessorOperation>({
    ...usual,
    do: fc.constant(type),
    minor: part,
    chain: fc.constant('none'),
    ...given,
  });

/** Few transactions of a card and few minutes, so that messages repeat and overtake each other. */
const network = (event: NetworkOperation['event'], given: Partial<Arbitraries<NetworkOperation>> = {}) =>
  fc.record<NetworkOperation>({
    ...usual,
    do: fc.constant('network'),
    event: fc.constant(event),
    minor: part,
    currency: among<string | null>([9, fc.constant(null)], [1, fc.constantFrom('EUR', 'JPY')]),
    reference: fc.nat(3),
    sent: fc.nat(12),
    ...given,
  });

type Arbitraries<T> = { [Field in keyof T]: fc.Arbitrary<T[Field]> };

const holder = (type: HolderOperation['do'], amount: fc.Arbitrary<number> = minor) =>
  fc.record<HolderOperation>({
    do: fc.constant(type),
    card: index,
    minor: amount,
    reason: fc.constantFrom('manual', 'manual', 'risk', 'insufficient_funds'),
    ...way,
  });

const issuing = (type: IssuingOperation['do']) =>
  fc.record<IssuingOperation>({ do: fc.constant(type), card: index, minor });

const account = (type: AccountOperation['do'], amount: fc.Arbitrary<number> = minor) =>
  fc.record<AccountOperation>({
    do: fc.constant(type),
    account: index,
    to: fc.nat(3),
    minor: amount,
    stranger: rarely(10),
  });

const stranger = rarely(10);
const takers = among([4, fc.constant(1)], [2, fc.constant(2)], [1, fc.constant(3)]);
const price = (of: PriceOperation['of'], amount: fc.Arbitrary<number> = minor) =>
  fc.record<PriceOperation>({
    do: fc.constant('price'),
    of: fc.constant(of),
    card: index,
    minor: amount,
    allocation: fc.constantFrom('0', '0.1', '0.333', '0.5', '0.5', '0.5'),
    stranger,
  });
const take = fc.record<TakeOperation>({ do: fc.constant('take'), quote: fc.nat(2), takers, stranger });
const request = (type: RequestOperation['do']) =>
  fc.record<RequestOperation>({ do: fc.constant(type), card: index, minor: part, takers, stranger });
const carryOut = fc.record<CarryOutOperation>({
  do: fc.constant('carry out'),
  operation: fc.nat(3),
  times: takers,
  stranger,
});
const confirm = fc.record<ConfirmOperation>({ do: fc.constant('confirm'), card: index });

const expiry = fc.record<ExpiryOperation>({ do: fc.constant('expire'), card: index, chain: age });
const user = (type: UserOperation['do']) => fc.record<UserOperation>({ do: fc.constant(type), user: index });
const limits = fc.record<LimitsOperation>({
  do: fc.constant('limits'),
  of: fc.constantFrom('card', 'card', 'user'),
  subject: index,
  minor: among<number | null>([2, fc.integer({ min: 500, max: 9_000 })], [1, fc.constant(null)]),
});
const again = fc.record<AgainOperation>({
  do: fc.constant('again'),
  of: fc.nat(9),
  via,
  altered: rarely(5),
});
const market = fc.record<MarketOperation>({ do: fc.constant('market'), epoch: fc.nat(3) });

const operation = among<Operation>(
  [90, processor('authorization', { minor, chain: chain(8, 40, 1), blockedMerchant: rarely(40) })],
  [34, processor('settle', { minor: partOrAll, chain: chain(40, 1, 1), final: rarely(4) })],
  [16, processor('cancel', { minor: partOrAll, chain: chain(15, 0, 1) })],
  [20, processor('refund', { chain: chain(20, 5, 1) })],
  [4, processor('decline', {})],
  [30, holder('topup', plenty)],
  [12, holder('withdraw')],
  [3, holder('freeze')],
  [14, holder('unfreeze')],
  [1, holder('close')],
  [16, network('authorization', { minor, blockedMerchant: rarely(40) })],
  [5, network('advice')],
  [16, network('clearing', { final: rarely(4) })],
  [10, network('reversal')],
  [5, network('refund')],
  [22, price('topup', plenty)],
  [10, price('issue')],
  [40, take],
  [5, request('ask to withdraw')],
  [2, request('ask to close')],
  [36, carryOut],
  [5, confirm],
  [6, issuing('ask')],
  [8, issuing('issue')],
  [2, issuing('issue_failed')],
  [12, expiry],
  [10, account('transfer')],
  [8, account('exchange')],
  [20, account('deposit', plenty)],
  [5, account('withdrawal')],
  [1, user('block')],
  [14, user('unblock')],
  [8, limits],
  [12, again],
  [3, market],
);

/**
 * @param waves the most waves of a script
 * @param width the most operations of a wave, which run at once
 */
export function scripts(waves: number, width: number): fc.Arbitrary<Script> {
  const wave = fc.array(operation, { minLength: 1, maxLength: width, size: 'max' });
  return fc.array(wave, { minLength: 1, maxLength: waves, size: 'max' });
}
