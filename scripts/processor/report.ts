import { type Balances, balancesOf, shown } from './books';
import type { Played } from './network';

/** Balances of a card by the network's books and by the API. */
export interface Compared {
  card: string;
  network: Balances;
  api: Balances;
}

export const agrees = ({ network, api }: Compared): boolean => shown(network) === shown(api);

/** Balances of each card by the network's books. */
export const networkBooks = (
  played: Played,
  cards: readonly string[],
  funded: number,
): Map<string, Balances> =>
  new Map(cards.map((card) => [card, balancesOf(funded, played.transactions.get(card) ?? [])]));

/** Lines of the report. */
export function reportOf(played: Played, compared: readonly Compared[]): string[] {
  const counted = (counts: Map<string, number>) =>
    [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
  const differing = compared.filter((card) => !agrees(card));
  return [
    `  ${played.messages} messages, ${played.repeated} sent again. Transactions: ${counted(played.scenarios)}.`,
    ...(played.declined.size > 0 ? [`  Declined: ${counted(played.declined)}.`] : []),
    ...[...played.latencies].map(
      ([type, times]) => `  ${type.padEnd(14)} ${times.length} answers, ${quantiles(times)}`,
    ),
    ...differing.map(
      ({ card, network, api }) => `  ${card}: the network ${shown(network)}, the API ${shown(api)}`,
    ),
    ...played.wrong.slice(0, 20).map((line) => `  ${line}`),
    '',
    differing.length + played.wrong.length === 0
      ? `  The network's books and the API agree on ${compared.length} cards.`
      : `  THEY DIFFER: ${differing.length} of ${compared.length} cards, and ${played.wrong.length} wrong answers.`,
  ];
}

export function quantiles(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
