import { leftOut } from '../left-out';
import type { Screening } from './port';

/** Without a screening party nothing is screened. A screening that was pending then holds nothing back. */
export const screeningLeftOut = (): Screening => {
  const away = leftOut<Screening>();
  return {
    isOn: false,
    screen: (request) => away.screen(request),
    outcome: (key) => away.outcome(key),
    changes: (after) => away.changes(after),
    verify: () => undefined,
  };
};
