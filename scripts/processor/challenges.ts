import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cardwright } from '../../client/src';
import type { Done } from './books';
import { issueCards, type PlayedCard, type Processor } from './cards';
import { answered, type Line, statusOfChallenge } from './send';

/** Plays internet purchases whose payer is challenged by 3-D Secure, and checks each answer. */

export interface ChallengedPurchases extends Line {
  /** Reads the tenant's mailbox in the sandbox. */
  client: Cardwright;
  /** The card of each story. */
  cards: ReadonlyMap<StoryName, PlayedCard>;
}

export interface PlayedChallenges {
  /** Results of purchases by card. */
  transactions: Map<string, Done[][]>;
  /** Violations, each as a line. */
  wrong: string[];
}

/** Longer than a mail may take before its challenge is unavailable. Milliseconds. */
const PATIENCE_MS = 75_000;
const MINOR = 6_000;

interface Challenge {
  challengeId: string;
  /** The story's own merchant, by which its mail is found. */
  merchant: { id: string; name: string; country: string };
}

interface Actor {
  open(expiresInMs?: number): Promise<Challenge>;
  /** Returns the mailed code. */
  code(challenge: Challenge): Promise<string>;
  /** Verifies a code. @returns the result and the tries left, as `approved 3` */
  verify(challenge: Challenge, code: string, messageId?: string): Promise<string>;
  cancel(challenge: Challenge): Promise<string>;
  /** Pays. @returns `approved`, or the reason of the decline */
  pay(challenge: Challenge, given?: { minor?: number; merchant?: Challenge['merchant'] }): Promise<string>;
  /** Waits until the challenge has this status. */
  becomes(challenge: Challenge, status: string): Promise<void>;
  is(what: string, got: string, expected: string): void;
}

const DECLINED = 'authentication_required';
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const STORIES = {
  async approved({ open, code, verify, pay, is, becomes }) {
    const challenge = await open();
    is('the right code', await verify(challenge, await code(challenge)), 'approved 3');
    is('the purchase', await pay(challenge), 'approved');
    await becomes(challenge, 'used');
    is('a second purchase', await pay(challenge, { minor: 100 }), DECLINED);
  },
  async 'wrong code thrice'({ open, code, verify, pay, is, becomes }) {
    const challenge = await open();
    const right = await code(challenge);
    for (const left of [2, 1, 0])
      is('a wrong code', await verify(challenge, wrongCode(right)), `failed ${left}`);
    is('the right code, too late', await verify(challenge, right), 'failed 0');
    await becomes(challenge, 'failed');
    is('the purchase', await pay(challenge), DECLINED);
  },
  async expired({ open, verify, pay, is, becomes }) {
    const challenge = await open(3_000);
    await becomes(challenge, 'expired');
    is('a code, too late', await verify(challenge, '123456'), 'expired 0');
    is('the purchase', await pay(challenge), DECLINED);
  },
  async cancelled({ open, code, verify, cancel, pay, is }) {
    const challenge = await open();
    const right = await code(challenge);
    is('the cancellation', await cancel(challenge), 'cancelled');
    is('the right code', await verify(challenge, right), 'cancelled 0');
    is('the purchase', await pay(challenge), DECLINED);
  },
  async 'mail server away'({ open, verify, pay, is, becomes }) {
    const challenge = await open();
    await becomes(challenge, 'unavailable');
    is('a code', await verify(challenge, '123456'), 'expired 0');
    is('the purchase', await pay(challenge), DECLINED);
  },
  async 'verified twice'({ open, code, verify, pay, is }) {
    const challenge = await open();
    const right = await code(challenge);
    const messageId = randomUUID();
    is('the right code', await verify(challenge, right, messageId), 'approved 3');
    is('its repeat, with another code', await verify(challenge, wrongCode(right), messageId), 'approved 3');
    is('the right code again', await verify(challenge, right), 'approved 3');
    is('the purchase', await pay(challenge), 'approved');
    is('the right code after it', await verify(challenge, right), 'approved 3');
    is('a second purchase', await pay(challenge), DECLINED);
  },
  async 'code of another challenge'({ open, code, verify, pay, is }) {
    const [one, other] = [await open(), await open()];
    const [ofOne, ofOther] = [await code(one), await code(other)];
    if (ofOne !== ofOther) is('the code of another', await verify(one, ofOther), 'failed 2');
    is('the purchase', await pay(one), DECLINED);
    is('its own code', await verify(one, ofOne), ofOne === ofOther ? 'approved 3' : 'approved 2');
    is('the purchase, then', await pay(one), 'approved');
  },
  async 'another amount'({ open, code, verify, pay, is }) {
    const challenge = await open();
    is('the right code', await verify(challenge, await code(challenge)), 'approved 3');
    is('a larger purchase', await pay(challenge, { minor: MINOR + 1 }), DECLINED);
    is('a smaller purchase', await pay(challenge, { minor: MINOR - 1 }), 'approved');
  },
  async 'another merchant'({ open, code, verify, pay, is }) {
    const challenge = await open();
    is('the right code', await verify(challenge, await code(challenge)), 'approved 3');
    const merchant = { ...challenge.merchant, id: randomUUID() };
    is('a purchase of another merchant', await pay(challenge, { merchant }), DECLINED);
    is('the purchase', await pay(challenge), 'approved');
  },
} satisfies Record<string, (actor: Actor) => Promise<void>>;

type StoryName = keyof typeof STORIES;
const STORY_NAMES = Object.keys(STORIES) as StoryName[];

/** Issues a card for each story. The cardholder's address decides whether mail arrives. */
export async function issueChallengedCards(
  client: Cardwright,
  admin: Cardwright,
  processor: Processor,
): Promise<Map<StoryName, PlayedCard>> {
  const cards = new Map<StoryName, PlayedCard>();
  for (const name of STORY_NAMES) {
    const mailbox = name === 'mail server away' ? 'mail-away' : 'ada';
    const [card] = await issueCards(client, admin, processor, 1, mailbox);
    cards.set(name, card as PlayedCard);
  }
  return cards;
}

/** Plays all stories at the same time. A failing story reports its failure and ends alone. */
export async function playChallenges(playing: ChallengedPurchases): Promise<PlayedChallenges> {
  const played: PlayedChallenges = { transactions: new Map(), wrong: [] };
  await Promise.all(
    [...playing.cards].map(([name, { reference }]) =>
      STORIES[name](actorOf(playing, played, name, reference)).catch(
        (error: unknown) => void played.wrong.push(`${name}: ${String(error)}`),
      ),
    ),
  );
  return played;
}

function actorOf(
  playing: ChallengedPurchases,
  played: PlayedChallenges,
  name: StoryName,
  card: string,
): Actor {
  const transactions: Done[][] = [];
  played.transactions.set(card, transactions);

  async function tell<T>(type: string, given: object, messageId: string = randomUUID()): Promise<T> {
    const message = JSON.stringify({ messageId, type, ...given });
    return JSON.parse((await answered(playing, type, message)).text) as T;
  }

  return {
    async open(expiresInMs = 600_000) {
      const challengeId = `acs-${randomUUID()}`;
      const merchant = { id: randomUUID(), name: `Shop ${challengeId}`, country: 'AT' };
      const answer = await tell<{ accepted: boolean; reason?: string }>('challenge', {
        challengeId,
        cardReference: card,
        ...amountOf(MINOR),
        merchant,
        expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
      });
      if (!answer.accepted) throw new Error(`the challenge was not accepted: ${answer.reason}`);
      return { challengeId, merchant };
    },
    code: ({ merchant }) => waitFor(() => mailedCode(playing, merchant.name), 'a mail'),
    async verify({ challengeId }, code, messageId) {
      const given = { challengeId, code };
      const answer = await tell<{ result: string; triesLeft: number }>('challenge.verify', given, messageId);
      return `${answer.result} ${answer.triesLeft}`;
    },
    cancel: async ({ challengeId }) =>
      (await tell<{ status: string }>('challenge.cancel', { challengeId })).status,
    async pay({ challengeId, ...challenge }, { minor = MINOR, merchant = challenge.merchant } = {}) {
      const answer = await tell<{ approved: boolean; declineReason?: string }>('authorization', {
        cardReference: card,
        ...amountOf(minor),
        networkReference: randomUUID(),
        merchant,
        channel: 'ecommerce',
        challengeId,
        sentAt: new Date().toISOString(),
      });
      transactions.push([{ type: 'authorization', minor, sent: 0, approved: answer.approved }]);
      return answer.approved ? 'approved' : (answer.declineReason ?? 'declined');
    },
    async becomes({ challengeId }, status) {
      let last = '';
      const reached = async () =>
        (last = await statusOfChallenge(playing, challengeId)) === status ? status : undefined;
      await waitFor(reached, `status ${status}`).catch((error: Error) => {
        throw new Error(`${error.message}: it is ${last}`);
      });
    },
    is(what, got, expected) {
      if (got !== expected) played.wrong.push(`${name}: ${what} was answered ${got}, not ${expected}`);
    },
  };
}

const amountOf = (minor: number) => ({ amount: (minor / 100).toFixed(2), currency: 'USD' });

async function mailedCode({ client }: ChallengedPurchases, merchant: string): Promise<string | undefined> {
  const { mails } = await client.getMailbox();
  const mail = mails.find(({ text }) => text.includes(merchant));
  return mail && /^\d{6}$/m.exec(mail.text)?.[0];
}

async function waitFor<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(250)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
  }
}
