import { defineParty } from '../define';
import { createHttpBank } from './http';
import { bankProtocol } from './protocol';
import { createBankParty } from './sandbox/application';

export const bankParty = defineParty({
  protocol: bankProtocol,
  adapter: createHttpBank,
  sandbox: createBankParty,
});
