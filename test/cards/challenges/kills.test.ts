/** @long ends processes and loses commits. */
import { createGatherer } from '../../../src/cards/events/batches/gather';
import { createProcessorLine } from '../../../src/cards/processor/answer-message';
import { createChallengeLine } from '../../../src/cards/processor/challenge-line';
import type { CardServices } from '../../../src/cards/services';
import type { Database } from '../../../src/kernel/db/database';
import { CommitUnknown } from '../../../src/kernel/db/faults';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { isChallengeMessage, readProcessorMessage } from '../../../src/parties/card-processor/message';
import { type Client, type TestApi, testApi } from '../../support/api';
import { atEachCall } from '../../support/broken-off';
import { cardBalance } from '../../support/cards';
import { type NetworkCard, networkCard, nextName } from '../processor/support';
import {
  approvedChallenge,
  challengeOf,
  MERCHANT,
  newestCode,
  readChallenge,
  sentChallenge,
  wrongCode,
} from './support';

/** Ends the process and loses the commit between each message of a challenge and its answer. */

let api: TestApi;
let client: Client;
let card: NetworkCard;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  card = await networkCard(api, client, '1000.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

/** The answer of a new process on this database. */
async function answerOf(database: Database, message: Record<string, unknown>): Promise<unknown> {
  const services: CardServices = {
    ...api.services,
    database,
    gatherer: createGatherer(database, api.services),
  };
  const read = readProcessorMessage(Buffer.from(JSON.stringify(message)));
  const answer = isChallengeMessage(read)
    ? createChallengeLine(services).answer(read)
    : createProcessorLine(services).answer(read);
  return JSON.parse((await answer).body);
}

/** A story: how it begins, and the answer that its message must get however often it is sent. */
interface Story {
  message: Record<string, unknown> & { challengeId: string };
  answer: unknown;
  /** Of the challenge afterwards: status, tries left, codes sent. */
  state: [string, number, number];
}

const about = (type: string, challengeId: string, given: object = {}) => ({
  messageId: nextName('km'),
  type,
  challengeId,
  ...given,
});

const STORIES: Record<string, () => Promise<Story>> = {
  challenge: async () => ({
    message: challengeOf(card),
    answer: { accepted: true, maskedDestination: expect.stringContaining('***@') },
    state: ['sending', 3, 1],
  }),
  'challenge.verify with the right code': async () => {
    const challengeId = await sentChallenge(api, card);
    const code = await newestCode(client);
    return {
      message: about('challenge.verify', challengeId, { code }),
      answer: { result: 'approved', triesLeft: 3 },
      state: ['approved', 0, 1],
    };
  },
  'challenge.verify with a wrong code': async () => {
    const challengeId = await sentChallenge(api, card);
    const code = wrongCode(await newestCode(client));
    return {
      message: about('challenge.verify', challengeId, { code }),
      answer: { result: 'failed', triesLeft: 2 },
      state: ['sent', 2, 1],
    };
  },
  'challenge.resend': async () => ({
    message: about('challenge.resend', await sentChallenge(api, card)),
    answer: { accepted: true, maskedDestination: expect.stringContaining('***@') },
    state: ['sending', 3, 2],
  }),
  'challenge.cancel': async () => ({
    message: about('challenge.cancel', await sentChallenge(api, card)),
    answer: { status: 'cancelled' },
    state: ['cancelled', 0, 1],
  }),
  authorization: async () => {
    const challengeId = await approvedChallenge(api, client, card);
    return {
      message: about('authorization', challengeId, {
        cardReference: card.reference,
        amount: '60.00',
        currency: 'USD',
        networkReference: nextName('network'),
        merchant: MERCHANT,
        channel: 'ecommerce',
        sentAt: new Date().toISOString(),
      }),
      answer: { approved: true, referenceId: expect.stringMatching(/^ref_/) },
      state: ['used', 0, 1],
    };
  },
};

const stateOf = async (challengeId: string) => {
  const { status, triesLeft, codesSent } = (await readChallenge(api, challengeId)).body;
  return [status, triesLeft, codesSent];
};

/** Sends the message of a story until it is answered, first to a process that fails. */
async function through(story: Story, failing: Database): Promise<void> {
  await answerOf(failing, story.message).catch(() => undefined);
  const answer = await answerOf(api.database, story.message);
  expect(answer).toEqual(story.answer);
  expect(await answerOf(api.database, story.message)).toEqual(answer);
  expect(await stateOf(story.message.challengeId)).toEqual(story.state);
}

describe.each(Object.keys(STORIES))('%s', (name) => {
  const begin = async () => {
    card = await networkCard(api, client, '1000.00');
    return (STORIES[name] as () => Promise<Story>)();
  };
  const expectHeld = async () =>
    expect(await cardBalance(client, card.id)).toBe(
      name === 'authorization' ? '940.00 60.00 0.00' : '1000.00 0.00 0.00',
    );

  it('is answered once when the process ends after each of its writes', async () => {
    const places = await atEachCall(api.services, async ({ database }) => {
      await through(await begin(), database);
      await expectHeld();
    });
    expect(places).toBeGreaterThan(0);
  });

  it.each(['committed', 'undone'] as const)('is answered once when its commit is lost: %s', async (fate) => {
    await through(await begin(), losingCommit(api.database, fate));
    await expectHeld();
  });
});

/** A database whose first commit gets no answer. */
function losingCommit(database: Database, fate: 'committed' | 'undone'): Database {
  let isLost = false;
  return {
    ...database,
    async transaction(work, options) {
      if (isLost) return database.transaction(work, options);
      isLost = true;
      await database
        .transaction(async (tx) => {
          await work(tx);
          if (fate === 'undone') throw new Error('undone');
        }, options)
        .catch(() => undefined);
      throw new CommitUnknown(new Error('the connection broke'));
    },
  };
}
