import { openStage, type ProofStage, prove } from './run';
import type {
  CarryOutOperation,
  HolderOperation,
  IssuingOperation,
  NetworkOperation,
  PriceOperation,
  RequestOperation,
  Script,
  TakeOperation,
} from './script';

/** A script that reaches situations which random scripts seldom reach. The same audit checks it. */

let stage: ProofStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Index of the sixth card, the first one that the script issues. */
const NEW = 5;
const A2 = 1;
const way = { via: 'gathered', keyed: 0, stranger: false } as const;

const price = (of: PriceOperation['of'], card: number, minor: number, stranger = false): PriceOperation => ({
  do: 'price',
  of,
  card,
  minor,
  allocation: '0.5',
  stranger,
});
const take = (takers = 1, stranger = false): TakeOperation => ({ do: 'take', quote: 0, takers, stranger });
const carryOut = (times = 1, stranger = false): CarryOutOperation => ({
  do: 'carry out',
  operation: 0,
  times,
  stranger,
});
/** For the newest card. */
const issue = (type: IssuingOperation['do']): IssuingOperation => ({ do: type, card: 0, minor: 0 });
const request = (type: RequestOperation['do'], takers = 1, stranger = false): RequestOperation => ({
  do: type,
  card: NEW,
  minor: 100,
  takers,
  stranger,
});
const holder = (type: HolderOperation['do'], card: number): HolderOperation => ({
  do: type,
  card,
  minor: 100,
  reason: 'manual',
  ...way,
});
const network = (
  event: NetworkOperation['event'],
  minor: number,
  given: { reference: number; sent?: number; keyed?: number },
): NetworkOperation => ({
  do: 'network',
  event,
  card: NEW,
  minor,
  currency: null,
  sent: 0,
  final: false,
  blockedMerchant: false,
  ...way,
  ...given,
});
const confirm = { do: 'confirm', card: NEW } as const;

const LIFE: Script = [
  [price('issue', 0, 400), price('issue', 0, 400, true)],
  [take(1, true)],
  [take(3)],
  [carryOut(2), issue('issue')],
  // An authorization whose reversal came first.
  [network('reversal', 50, { reference: 0, sent: 5 })],
  [network('authorization', 50, { reference: 0, sent: 1, keyed: 2 })],
  // An authorization that draws on the buffer, and its release.
  [network('advice', 150, { reference: 3 })],
  [network('reversal', 150, { reference: 3, sent: 1 })],
  // The card has 2.00, with 2.00 set aside. The amounts exceed first the buffer, then all money.
  [network('advice', 250, { reference: 1 })],
  [network('clearing', 250, { reference: 2, keyed: 2 })],
  [network('clearing', 50, { reference: 2 })],
  // A funding sets money aside while the card has a debt.
  [price('topup', NEW, 200), price('topup', NEW, 200, true)],
  [take(2)],
  [carryOut(3), carryOut(1, true)],
  [holder('topup', NEW)],
  [request('ask to withdraw'), request('ask to withdraw', 1, true)],
  [holder('withdraw', NEW)],
  [carryOut(2)],
  // The card is closed before its accepted funding is carried out.
  [price('topup', A2, 200)],
  [take()],
  [holder('close', A2)],
  [carryOut(2)],
  [request('ask to close', 1, true)],
  [request('ask to close', 3)],
  [confirm],
  [confirm, carryOut(2)],
  [price('issue', 0, 400)],
  [take()],
  [issue('issue_failed'), carryOut()],
];

it('reaches every situation of a buffered card on a network, and all balances add up', async () => {
  const { wrong, reached, played } = await prove(stage, LIFE);
  expect([...wrong, ...(wrong.length > 0 ? played.lines : [])]).toEqual([]);
  expect([...new Set(reached)]).toEqual(
    expect.arrayContaining([
      ...['issue completed', 'issue failed refused'],
      ...['topup completed', 'topup failed card_closed', 'withdraw completed', 'close completed'],
      ...[
        'a buffer is drawn',
        'a buffer is filled again',
        'a buffer pays what is owed',
        'a buffer goes back',
      ],
      ...['reversal: nothing', 'authorization: authorization', 'released at once'],
      ...['advice: authorization', 'clearing: settle'],
    ]),
  );
  const told = (text: string) => played.lines.filter((line) => line.includes(text)).length;
  expect([told('quote_used'), told('404 not_found')]).toEqual([2, 6]);
});
