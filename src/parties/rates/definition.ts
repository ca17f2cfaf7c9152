import { defineParty } from '../define';
import { createHttpRates } from './http';
import { keptRates } from './kept';
import { ratesLeftOut } from './left-out';
import { ratesProtocol } from './protocol';
import { createRatesParty } from './sandbox/application';

export const ratesParty = defineParty({
  protocol: ratesProtocol,
  adapter: (options, wiring) => keptRates({ source: createHttpRates(options) }, wiring),
  sandbox: createRatesParty,
  without: ratesLeftOut,
});
