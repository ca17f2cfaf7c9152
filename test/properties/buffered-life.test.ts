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

/** One life, written by hand, that comes to what random ones seldom do: the same audit judges it. */

let stage: ProofStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** The sixth of a world: the first that a script asks for. */
const NEW = 5;
const A2 = 1;
const way = { via: 'gathered', keyed: 0, stranger: false } as const;

const price = (of: PriceOperation['of'], card: number, minor: number, stranger = false): PriceOperation => ({
  ...{ do: 'price', of, card, minor, allocation: '0.5', stranger },
});
const take = (takers = 1, stranger = false): TakeOperation => ({ do: 'take', quote: 0, takers, stranger });
const carryOut = (times = 1, stranger = false): CarryOutOperation => ({
  ...{ do: 'carry out', operation: 0, times, stranger },
});
/** The newest card. */
const issue = (type: IssuingOperation['do']): IssuingOperation => ({ do: type, card: 0, minor: 0 });
const request = (type: RequestOperation['do'], takers = 1, stranger = false): RequestOperation => ({
  ...{ do: type, card: NEW, minor: 100, takers, stranger },
});
const holder = (type: HolderOperation['do'], card: number): HolderOperation => ({
  ...{ do: type, card, minor: 100, reason: 'manual', ...way },
});
const network = (
  event: NetworkOperation['event'],
  minor: number,
  given: { reference: number; sent?: number; keyed?: number },
): NetworkOperation => ({
  ...{
    do: 'network',
    event,
    card: NEW,
    minor,
    currency: null,
    sent: 0,
    final: false,
    blockedMerchant: false,
  },
  ...way,
  ...given,
});
const confirm = { do: 'confirm', card: NEW } as const;

const LIFE: Script = [
  [price('issue', 0, 400), price('issue', 0, 400, true)],
  [take(1, true)],
  [take(3)],
  [carryOut(2), issue('issue')],
  // Reversed before it was held.
  [network('reversal', 50, { reference: 0, sent: 5 })],
  [network('authorization', 50, { reference: 0, sent: 1, keyed: 2 })],
  // Drawn from the buffer, and released.
  [network('advice', 150, { reference: 3 })],
  [network('reversal', 150, { reference: 3, sent: 1 })],
  // 2.00 and 2.00 set aside: more than is set aside, then more than there is.
  [network('advice', 250, { reference: 1 })],
  [network('clearing', 250, { reference: 2, keyed: 2 })],
  [network('clearing', 50, { reference: 2 })],
  // Set aside while it owes.
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

it('comes to all that a card with a buffer and a network can come to, and all adds up', async () => {
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
