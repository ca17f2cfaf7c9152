import type { OrderFaults } from '../../sandbox/orders/book';

/**
 * How the sandbox's acquirer treats a charge or a push. Only the card's token decides, so that a client can try every
 * path.
 */
export interface CardScenario extends OrderFaults {
  token: string;
  /** For docs/sandbox.md: what a client sees of a top-up and of a withdrawal. */
  effect: string;
  /** The payer must confirm a charge on the acquirer's page. A push needs no confirmation. */
  requiresAction?: true;
  /** The code with which a taken order fails, after {@link decisionSeconds}. */
  refusal?: string;
  /** Seconds from the order (or the payer's confirmation) to the decision, instead of the acquirer's own delay. */
  decisionSeconds?: number;
  /** A refused push leaves first, and its money then comes back. */
  acceptsFirst?: true;
  /** Seconds after the decision until the amount goes back. `returnedShare` is the part that does. */
  returnSeconds?: number;
  returnedShare?: string;
  /** Seconds after the decision until the returned money arrives again, because the dispute is won. */
  wonSeconds?: number;
  /** Seconds after the success until the acquirer withdraws it. */
  undoneSeconds?: number;
  /** Seconds after the refusal until the order succeeds after all. */
  arrivesLateSeconds?: number;
}

export const CARD_SCENARIOS: readonly CardScenario[] = [
  { token: 'tok_visa', effect: '`processing`, then `completed` at once.' },
  { token: 'tok_mastercard', effect: 'The same.' },
  {
    token: 'tok_3ds',
    effect:
      'A top-up is `requires_action`: the payer confirms or refuses on the page that `redirectUrl` leads to. A withdrawal is `completed` at once.',
    requiresAction: true,
  },
  {
    token: 'tok_3ds_declined',
    effect:
      'The same, and after the confirmation the card is declined: `failed` with `card_declined`. A withdrawal fails too.',
    requiresAction: true,
    refusal: 'card_declined',
  },
  {
    token: 'tok_declined',
    effect: '`failed` with `card_declined`; the hold of a withdrawal is released.',
    refusal: 'card_declined',
  },
  {
    token: 'tok_insufficient_funds',
    effect: '`failed` with `insufficient_card_funds`.',
    refusal: 'insufficient_card_funds',
  },
  {
    token: 'tok_refused',
    effect: 'The acquirer does not take the order: `failed` with `card_not_supported`.',
    orderRefusal: 'card_not_supported',
  },
  { token: 'tok_slow', effect: '`processing` for 20 seconds, then `completed`.', decisionSeconds: 20 },
  {
    token: 'tok_slow_declined',
    effect:
      '`processing` for 20 seconds; then a top-up is `failed`, and a withdrawal `returned`: it had left.',
    decisionSeconds: 20,
    refusal: 'card_declined',
    acceptsFirst: true,
  },
  {
    token: 'tok_chargeback',
    effect: '`completed`; 5 seconds later a top-up is charged back, and a withdrawal comes back: `returned`.',
    returnSeconds: 5,
  },
  {
    token: 'tok_partial_return',
    effect: 'The same with 40 % of the amount.',
    returnSeconds: 5,
    returnedShare: '0.4',
  },
  {
    token: 'tok_chargeback_won',
    effect: 'A top-up is charged back after 5 seconds, and 5 seconds later the dispute is won: `completed`.',
    returnSeconds: 5,
    wonSeconds: 10,
  },
  {
    token: 'tok_late',
    effect:
      '`failed`; 5 seconds later it has succeeded after all: a top-up’s money waits for the operator, a withdrawal is taken and `completed`.',
    refusal: 'no_answer_of_the_bank',
    arrivesLateSeconds: 5,
  },
  {
    token: 'tok_undone',
    effect:
      '`completed`; 5 seconds later the acquirer says that it has failed and that no money has moved after all: `returned`.',
    undoneSeconds: 5,
  },
  {
    token: 'tok_timeout',
    effect:
      'The acquirer takes the order and the answer is lost: we ask for the order, and it is executed once.',
    losesFirstAnswer: true,
  },
  {
    token: 'tok_unreachable',
    effect: 'The acquirer cannot be reached for 15 seconds: `pending`, then `completed`.',
    unreachableSeconds: 15,
  },
  {
    token: 'tok_stutter',
    effect: '`completed`; each callback comes twice, with a forged one.',
    repeatsCallbacks: true,
  },
  {
    token: 'tok_mute',
    effect: '`completed`, though no callback comes: the acquirer is asked.',
    sendsNoCallbacks: true,
  },
];

const byToken = new Map(CARD_SCENARIOS.map((scenario) => [scenario.token, scenario]));

/** The acquirer does not know any other token. */
const UNKNOWN: Partial<CardScenario> = { refusal: 'unknown_token' };

export const scenarioOf = (token: string): Partial<CardScenario> => byToken.get(token) ?? UNKNOWN;
