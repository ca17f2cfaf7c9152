import { defineParty } from '../define';
import { createHttpScreening } from './http';
import { screeningLeftOut } from './left-out';
import { screeningProtocol } from './protocol';
import { createScreeningParty } from './sandbox/application';

export const screeningParty = defineParty({
  protocol: screeningProtocol,
  adapter: createHttpScreening,
  sandbox: createScreeningParty,
  without: screeningLeftOut,
});
