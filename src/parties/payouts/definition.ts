import { defineParty } from '../define';
import { createHttpPayouts } from './http';
import { payoutsProtocol } from './protocol';
import { createPayoutsParty } from './sandbox/application';

export const payoutsParty = defineParty({
  protocol: payoutsProtocol,
  adapter: createHttpPayouts,
  sandbox: createPayoutsParty,
});
