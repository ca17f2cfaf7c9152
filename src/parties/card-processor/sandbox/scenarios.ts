/**
 * How the sandbox's card processor treats a card. Only the card's `label` at the order decides, so that a client can
 * try every path. Any other label gives the usual behaviour.
 */
export interface Scenario {
  label: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** Seconds in which no order reaches the processor, counted from the first. */
  unreachableSeconds?: number;
  /** Seconds from the order to its decision, instead of the party's own pace. */
  decisionSeconds?: number;
  /** The first order is carried out and its answer is lost. */
  losesFirstAnswer?: boolean;
  /** The first order is lost on its way, and no answer comes. */
  losesFirstOrder?: boolean;
  refusal?: string;
  /** Seconds in which no closure reaches the processor, counted from the first. */
  closeUnreachableSeconds?: number;
  /** Seconds from the closure to its confirmation. */
  closeSeconds?: number;
  tokenizeRefusal?: string;
}

const DAY_SECONDS = 86_400;

export const SCENARIOS: readonly Scenario[] = [
  {
    label: 'sandbox:refuse',
    effect: 'The processor refuses the card: `failed`, the hold is released.',
    refusal: 'processor_refused',
  },
  {
    label: 'sandbox:slow',
    effect: 'The processor takes 20 seconds: `pending`, then `active`.',
    decisionSeconds: 20,
  },
  {
    label: 'sandbox:slow-refuse',
    effect: 'The processor takes 20 seconds and then refuses: `pending`, then `failed`.',
    decisionSeconds: 20,
    refusal: 'processor_refused',
  },
  {
    label: 'sandbox:timeout',
    effect:
      'The card is made but the answer is lost: it stays `pending` until we have asked again, then `active`.',
    losesFirstAnswer: true,
  },
  {
    label: 'sandbox:lost-order',
    effect: 'The order is lost and no answer comes: it is ordered again, then `active`.',
    losesFirstOrder: true,
  },
  {
    label: 'sandbox:unreachable',
    effect: 'The processor cannot be reached for 30 seconds: `pending`, then `active`.',
    unreachableSeconds: 30,
  },
  {
    label: 'sandbox:unreachable-day',
    effect: 'The processor cannot be reached for a day: `pending`, then `active`.',
    unreachableSeconds: DAY_SECONDS,
  },
  {
    label: 'sandbox:close-slow',
    effect: 'The closure is confirmed after 30 seconds; the card is `closed` for its holder at once.',
    closeSeconds: 30,
  },
  {
    label: 'sandbox:close-unreachable',
    effect:
      'The processor cannot be told of the closure for a day; the card is `closed` for its holder at once.',
    closeUnreachableSeconds: DAY_SECONDS,
  },
  {
    label: 'sandbox:tokenize-refuse',
    effect: 'Wallets are refused the card: the tokenization ends `failed`.',
    tokenizeRefusal: 'wallet_refused',
  },
];

const byLabel = new Map(SCENARIOS.map((scenario) => [scenario.label, scenario]));

export function scenarioOf(label: string | null): Partial<Scenario> {
  return (label === null ? undefined : byLabel.get(label)) ?? {};
}
